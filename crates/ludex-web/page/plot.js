// Small plots as SVG.

import { colour, h, s } from './dom.js';

const round = (number) => Math.round(number * 10) / 10;

/** What the engine expected for each role along the line. */
export function values(line, roles, at) {
  const [width, height] = [320, 80];
  const x = (step) => (line.length > 1 ? (step / (line.length - 1)) * (width - 8) + 4 : 4);
  const y = (value) => height - 4 - (value / 100) * (height - 8);
  const svg = s('svg', { class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'What the engine expected in each position' });
  svg.append(s('line', { class: 'axis', x1: 0, x2: width, y1: y(50), y2: y(50) }));
  const here = line.findIndex((step) => step.at === at);
  svg.append(s('line', { class: 'axis', x1: x(here), x2: x(here), y1: 0, y2: height }));
  roles.forEach((role, number) => {
    const known = line.map((step, index) => [index, step.values?.[number]]).filter(([, value]) => value);
    if (!known.length) return;
    const paint = colour(role.colour);
    svg.append(s('polyline', { class: `curve ${paint}`, points: known.map(([step, [value]]) => `${round(x(step))},${round(y(value))}`).join(' ') }));
    for (const [step, [value, certain]] of known) svg.append(s('circle', { class: `point ${paint}`, cx: round(x(step)), cy: round(y(value)), r: certain ? 3 : 1.8 }));
  });
  return svg;
}

/** Bars: pairs of a number and how often it was seen. */
export function bars(pairs, label) {
  const [width, height] = [320, 110];
  const low = Math.min(...pairs.map(([value]) => value));
  const high = Math.max(...pairs.map(([value]) => value));
  const count = Math.min(40, high - low + 1);
  const bins = new Array(count).fill(0);
  for (const [value, often] of pairs) bins[Math.min(count - 1, Math.floor(((value - low) / (high - low + 1)) * count))] += often;
  const most = Math.max(1, ...bins);
  const svg = s('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${label}: from ${low} to ${high}` });
  const step = (width - 8) / count;
  bins.forEach((often, at) => {
    const tall = (often / most) * (height - 24);
    svg.append(s('rect', { class: 'column', x: round(4 + at * step), y: round(height - 18 - tall), width: round(Math.max(1, step - 1)), height: round(tall) }));
  });
  svg.append(s('text', { class: 'tick', x: 4, y: height - 4 }, String(low)), s('text', { class: 'tick end', x: width - 4, y: height - 4 }, String(high)));
  return svg;
}

/** A curve through pairs of numbers, the first ascending. */
export function curve(pairs, label) {
  const [width, height] = [320, 110];
  const [first, last] = [pairs[0][0], pairs[pairs.length - 1][0]];
  const most = Math.max(1, ...pairs.map(([, value]) => value));
  const x = (value) => 4 + ((value - first) / Math.max(1, last - first)) * (width - 8);
  const y = (value) => height - 18 - (value / most) * (height - 34);
  const svg = s('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${label}: at most ${round(most)}` });
  svg.append(s('line', { class: 'axis', x1: 0, x2: width, y1: height - 18, y2: height - 18 }),
    s('polyline', { class: 'curve', points: pairs.map(([at, value]) => `${round(x(at))},${round(y(value))}`).join(' ') }),
    s('text', { class: 'tick', x: 4, y: 11 }, String(round(most))),
    s('text', { class: 'tick', x: 4, y: height - 4 }, String(first)), s('text', { class: 'tick end', x: width - 4, y: height - 4 }, String(last)));
  return svg;
}

/** Shares of 100 as bars with their intervals: rows of a name, a share and a colour. */
export function shares(rows) {
  return h('table', { class: 'shares' }, h('tbody', {}, rows.map(([name, share, paint]) => {
    const svg = s('svg', { class: 'share', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      s('rect', { class: 'ground', x: 0, y: 1, width: 100, height: 8 }),
      s('rect', { class: `column ${colour(paint)}`, x: 0, y: 1, width: round(share.value), height: 8 }),
      s('line', { class: 'interval', x1: round(share.low), x2: round(Math.max(share.high, share.low + 0.4)), y1: 5, y2: 5 }));
    const words = `${share.value.toFixed(2)} %`;
    return h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'wide' }, svg),
      h('td', { class: 'number', title: `95 %: from ${share.low.toFixed(2)} to ${share.high.toFixed(2)}` }, words),
      h('td', { class: 'number quiet narrow' }, `${share.low.toFixed(2)} to ${share.high.toFixed(2)}`));
  })));
}

/** Which relation is computed from which: what is read stands to the left. Whoever points at one sees its neighbours. */
export function graph({ nodes, edges }) {
  const [wide, high, name] = [170, 26, 128];
  const width = (Math.max(...nodes.map((node) => node.column)) + 1) * wide;
  const height = (Math.max(...nodes.map((node) => node.row)) + 1) * high + 8;
  const svg = s('svg', { class: 'relations', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `${nodes.length} relations, each to the right of what it is computed from` });
  const left = (node) => node.column * wide + 6;
  const middle = (node) => node.row * high + high / 2 + 4;
  const near = nodes.map(() => []);
  const lines = edges.map(([read, reader, negative]) => {
    const [a, b] = [nodes[read], nodes[reader]];
    const [x1, y1, x2, y2] = [left(a) + name, middle(a), left(b), middle(b)];
    const bend = Math.max(20, Math.abs(x2 - x1) / 2);
    // Within a column, where relations read each other, the line goes around on the right.
    const d = a.column === b.column
      ? `M${x1} ${y1} C${x1 + 30} ${y1}, ${x1 + 30} ${y2}, ${x1} ${y2}`
      : `M${x1} ${y1} C${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`;
    const line = s('path', { class: negative ? 'reads not' : 'reads', d });
    near[read].push(line);
    near[reader].push(line);
    return line;
  });
  svg.append(...lines);
  nodes.forEach((node, at) => {
    const words = `${node.name}/${node.arity}`;
    const shown = words.length > 18 ? `${words.slice(0, 17)}…` : words;
    const rules = node.rules === 1 ? '1 rule' : `${node.rules} rules`;
    const known = { static: 'known from the start', state: 'known with the state', move: 'known with the moves' }[node.phase];
    const group = s('g', { class: `relation ${node.phase}${node.keyword ? ' keyword' : ''}`, transform: `translate(${left(node)} ${middle(node)})` },
      s('title', {}, `${words}: ${rules}, ${known}${node.recursive ? ', computed from itself' : ''}`),
      s('rect', { x: 0, y: -10, width: name, height: 20, rx: 5 }), s('text', { x: 8, y: 0 }, shown + (node.recursive ? ' ↻' : '')));
    const point = (on) => () => {
      svg.classList.toggle('pointing', on);
      near[at].forEach((line) => line.classList.toggle('near', on));
    };
    group.addEventListener('mouseenter', point(true));
    group.addEventListener('mouseleave', point(false));
    svg.append(group);
  });
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'The graph of the relations' }, svg);
}
