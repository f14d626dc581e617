// Who plays which role, how long everybody has thought, and how long they may.

import { colour, h, time } from './dom.js';

const SEATS = { person: 'a person', ludex: 'Ludex', random: 'chance', player: 'a player at …' };

/** The panel of a match; `send` asks the server for something, `press` says that another role is to be entered. */
export function seats({ send, press }) {
  const root = h('section', { class: 'panel seats', 'aria-label': 'Players' });
  let shown = '';
  let match = null;
  let came = 0;
  let clocks = [];
  let active = -1;
  /** Roles for which an address is being typed. */
  const typing = new Set();

  function tick() {
    if (!match) return;
    const since = (performance.now() - came) / 1000;
    match.roles.forEach((role, at) => {
      const running = role.since !== null;
      const place = clocks[at];
      if (!place) return;
      const thinks = running ? role.since + since : 0;
      const left = match.limit && role.asked && running ? match.limit - thinks : null;
      const words = left === null ? time(role.spent + thinks) : `${time(role.spent + thinks)} · ${time(left + 0.9)}`;
      if (place.textContent !== words) place.textContent = words;
      place.classList.toggle('late', left !== null && left < 6);
    });
  }
  const timer = setInterval(tick, 200);

  function row(role, at) {
    const remote = role.seat.startsWith('http://');
    const kind = remote || typing.has(at) ? 'player' : role.seat;
    const select = h('select', { 'aria-label': `Who plays ${role.name}` },
      Object.entries(SEATS).map(([value, words]) => h('option', { value, selected: kind === value }, words)));
    const set = (seat) => send('set', { seats: match.roles.map((other, number) => (number === at ? seat : other.seat)) });
    select.addEventListener('change', () => {
      if (select.value === 'player') typing.add(at);
      else typing.delete(at);
      if (select.value === 'player') render();
      else set(select.value);
    });
    const address = kind === 'player'
      ? h('input', { class: 'address', type: 'text', value: remote ? role.seat.slice(7) : null, placeholder: 'host:9147', 'aria-label': `The address of the player of ${role.name}`, spellcheck: 'false', autocapitalize: 'off' })
      : null;
    address?.addEventListener('change', () => {
      const words = address.value.trim().replace(/^http:\/\//, '');
      if (words) set(`http://${words}`).then((done) => done && typing.delete(at));
    });
    const several = match.roles.filter((other) => other.asked).length > 1;
    const name = several && role.asked ? h('button', { class: 'plain name', onclick: () => press(at) }, role.name) : h('span', { class: 'name' }, role.name);
    clocks[at] = h('span', { class: 'number clock', title: 'Time used, and what is left of a limit' });
    return h('div', { class: active === at ? 'seat asked' : 'seat' }, h('i', { class: `swatch ${colour(role.colour)}` }), name, select,
      match.over ? h('b', { class: 'number goal' }, String(role.goal ?? '–')) : clocks[at], address);
  }

  function field(words, value, most, change) {
    const input = h('input', { type: 'number', min: 0, max: most, step: 'any', value, placeholder: 'none' });
    input.addEventListener('change', () => change(Number(input.value) || 0));
    return h('label', {}, h('span', {}, words), input);
  }

  function render() {
    clocks = [];
    root.replaceChildren(...match.roles.map((role, at) => row(role, at)),
      h('div', { class: 'clocks' },
        field('Seconds for programs', match.clock, 60, (seconds) => send('set', { clock: seconds || 1 })),
        field('Seconds for people', match.limit, 3600, (seconds) => send('set', { limit: seconds }))));
    tick();
  }

  return {
    root,
    /** Shows the match; what has not changed stays as it is, so that nothing is lost that is being entered. */
    update(now, acting) {
      match = now;
      came = performance.now();
      const key = JSON.stringify([now.roles.map(({ name, seat, asked, goal, colour: paint }) => [name, seat, asked, now.over && goal, paint]), now.over, now.clock, now.limit, acting]);
      active = acting;
      if (key !== shown) render();
      shown = key;
      tick();
    },
    stop: () => clearInterval(timer),
  };
}
