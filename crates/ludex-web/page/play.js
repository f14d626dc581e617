// A match: the board, the moves, and what the engine thinks.

import { ask } from './api.js';
import { Choice, beside, draw } from './board.js';
import { h, joint, notice, plain, short } from './dom.js';
import { values as graph } from './plot.js';
import { listen } from './stream.js';

const SEATS = { person: 'a person', ludex: 'Ludex', random: 'chance' };

/** Begins a match: `new/GAME`, or `new/GAME?0.3-1.0` with the moves of a link; then shows it. */
export function play(place, argument) {
  if (!argument.startsWith('new/')) return show(place, argument);
  const [game, words] = argument.slice(4).split('?');
  place.replaceChildren(h('p', { class: 'quiet' }, 'Opening the game'));
  sessionStorage.setItem('game', game);
  const line = words ? JSON.parse(words) : [];
  const seats = line.length ? { line } : {};
  ask('new', { game, ...seats }).then(
    ({ id }) => location.replace(`#/play/${id}`),
    (error) => place.replaceChildren(h('p', { role: 'alert' }, error.message), h('p', {}, h('a', { href: `#/write/${game}` }, 'Look at its rules'))));
  return () => {};
}

function show(place, id) {
  let match = null;
  let thought = null;
  let choices = new Map();
  let acting = null;
  let turned = false;
  let focus = null;
  let sat = '';

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
    press('Turn', () => { turned = !turned; redraw(); }), press('New', () => again()), press('Save', () => save()),
    press('Load', () => load()), press('Link', () => link()));
  const wish = h('input', { type: 'checkbox', onchange: () => send('set', { view: wish.checked }) });
  const opinion = h('div');
  const seats = h('div', { class: 'seats' });
  const list = h('ol', { class: 'line', 'aria-label': 'Moves' });
  const engine = h('section', { class: 'engine', 'aria-label': "The engine's view" },
    h('label', { class: 'row' }, wish, h('span', {}, "The engine's view")), opinion);
  place.replaceChildren(h('div', { class: 'table' },
    h('div', { class: 'left' }, title, status, board, buttons, tools, aside),
    h('div', { class: 'right' }, seats, engine, h('section', {}, h('h2', {}, 'Moves'), list))));

  board.addEventListener('click', (event) => {
    // The board may have been drawn again between pressing and letting go: what is there now is meant.
    const under = event.target.closest('.spot') ?? document.elementFromPoint(event.clientX, event.clientY)?.closest('.board .spot');
    if (under) take(Number(under.dataset.spot));
  });

  const send = (command, values = {}) => ask(command, { id, ...values }).catch((error) => notice(error.message));

  /** The role that is asked now: the first whose move is not in, unless another was pressed. */
  function actor() {
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
    status.textContent = `${plain(move[1])} …`;
    send('move', { at: match.at, role: role.at, action: move[0] }).then((answer) => answer ?? update());
  }

  function redraw() {
    const role = actor();
    const current = role ? choice(role) : null;
    const heat = heatOf(role, current);
    const held = document.activeElement?.closest?.('.board') ? Number(document.activeElement.dataset.spot) : null;
    const keep = held ?? focus;
    const svg = draw(match.scene, {
      turned, targets: current?.targets(), picked: current?.picked ?? [], heat,
      choose: take, label: `${match.game.name}, board`,
    });
    board.replaceChildren(svg);
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

  function heatOf(role, current) {
    if (!match.view || !thought || !role || thought.at !== match.at || thought.role !== role.at || !current) return null;
    const heat = new Map();
    const most = Math.max(1, ...thought.candidates.map((candidate) => candidate.visits));
    const by = new Map(thought.candidates.map((candidate) => [candidate.move, candidate]));
    for (const [number, , steps] of current.left) {
      const candidate = by.get(number);
      const step = steps[current.depth];
      if (!candidate || !Array.isArray(step)) continue;
      const share = candidate.certain ? candidate.certain.value / 100 : candidate.visits / most;
      step.forEach((spot) => heat.set(spot, Math.max(heat.get(spot) ?? 0, share)));
    }
    return heat;
  }

  function say() {
    if (match.problem) return match.problem;
    if (match.over) return 'Over: ' + match.roles.map((role) => `${role.name} ${role.goal ?? 'none'}`).join(', ');
    if (match.stuck) return 'Somebody has no legal move: the rules do not let the game go on.';
    const role = actor();
    const secret = match.roles.filter((other) => other.in && other.seat === 'person' && other.legal > 1).map((other) => other.name);
    const known = secret.length ? ` (${secret.join(', ')}: move is in)` : '';
    if (role) return `${role.name} to move${known}`;
    if (match.paused) return 'Waiting: go on when you like';
    return match.thinks ? 'Ludex thinks' : 'Waiting';
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
    const sitting = JSON.stringify([match.roles.map(({ name, seat, asked, goal }) => [name, seat, asked, goal]), match.over, match.clock, acting]);
    if (sitting !== sat) sit();
    sat = sitting;
    moves();
    view();
  }

  function sit() {
    seats.replaceChildren(...match.roles.map((role, at) => {
      const select = h('select', { 'aria-label': `Who plays ${role.name}` },
        Object.entries(SEATS).map(([value, words]) => h('option', { value, selected: role.seat === value }, words)));
      select.addEventListener('change', () => send('set', { seats: match.roles.map((other, number) => (number === at ? select.value : other.seat)) }));
      const several = match.roles.filter((other) => other.asked).length > 1;
      const name = several && role.asked
        ? h('button', { class: 'plain', onclick: () => { acting = at; update(); } }, role.name)
        : h('span', {}, role.name);
      const asked = actor()?.at === at;
      return h('div', { class: asked ? 'seat asked' : 'seat' }, h('i', { class: `swatch role${at % 6}` }), name, select,
        match.over ? h('b', {}, String(role.goal ?? '–')) : null);
    }), h('label', { class: 'seat' }, h('span', {}, 'seconds a move'), clock()));
  }

  function clock() {
    const input = h('input', { type: 'number', min: 0.1, max: 60, step: 0.1, value: match.clock });
    input.addEventListener('change', () => send('set', { clock: Number(input.value) || 1 }));
    return input;
  }

  function moves() {
    const entry = (step, words) => h('button', {
      class: step.at === match.at ? 'plain here' : 'plain',
      'aria-current': step.at === match.at ? 'step' : null,
      onclick: () => send('go', { to: step.at }),
    }, words);
    list.replaceChildren(...match.line.map((step, number) => h('li', {},
      entry(step, number === 0 ? 'start' : joint(step.moves)),
      step.others.length ? h('span', { class: 'others' }, step.others.map((other) => entry(other, joint(other.moves)))) : null)));
    const here = list.querySelector('.here');
    if (here && list.scrollHeight > list.clientHeight) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  function view() {
    if (!match.view) {
      opinion.replaceChildren();
      return;
    }
    const about = thought && thought.at === match.at ? thought : null;
    const role = about ? match.roles[about.role] : null;
    const names = new Map((role?.moves ?? []).map(([number, words]) => [number, words]));
    const sorted = [...(about?.candidates ?? [])].sort((a, b) => (b.move === about.best) - (a.move === about.best) || b.visits - a.visits);
    const best = sorted[0];
    const value = best ? (best.certain ? best.certain.value : best.value) : null;
    const bar = h('div', { class: 'bar', role: 'img', 'aria-label': value === null ? 'nothing is known yet' : `${role.name} expects ${Math.round(value)}` }, h('div', { class: `role${(about?.role ?? 0) % 6}` }));
    bar.firstChild.style.width = `${value ?? 50}%`;
    const rows = sorted.slice(0, 8).map((candidate) => h('tr', {},
      h('td', {}, plain(names.get(candidate.move) ?? `move ${candidate.move}`)),
      h('td', { class: 'number' }, candidate.certain ? `= ${candidate.certain.value}` : candidate.most !== null ? `≤ ${candidate.most}` : candidate.value.toFixed(1)),
      h('td', { class: 'number' }, short(candidate.visits))));
    while (rows.length < 8) rows.push(h('tr', {}, h('td', {}, ' '), h('td'), h('td')));
    opinion.replaceChildren(bar,
      h('p', { class: 'quiet figures', 'data-value': value ?? '', 'data-certain': best?.certain ? 'yes' : 'no' }, about
        ? `${role.name} expects ${value === null ? '–' : value.toFixed(best.certain ? 0 : 1)}${best?.certain ? ' for certain' : ''} · ${short(about.playouts)} playouts, ${short(about.rate)} a second · ${about.engine ?? 'no engine yet'}${about.lanes ? ' with lanes' : ''}`
        : 'Preparing'),
      h('table', {}, h('thead', {}, h('tr', {}, h('th', {}, 'move'), h('th', {}, 'value'), h('th', {}, 'visits'))), h('tbody', {}, rows)),
      h('p', { class: 'quiet expected' }, about?.line.length ? 'expected: ' + about.line.slice(0, 6).map(joint).join(' · ') : ' '),
      graph(match.line, match.roles, match.at));
  }

  const again = async () => {
    try {
      const { id: next } = await ask('new', { game: match.game.id, seats: match.roles.map((role) => role.seat), clock: match.clock });
      location.hash = `#/play/${next}`;
    } catch (error) {
      notice(error.message);
    }
  };
  const save = async () => {
    const answer = await send('record');
    if (!answer) return;
    const url = URL.createObjectURL(new Blob([answer.record], { type: 'application/json' }));
    h('a', { href: url, download: answer.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
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
  const link = async () => {
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
        const best = thought.candidates.find((candidate) => candidate.move === thought.best);
        if (step && best) step.values[thought.role] = best.certain ? [best.certain.value, true] : [best.value, false];
        view();
        redraw();
      }
    } else {
      if (!match || match.at !== value.at) {
        choices = new Map();
        focus = null;
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
    document.removeEventListener('keydown', onKey);
    document.title = 'Ludex';
  };
}
