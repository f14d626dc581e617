// All games, each with its board, and the matches that are kept.

import { ask } from './api.js';
import { beside, draw } from './board.js';
import { h, notice, short } from './dom.js';

const cards = new Map();
let busy = 0;
const waiting = [];

/** At most two cards are asked for at a time, those in sight first. */
function wanted(game, show) {
  if (cards.has(game)) return show(cards.get(game));
  waiting.push({ game, show });
  next();
}

function next() {
  if (busy >= 2 || waiting.length === 0) return;
  const { game, show } = waiting.shift();
  busy += 1;
  ask('card', { game })
    .then((card) => {
      cards.set(game, card);
      show(card);
    }, (error) => show({ error: error.message }))
    .finally(() => {
      busy -= 1;
      next();
    });
}

function tile(entry, watch) {
  const picture = h('div', { class: 'picture' });
  const words = h('p', { class: 'quiet facts' }, ' ');
  const card = h('article', { class: 'card' },
    h('a', { href: `#/play/new/${entry.id}`, class: 'cover', 'aria-label': `Play ${entry.title || entry.name}` }, picture),
    h('h2', {}, entry.title || entry.name),
    words,
    h('p', { class: 'links' },
      h('a', { href: `#/play/new/${entry.id}` }, 'Play'), ' ',
      h('a', { href: `#/understand/${entry.id}` }, 'Understand'), ' ',
      h('a', { href: `#/write/${entry.id}` }, 'Rules')));
  card.show = () => wanted(entry.id, (told) => {
    if (told.error) {
      words.textContent = told.error;
      return;
    }
    const { scene } = told;
    picture.replaceChildren(scene.boards.length ? draw(scene, { label: entry.name }) : h('div', {}, beside(scene)));
    const players = told.roles.length === 1 ? '1 player' : `${told.roles.length} players`;
    words.textContent = `${players} · ${short(told.branching)} moves · ${short(told.length)} steps`;
    if (told.facts.length) words.title = `Proved at first sight: ${told.facts.join(', ')}`;
  });
  watch.observe(card);
  return card;
}

export function gallery(place) {
  const search = h('input', { type: 'search', placeholder: 'Find a game', 'aria-label': 'Find a game' });
  const list = h('div', { class: 'cards' });
  const matches = h('section', { class: 'matches' });
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watch.unobserve(entry.target);
      entry.target.show();
    }
  }, { rootMargin: '200px' });
  const file = h('input', { type: 'file', accept: '.kif,.gdl,.txt', hidden: true, onchange: () => paste(file.files[0]) });
  place.replaceChildren(
    h('div', { class: 'intro' }, h('h1', {}, 'Any game, from its rules'),
      h('p', { class: 'quiet' }, 'Choose one to play, or drop a rule sheet here.'),
      h('div', { class: 'row' }, search, h('button', { onclick: () => file.click() }, 'Open a sheet'), file)),
    matches, list);
  let games = [];
  const show = () => {
    const word = search.value.trim().toLowerCase();
    const fits = games.filter((game) => `${game.name} ${game.title}`.toLowerCase().includes(word));
    list.replaceChildren(...fits.slice(0, 400).map((game) => tile(game, watch)));
    if (!fits.length) list.replaceChildren(h('p', { class: 'quiet' }, 'No game has this name.'));
  };
  search.addEventListener('input', show);
  const paste = async (sheet) => {
    if (!sheet) return;
    try {
      const game = await ask('paste', { text: await sheet.text() });
      location.hash = `#/play/new/${game.id}`;
    } catch (error) {
      notice(error.message);
    }
  };
  const over = (event) => event.preventDefault();
  const drop = (event) => {
    event.preventDefault();
    paste(event.dataTransfer.files[0]);
  };
  place.addEventListener('dragover', over);
  place.addEventListener('drop', drop);
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
        h('span', { class: 'quiet' }, match.over ? ' over' : ` ${match.step} steps`), ' ',
        h('button', {
          class: 'plain', 'aria-label': `Remove the match of ${match.name}`,
          onclick: () => ask('remove', { id: match.id }).then(load, (error) => notice(error.message)),
        }, 'remove')));
      matches.replaceChildren(...(kept.length ? [h('h2', {}, 'Matches'), h('ul', {}, kept)] : []));
    } catch (error) {
      list.replaceChildren(h('p', {}, error.message));
    }
  };
  list.replaceChildren(h('p', { class: 'quiet' }, 'Loading'));
  load();
  return () => {
    watch.disconnect();
    waiting.length = 0;
    place.removeEventListener('dragover', over);
    place.removeEventListener('drop', drop);
  };
}
