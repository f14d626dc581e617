// A match: the board, the moves, and what the engine thinks.

import { ask } from './api.js';
import { Choice, beside, draw } from './board.js';
import { download, h, joint, notice, plain } from './dom.js';
import { draggable } from './drag.js';
import { expected, opinion, overlay } from './opinion.js';
import { seats as panel } from './seats.js';
import { listen } from './stream.js';

/** Begins a match: `new/GAME`, `watch/GAME`, or `new/GAME?[["move", ...], ...]` with the moves of a link; then shows it. */
export function play(place, argument) {
  const [way, rest] = argument.split(/\/(.*)/s);
  if (way !== 'new' && way !== 'watch') return show(place, argument);
  const [game, words] = rest.split('?');
  place.replaceChildren(h('p', { class: 'quiet' }, 'Opening the game'));
  sessionStorage.setItem('game', game);
  begin(game, way === 'watch', words).then(
    (id) => location.replace(`#/play/${id}`),
    (error) => place.replaceChildren(h('p', { role: 'alert' }, error.message), h('p', {}, h('a', { href: `#/write/${game}` }, 'Look at its rules'))));
  return () => {};
}

async function begin(game, watches, words) {
  const setup = { game };
  if (words) {
    try {
      setup.line = JSON.parse(words);
    } catch {
      throw new Error('This link is not whole: the moves in it cannot be read.');
    }
  }
  if (watches) {
    const { roles } = await ask('rules', { game });
    setup.seats = roles.map((role) => (role === 'random' ? 'random' : 'ludex'));
  }
  return (await ask('new', setup)).id;
}

function show(place, id) {
  let match = null;
  let thought = null;
  let choices = new Map();
  let acting = null;
  /** The position in which a move was made whose answer is awaited. */
  let sent = null;
  let turned = false;
  let focus = null;
  let drawn = null;

  const title = h('h1', {}, ' ');
  const status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' }, 'Loading');
  const board = h('div', { class: 'board-place' });
  const aside = h('div', { class: 'beside' });
  const buttons = h('div', { class: 'buttons' });
  const press = (words, act, main) => h('button', { class: main ? 'main' : null, onclick: act }, words);
  const tool = {
    undo: press('Undo', () => send('undo')),
    redo: press('Redo', () => send('redo')),
    go: press('Go on', () => send('pause', { paused: false }), true),
    stop: press('Stop', () => send('pause', { paused: true })),
  };
  // These stay as long as the room: what is pressed while the match changes must be there when it is let go.
  const tools = h('div', { class: 'row tools' }, tool.undo, tool.redo, tool.go, tool.stop,
    press('Turn', () => { turned = !turned; redraw(); }));
  const link = (words, act) => h('button', { class: 'plain', onclick: act }, words);
  const more = h('div', { class: 'row more' }, link('New match', () => again()), link('Save record', () => save()),
    link('Load record', () => load()), link('Copy link', () => copy()), link('Picture', () => picture()));
  const wish = h('input', { type: 'checkbox', onchange: () => send('set', { view: wish.checked }) });
  const thoughts = h('div', { class: 'thoughts' });
  const list = h('ol', { class: 'line', 'aria-label': 'Moves' });
  const sitting = panel({ send: (command, values) => send(command, values), press: (at) => { acting = at; update(); } });
  place.replaceChildren(h('div', { class: 'table' },
    h('div', { class: 'left' }, title, status, board, buttons, tools, aside, more),
    h('div', { class: 'right' }, sitting.root,
      h('section', { class: 'panel engine', 'aria-label': "The engine's view" }, h('label', { class: 'row' }, wish, h('span', {}, "The engine's view")), thoughts),
      h('section', { class: 'panel' }, h('h2', {}, 'Moves'), list))));

  const drag = draggable(board, {
    accepts: (spot) => Boolean(actor() && choice(actor()).accepts(spot)),
    choose: (spot) => take(spot),
    drop: () => { const role = actor(); if (role) choice(role).begin(); redraw(); },
  });
  board.addEventListener('click', (event) => {
    if (drag.wasDragged()) return;
    // The board may have been drawn again between pressing and letting go: what is there now is meant.
    const under = event.target.closest('.spot') ?? document.elementFromPoint(event.clientX, event.clientY)?.closest('.board .spot');
    if (under) take(Number(under.dataset.spot));
  });

  const send = (command, values = {}) => ask(command, { id, ...values }).catch((error) => notice(error.message));

  /** The role that is asked now: the first whose move is not in, unless another was pressed. */
  function actor() {
    if (sent === match.at) return null;
    const asked = match.roles.map((role, at) => ({ ...role, at })).filter((role) => role.asked);
    return asked.find((role) => role.at === acting) ?? asked[0] ?? null;
  }

  function choice(role) {
    if (!choices.has(role.at)) choices.set(role.at, new Choice(role.moves));
    return choices.get(role.at);
  }

  function take(step) {
    const role = actor();
    if (!role) return;
    const made = choice(role).take(step);
    focus = typeof step === 'number' ? step : null;
    if (made) make(role, made);
    else redraw();
  }

  function make(role, move) {
    choices.delete(role.at);
    acting = null;
    const { at } = match;
    // What is clicked before the answer comes was meant for another position.
    sent = match.roles.filter((other) => other.asked).length > 1 ? null : at;
    status.textContent = `${plain(move[1])} …`;
    send('move', { at, role: role.at, action: move[0] }).then((answer) => {
      if (answer) return;
      sent = null;
      update();
    });
  }

  function redraw() {
    const role = actor();
    const current = role ? choice(role) : null;
    const held = document.activeElement?.closest?.('.board') ? Number(document.activeElement.dataset.spot) : null;
    const keep = held ?? focus;
    const svg = draw(match.scene, {
      turned, targets: current?.targets(), picked: current?.picked ?? [],
      choose: take, label: `${match.game.name}, board`,
    });
    board.replaceChildren(svg);
    drawn = svg;
    colourBoard();
    if (keep !== null) {
      const spot = svg.querySelector(`[data-spot="${keep}"]`);
      if (spot) {
        svg.querySelectorAll('[tabindex="0"]').forEach((other) => other.setAttribute('tabindex', '-1'));
        spot.setAttribute('tabindex', '0');
        if (held !== null) spot.focus({ preventScroll: true });
      }
    }
    const menu = current?.complete() ?? [];
    buttons.replaceChildren(...(current ? [
      ...current.buttons().map((words) => press(plain(words), () => take(words))),
      ...menu.map((move) => press(plain(move[1]), () => make(role, move))),
      current.depth > 0 ? h('button', { class: 'plain', onclick: () => { current.begin(); redraw(); } }, 'cancel') : null,
    ].filter(Boolean) : []));
  }

  /** What is thought of the moves, over the board that is drawn already. */
  function colourBoard() {
    const about = match.view && thought && thought.at === match.at ? thought : null;
    const role = actor();
    const picked = role && about?.role === role.at ? choice(role).picked : [];
    drawn?.show(about ? overlay(about, picked) : {});
  }

  function say() {
    if (match.problem) return match.problem;
    const note = match.note ? `${match.note}. ` : '';
    return note + turn();
  }

  function turn() {
    if (match.over) return 'Over: ' + match.roles.map((role) => `${role.name} ${role.goal ?? 'none'}`).join(', ');
    if (match.stuck) return 'Somebody has no legal move: the rules do not let the game go on.';
    const role = actor();
    const secret = match.roles.filter((other) => other.in && other.seat === 'person' && other.legal > 1).map((other) => other.name);
    const known = secret.length ? ` (${secret.join(', ')}: move is in)` : '';
    if (role) return `${role.name} to move${known}`;
    if (match.paused) return 'Waiting: go on when you like';
    const thinking = match.roles.find((other) => other.thinks);
    if (!thinking) return 'Waiting';
    return thinking.seat === 'ludex' ? `Ludex thinks for ${thinking.name}` : `${thinking.name}: waiting for ${thinking.seat.slice(7)}`;
  }

  function update() {
    title.textContent = match.game.title || match.game.name;
    document.title = `${match.game.name} – Ludex`;
    sessionStorage.setItem('game', match.game.id);
    status.textContent = say();
    redraw();
    aside.replaceChildren(...beside(match.scene).filter(Boolean));
    const waits = match.paused && !match.over && match.roles.some((role) => role.seat !== 'person');
    tool.undo.disabled = match.line[0].at === match.at && !match.roles.some((role) => role.in && role.legal > 1);
    tool.redo.disabled = !match.forward;
    tool.go.hidden = !waits;
    tool.stop.hidden = waits;
    tool.stop.disabled = !match.thinks;
    wish.checked = match.view;
    sitting.update(match, actor()?.at ?? match.roles.findIndex((role) => role.thinks));
    moves();
    view();
  }

  /** The line through the position, and under each move what else was played there. */
  function moves() {
    const entry = (step, words) => h('button', {
      class: step.at === match.at ? 'plain here' : 'plain',
      'aria-current': step.at === match.at ? 'step' : null,
      onclick: () => send('go', { to: step.at }),
    }, words);
    list.replaceChildren(...match.line.map((step, number) => h('li', { value: number },
      entry(step, number === 0 ? 'Start' : joint(step.moves)),
      step.others.length ? h('ul', { class: 'others', 'aria-label': 'Other lines' }, step.others.map((other) =>
        h('li', {}, entry(other, joint(other.moves)), other.steps ? h('span', { class: 'quiet' }, `and ${other.steps} more`) : null))) : null)));
    const here = list.querySelector('.here');
    if (here && list.scrollHeight > list.clientHeight) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  function view() {
    thoughts.hidden = !match.view;
    if (match.view) thoughts.replaceChildren(...opinion(match, thought));
  }

  const again = async () => {
    try {
      const { id: next } = await ask('new', { game: match.game.id, seats: match.roles.map((role) => role.seat), clock: match.clock, limit: match.limit });
      location.hash = `#/play/${next}`;
    } catch (error) {
      notice(error.message);
    }
  };
  const save = async () => {
    const answer = await send('record');
    if (!answer) return;
    download(answer.name, answer.record, 'application/json');
  };
  const picture = async () => {
    const answer = await send('picture');
    if (answer) download(answer.name, answer.svg, 'image/svg+xml');
  };
  const load = () => {
    const input = h('input', { type: 'file' });
    input.addEventListener('change', async () => {
      try {
        const answer = await ask('load', { game: match.game.id, record: await input.files[0].text() });
        location.hash = `#/play/${answer.id}`;
      } catch (error) {
        notice(error.message);
      }
    });
    input.click();
  };
  const copy = async () => {
    const upto = match.line.findIndex((step) => step.at === match.at);
    const line = match.line.slice(1, upto + 1).map((step) => step.moves);
    const url = `${location.origin}/#/play/new/${match.game.id}?${encodeURIComponent(JSON.stringify(line))}`;
    try {
      await navigator.clipboard.writeText(url);
      notice('The link to this position is in the clipboard.');
    } catch {
      notice(url);
    }
  };

  const stop = listen(id, (name, value) => {
    if (name === 'lost') {
      status.textContent = 'The server is silent; waiting for it';
    } else if (name === 'gone') {
      place.replaceChildren(h('p', { role: 'alert' }, value.why ?? 'This match is not there any more.'), h('p', {}, h('a', { href: '#/' }, 'To the gallery')));
    } else if (name === 'thought') {
      thought = value.thought;
      if (match?.view && thought && thought.at === match.at) {
        const step = match.line.find((other) => other.at === thought.at);
        const known = expected(thought);
        if (step && known) step.values[thought.role] = known;
        view();
        colourBoard();
      }
    } else {
      if (!match || match.at !== value.at) {
        choices = new Map();
        focus = null;
        sent = null;
      }
      match = value;
      update();
    }
  });
  const onKey = (event) => {
    if (!match || event.target.matches('input, select, textarea') || event.target.closest('.board')) return;
    if (event.key === 'ArrowLeft' && match.line[0].at !== match.at) {
      const at = match.line.findIndex((step) => step.at === match.at);
      send('go', { to: match.line[at - 1].at });
    } else if (event.key === 'ArrowRight' && match.forward) send('redo');
    else if (event.key === 'f') {
      turned = !turned;
      redraw();
    } else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => {
    stop();
    drag.stop();
    sitting.stop();
    document.removeEventListener('keydown', onKey);
    document.title = 'Ludex';
  };
}
