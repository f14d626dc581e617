// Draws a position, and turns clicks and keys into moves.

import { colour, h, s } from './dom.js';

/** No picture is larger than so many times its own measure, in which a square has 48. */
const LARGEST = 2.2;
const CROSS = 'M-11 -11 L11 11 M11 -11 L-11 11';
const ARROW = 'M0 -13L9 -2H3.5V12H-3.5V-2H-9Z';
const CROWN = 'M-7 6H7L9 -6L4 0L0 -8L-4 0L-9 -6Z';

function points(list) {
  return list.map(([x, y]) => `${x},${y}`).join(' ');
}

/**
 * A position as a picture. With `choose` its spots are buttons that keys reach; clicks are for whoever holds it. What is
 * thought of the moves, and what is pointed at, is laid over it later by `svg.show`, without drawing it again.
 */
export function draw(scene, { turned = false, targets = null, picked = [], choose = null, label = 'board' } = {}) {
  const { width, height } = scene;
  const flip = turned ? (x, y) => [width - x, height - y] : (x, y) => [x, y];
  const changed = new Set(scene.changed ?? []);
  const svg = s('svg', {
    class: 'board',
    role: choose ? 'group' : 'img',
    'aria-label': label,
  });
  const spots = new Map();
  let focusable = null;
  for (const board of scene.boards) {
    for (const [x1, y1, x2, y2] of board.lines) {
      const [[a, b], [c, d]] = [flip(x1, y1), flip(x2, y2)];
      svg.append(s('line', { class: 'edge', x1: a, y1: b, x2: c, y2: d }));
    }
    for (const [x, y, text] of board.labels) {
      const [a, b] = flip(x, y);
      svg.append(s('text', { class: 'label', x: a, y: b, 'aria-hidden': 'true' }, text));
    }
    for (const spot of board.spots) {
      const [x, y] = flip(spot.x, spot.y);
      const what = spot.marks.map((mark) => mark.text || mark.tip).join(', ');
      const name = spot.name + (what ? ': ' + what : '') + (spot.fault ? ': ' + spot.fault : '');
      const isTarget = targets?.has(spot.id);
      const thin = size(spot.outline) < 20;
      const classes = ['spot', spot.dark && 'dark', thin && 'thin', spot.fault && 'fault', changed.has(spot.id) && 'changed',
        isTarget && 'target', spot.marks.length && 'held', picked.includes(spot.id) && 'picked'].filter(Boolean).join(' ');
      const group = s('g', {
        class: classes,
        transform: `translate(${x} ${y})`,
        'data-spot': spot.id,
        'data-column': spot.column,
        'data-row': spot.row,
        role: choose ? 'button' : null,
        'aria-label': choose ? name : null,
        'aria-disabled': choose && !isTarget ? 'true' : null,
        tabindex: choose ? '-1' : null,
      });
      group.append(s('title', {}, [...spot.ground, ...spot.marks].map((mark) => mark.tip).join('\n') || name));
      group.append(outline(spot.outline, turned));
      for (const mark of spot.ground) group.append(drawGround(mark, spot.outline, turned));
      const heat = outline(spot.outline, turned);
      heat.setAttribute('class', 'heat');
      group.append(heat);
      // What fills its spot fills it; the others share it.
      const fills = spot.marks.filter((mark) => mark.glyph?.shape === 'fill');
      const marks = spot.marks.filter((mark) => mark.glyph?.shape !== 'fill');
      for (const mark of fills) {
        const fill = outline(spot.outline, turned);
        fill.setAttribute('class', `fill ${colour(mark.colour)}`);
        group.append(fill);
      }
      marks.forEach((mark, at) => group.append(drawMark(mark, at, marks.length, size(spot.outline))));
      if (isTarget) group.append(s('circle', { class: 'dot', r: spot.marks.length ? 3 : 5, cy: spot.marks.length ? size(spot.outline) * 0.4 : 0 }));
      if (choose) {
        if (!focusable || (isTarget && !focusable.classList.contains('target'))) focusable = group;
      }
      spots.set(spot.id, { group, heat, x, y, room: size(spot.outline) });
      svg.append(group);
    }
  }
  for (const board of scene.boards) {
    for (const [x, y] of board.dots) {
      const [a, b] = flip(x, y);
      svg.append(s('circle', { class: 'point', cx: a, cy: b, r: 5 }));
    }
  }
  const layer = s('g', { class: 'arrows', 'aria-hidden': 'true' });
  svg.append(layer);
  if (choose) {
    focusable?.setAttribute('tabindex', '0');
    svg.addEventListener('keydown', (event) => keys(event, svg, choose));
  }
  /** `heat`: how good it is to choose a spot, from 0 to 1; `arrows`: [from, to, weight]; `pointed`: spots that are spoken of. */
  const seen = extent(scene, flip);
  svg.setAttribute('viewBox', seen.join(' '));
  // A few spots are not blown up to fill the room.
  svg.style.maxWidth = `${Math.round(seen[2] * LARGEST)}px`;
  svg.show = ({ heat = null, arrows = [], pointed = null }) => {
    for (const [id, spot] of spots) {
      const value = heat?.get(id);
      spot.heat.style.opacity = value === undefined ? '' : String(0.1 + 0.45 * value);
      spot.group.classList.toggle('pointed', pointed?.has(id) ?? false);
    }
    layer.replaceChildren(...arrows.map(([from, to, weight]) => {
      const [a, b] = [spots.get(from), spots.get(to)];
      return a && b ? arrow(a, b, weight) : null;
    }).filter(Boolean));
  };
  return svg;
}

/** The part of the picture where something is: the same in every position of a game. */
function extent(scene, flip) {
  const [edge, letter] = [6, 4];
  const xs = [];
  const ys = [];
  const add = ([x, y], wide, high) => {
    xs.push(x - wide, x + wide);
    ys.push(y - high, y + high);
  };
  for (const board of scene.boards) {
    for (const { x, y, outline: { width, height, radius, points: corners } } of board.spots) {
      const reach = (axis) => Math.max(...corners.map((corner) => Math.abs(corner[axis])));
      if (corners) add(flip(x, y), reach(0), reach(1));
      else add(flip(x, y), radius ?? width / 2, radius ?? height / 2);
    }
    for (const [x, y, text] of board.labels) add(flip(x, y), text.length * letter, 8);
    // Towers grow and shrink.
    if (board.kind === 'track') add(flip(board.x + board.width / 2, board.y + board.height / 2), board.width / 2, board.height / 2);
  }
  if (!xs.length) return [0, 0, Math.max(scene.width, 1), Math.max(scene.height, 1)];
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
  return [left, top, Math.max(...xs) + edge - left, Math.max(...ys) + edge - top];
}

/** From the middle of one spot to that of another, thicker where it weighs more. */
function arrow(from, to, weight) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(dx, dy) || 1;
  const wide = Math.min(from.room, to.room) * (0.05 + 0.09 * weight);
  const head = wide * 2.6;
  const end = long - to.room * 0.08;
  const shape = [[0, -wide], [end - head, -wide], [end - head, -head * 0.8], [end, 0], [end - head, head * 0.8], [end - head, wide], [0, wide]];
  const [c, sn] = [dx / long, dy / long];
  const turned = shape.map(([x, y]) => [(from.x + x * c - y * sn).toFixed(1), (from.y + x * sn + y * c).toFixed(1)]);
  const polygon = s('polygon', { class: 'arrow', points: points(turned) });
  polygon.style.opacity = String(0.25 + 0.55 * weight);
  return polygon;
}

function size(outline) {
  if (outline.radius) return outline.radius * 2;
  if (outline.points) return Math.min(...['0', '1'].map((axis) => {
    const values = outline.points.map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  })) * 0.85;
  return Math.min(outline.width, outline.height);
}

function outline(shape, turned) {
  if (shape.radius) return s('circle', { class: 'cell', r: shape.radius });
  if (shape.points) return s('polygon', { class: 'cell', points: points(shape.points), transform: turned ? 'rotate(180)' : null });
  return s('rect', { class: 'cell', x: -shape.width / 2, y: -shape.height / 2, width: shape.width, height: shape.height });
}

function drawMark(mark, at, count, room) {
  // Several marks share the spot in a square.
  const across = Math.ceil(Math.sqrt(count));
  const scale = 1 / across;
  const x = ((at % across) - (across - 1) / 2) * room * scale;
  const y = (Math.floor(at / across) - (Math.ceil(count / across) - 1) / 2) * room * scale;
  const group = s('g', { class: `mark ${colour(mark.colour)}`, transform: `translate(${x} ${y}) scale(${(scale * room) / 40})` });
  const { shape, path, turn } = mark.glyph ?? {};
  const text = mark.glyph?.text ?? mark.text ?? '';
  const letter = text.length === 1 && /[a-z]/i.test(text);
  const long = [...text].length;
  const letters = (kind, sizes) => s('text', { class: kind, 'font-size': sizes }, text);
  // Light colours have a rim.
  const strokes = (make) => ['rim', 'stroke'].forEach((part) => group.append(make(part)));
  if (shape === 'cross') strokes((part) => s('path', { class: part, d: CROSS }));
  else if (shape === 'ring') strokes((part) => s('circle', { class: part, r: 11 }));
  else if (shape === 'path') group.append(s('path', { class: 'piece', d: path, transform: 'scale(1.15)' }));
  else if (shape === 'arrow') group.append(s('path', { class: 'piece', d: ARROW, transform: `rotate(${turn})` }));
  else if (shape === 'disc') group.append(s('circle', { class: 'piece', r: 14 }));
  else if (shape === 'crowned') group.append(s('circle', { class: 'piece', r: 15 }), s('path', { class: 'crown', d: CROWN }));
  else if (letter && mark.colour !== null) group.append(s('circle', { class: 'piece', r: 14 }), letters('inside', 15));
  else group.append(letters('glyph', long > 5 ? 8 : long > 3 ? 11 : long > 2 ? 14 : long > 1 ? 18 : 26));
  return group;
}

/** What belongs to a spot in every state: it is filled, has a wall on one side, or a word in its corner. */
function drawGround(mark, shape, turned) {
  const { shape: kind, turn } = mark.glyph ?? {};
  const reach = size(shape) / 2;
  if (kind === 'fill') {
    const fill = outline(shape, turned);
    fill.setAttribute('class', 'wall');
    return fill;
  }
  if (kind === 'arrow') {
    return s('line', { class: 'flank', x1: -reach, y1: -reach, x2: reach, y2: -reach, transform: `rotate(${turn + (turned ? 180 : 0)})` });
  }
  return s('text', { class: 'note', x: -reach * 0.6, y: -reach * 0.68, 'font-size': 9 }, mark.glyph?.text ?? mark.text);
}

/** Arrow keys go to the nearest spot that way; Enter and the blank choose. */
function keys(event, svg, choose) {
  const at = event.target.closest('.spot');
  if (!at) return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    choose(Number(at.dataset.spot));
    return;
  }
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!way) return;
  event.preventDefault();
  event.stopPropagation();
  const middle = (spot) => {
    const { e, f } = spot.transform.baseVal.consolidate().matrix;
    return [e, f];
  };
  const [x, y] = middle(at);
  let best = null;
  for (const spot of svg.querySelectorAll('.spot')) {
    const [a, b] = middle(spot);
    const along = (a - x) * way[0] + (b - y) * way[1];
    const aside = Math.abs((a - x) * way[1]) + Math.abs((b - y) * way[0]);
    if (along <= 0.5) continue;
    const cost = along + 3 * aside;
    if (!best || cost < best.cost) best = { spot, cost };
  }
  if (!best) return;
  svg.querySelectorAll('[tabindex="0"]').forEach((spot) => spot.setAttribute('tabindex', '-1'));
  best.spot.setAttribute('tabindex', '0');
  best.spot.focus();
}

/** What stands beside the boards: turn, counters, and whatever is not drawn. */
export function beside(scene) {
  const list = h('dl', { class: 'asides' });
  for (const aside of scene.asides) {
    const swatch = aside.colour ? h('i', { class: `swatch ${colour(aside.colour)}` }) : null;
    list.append(h('div', { title: aside.tip }, h('dt', {}, aside.label), h('dd', {}, swatch, aside.value)));
  }
  const rest = scene.rest.length
    ? h('details', { class: 'rest' }, h('summary', {}, `${scene.rest.length} more`), h('ul', {}, scene.rest.map((text) => h('li', {}, text))))
    : null;
  return [scene.asides.length ? list : null, rest];
}

/** The moves of one role, narrowed click by click. A move is [number, words, steps]; a step is a list of spots or words. */
export class Choice {
  constructor(moves) {
    this.all = moves;
    this.begin();
  }

  begin() {
    this.left = this.all;
    this.depth = 0;
    this.picked = [];
  }

  /** The spots that can be clicked now. */
  targets() {
    const spots = new Set();
    for (const [, , steps] of this.left) {
      const step = steps[this.depth];
      if (Array.isArray(step)) step.forEach((spot) => spots.add(spot));
    }
    return spots;
  }

  /** What can be pressed now. */
  buttons() {
    const words = new Set();
    for (const [, , steps] of this.left) if (typeof steps[this.depth] === 'string') words.add(steps[this.depth]);
    return [...words];
  }

  /** Moves that are complete, while others go on from here. */
  complete() {
    return this.depth > 0 ? this.left.filter(([, , steps]) => steps.length === this.depth) : [];
  }

  /** True if a click on this spot goes on. */
  accepts(spot) {
    return this.left.some(([, , steps]) => Array.isArray(steps[this.depth]) && steps[this.depth].includes(spot));
  }

  /** Goes on by a spot or a button; a move if all its steps are made and no other has the same. */
  take(step) {
    const fits = ([, , steps]) => {
      const next = steps[this.depth];
      return typeof step === 'string' ? next === step : Array.isArray(next) && next.includes(step);
    };
    const left = this.left.filter(fits);
    if (left.length === 0) {
      const again = this.depth > 0;
      const same = this.picked[this.picked.length - 1] === step;
      this.begin();
      return again && !same ? this.take(step) : null;
    }
    this.left = left;
    this.depth += 1;
    if (typeof step === 'number') this.picked.push(step);
    return left.length === 1 && left[0][2].length <= this.depth ? left[0] : null;
  }
}
