// All games, each with its board, and the matches that are kept.

import { ask } from './api.js';
import { beside, draw } from './board.js';
import { h, notice, short } from './dom.js';
import { keep as keepDraft } from './draft.js';

/** What is proved at first sight, in a few words each; what is not here is told in the room beside. */
const PROVED = {
  'turn-taking': 'players take turns', playable: 'always a move', length: 'always ends', 'constant-sum': 'constant sum', 'unique-goals': 'clear results',
};

const cards = new Map();
const proofs = new Map();
let busy = 0;
const waiting = [];

/** At most two questions at a time: first the boards in sight, then what is proved of those games. */
function wanted(queue, command, kept, game, show) {
  if (kept.has(game)) return show(kept.get(game));
  const ask_ = { command, kept, game, show };
  if (queue === 'first') waiting.splice(waiting.findIndex((other) => other.command !== command) >>> 0, 0, ask_);
  else waiting.push(ask_);
  next();
}

function next() {
  if (busy >= 2 || waiting.length === 0) return;
  const { command, kept, game, show } = waiting.shift();
  busy += 1;
  ask(command, { game })
    .then((told) => {
      kept.set(game, told);
      show(told);
    }, (error) => show({ error: error.message }))
    .finally(() => {
      busy -= 1;
      next();
    });
}

function tile(entry, watch) {
  const picture = h('div', { class: 'picture loading' });
  const words = h('p', { class: 'quiet figures' }, 'Looking at its rules');
  const proved = h('p', { class: 'quiet proved' }, ' ');
  const card = h('article', { class: 'card' },
    h('a', { href: `#/play/new/${entry.id}`, class: 'cover', 'aria-label': `Play ${entry.title || entry.name}` }, picture),
    h('h2', { title: entry.title || entry.name }, entry.title || entry.name),
    words, proved,
    h('p', { class: 'links' },
      h('a', { href: `#/play/new/${entry.id}` }, 'Play'), h('a', { href: `#/play/watch/${entry.id}` }, 'Watch'),
      h('a', { href: `#/understand/${entry.id}` }, 'Understand'), h('a', { href: `#/write/${entry.id}` }, 'Rules')));
  card.show = () => wanted('first', 'card', cards, entry.id, (told) => {
    picture.classList.remove('loading');
    if (told.error) {
      words.textContent = told.error;
      return;
    }
    const { scene } = told;
    picture.replaceChildren(scene.boards.length ? draw(scene, { label: entry.name }) : h('div', {}, beside(scene)));
    const players = told.roles.length === 1 ? '1 player' : `${told.roles.length} players`;
    words.textContent = `${players} · ${short(told.branching)} moves · ${short(told.length)} steps`;
    words.title = 'Moves to choose from and steps of a match, in the mean of random play';
    wanted('last', 'known', proofs, entry.id, (known) => {
      const facts = (known.facts ?? []).map((kind) => PROVED[kind]).filter(Boolean);
      proved.textContent = facts.length ? `Proved: ${facts.slice(0, 4).join(', ')}` : ' ';
      if (known.facts?.length) proved.title = known.facts.join(', ');
    });
  });
  watch.observe(card);
  return card;
}

export function gallery(place) {
  const search = h('input', { type: 'search', placeholder: 'Find a game', 'aria-label': 'Find a game' });
  const list = h('div', { class: 'cards' });
  const matches = h('section', { class: 'matches', hidden: true });
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watch.unobserve(entry.target);
      entry.target.show();
    }
  }, { rootMargin: '200px' });
  const keep = async (text) => {
    try {
      const game = await ask('paste', { text });
      location.hash = `#/play/new/${game.id}`;
    } catch (error) {
      // Rules with errors are shown where they can be mended.
      keepDraft('', text);
      location.hash = '#/write';
      notice(error.message);
    }
  };
  const open = async (sheet) => sheet && keep(await sheet.text());
  const file = h('input', { type: 'file', accept: '.kif,.gdl,.txt', hidden: true, onchange: () => open(file.files[0]) });
  place.replaceChildren(
    h('div', { class: 'intro' }, h('h1', {}, 'Any game, from its rules'),
      h('p', { class: 'quiet' }, 'Choose one to play. Or drop a rule sheet here, or paste its text.'),
      h('div', { class: 'row' }, search, h('button', { onclick: () => file.click() }, 'Open a sheet'), h('a', { class: 'button', href: '#/write' }, 'Write one'), file)),
    matches, list);
  let games = [];
  const show = () => {
    const word = search.value.trim().toLowerCase();
    const fits = games.filter((game) => `${game.name} ${game.title}`.toLowerCase().includes(word));
    list.replaceChildren(...fits.slice(0, 400).map((game) => tile(game, watch)));
    if (!fits.length) list.replaceChildren(h('p', { class: 'quiet' }, 'No game has this name.'));
  };
  search.addEventListener('input', show);
  const over = (event) => {
    event.preventDefault();
    place.classList.add('dropping');
  };
  const left = (event) => event.relatedTarget === null && place.classList.remove('dropping');
  const drop = (event) => {
    event.preventDefault();
    place.classList.remove('dropping');
    open(event.dataTransfer.files[0]);
  };
  const pasted = (event) => {
    if (event.target.matches('input, textarea')) return;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text.trim()) keep(text);
  };
  place.addEventListener('dragover', over);
  place.addEventListener('dragleave', left);
  place.addEventListener('drop', drop);
  document.addEventListener('paste', pasted);
  const result = (match) => (match.over ? `over, ${match.goals.map((goal) => goal ?? '–').join(' : ')}` : match.step === 1 ? '1 step' : `${match.step} steps`);
  const load = async () => {
    try {
      const told = await ask('gallery');
      games = told.games;
      if (told.first && !sessionStorage.getItem('opened')) {
        sessionStorage.setItem('opened', '1');
        location.hash = `#/play/new/${told.first}`;
        return;
      }
      show();
      const kept = told.matches.slice(0, 12).map((match) => h('li', {},
        h('a', { href: `#/play/${match.id}` }, match.title || match.name),
        h('span', { class: 'quiet' }, result(match)),
        h('button', {
          class: 'plain', 'aria-label': `Remove the match of ${match.name}`,
          onclick: () => ask('remove', { id: match.id }).then(load, (error) => notice(error.message)),
        }, 'remove')));
      matches.hidden = kept.length === 0;
      matches.replaceChildren(h('h2', {}, 'Go on with a match'), h('ul', {}, kept));
    } catch (error) {
      list.replaceChildren(h('p', {}, error.message));
    }
  };
  list.replaceChildren(...Array.from({ length: 8 }, () => h('article', { class: 'card', 'aria-hidden': 'true' }, h('div', { class: 'picture loading' }), h('h2', {}, ' '), h('p', {}, ' '))));
  load();
  return () => {
    watch.disconnect();
    waiting.length = 0;
    place.removeEventListener('dragover', over);
    place.removeEventListener('dragleave', left);
    place.removeEventListener('drop', drop);
    document.removeEventListener('paste', pasted);
  };
}
