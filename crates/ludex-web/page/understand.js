// What is known of a game: facts, formulas and their answers, random and good play, best play, ends, engines, relations.

import { ask } from './api.js';
import { draw } from './board.js';
import { h, joint, short } from './dom.js';
import { bars, curve, graph, shares } from './plot.js';

/** A part that loads by itself, or when it is asked to, and says so. */
function part(title, load, { asked = null, wide = false } = {}) {
  const body = h('div', { class: 'body' });
  const begin = () => {
    body.replaceChildren(h('p', { class: 'quiet working' }, 'Working …'));
    load().then(
      (content) => body.replaceChildren(...[content].flat(2).filter(Boolean)),
      (error) => body.replaceChildren(h('p', { class: 'quiet' }, error.message)));
  };
  if (asked) body.replaceChildren(h('p', { class: 'quiet' }, asked), h('button', { onclick: begin }, 'Begin'));
  else begin();
  return h('section', { class: wide ? 'part wide' : 'part' }, h('h2', {}, title), body);
}

/** The answer to a formula, with its lemmas, or with a line that is played through where it fails. */
export function answered(told, begin) {
  const answer = h('div', { class: `answer ${told.answer}`, 'data-answer': told.answer },
    h('p', {}, h('b', {}, told.answer), ' ', told.how, h('span', { class: 'quiet' }, ` · ${told.seconds.toFixed(2)} s`)));
  if (told.lemmas?.length) {
    answer.append(h('details', {}, h('summary', {}, told.lemmas.length === 1 ? 'The lemma' : `The ${told.lemmas.length} lemmas`),
      h('ul', { class: 'lemmas' }, told.lemmas.map((lemma) => h('li', {}, lemma)))));
  }
  if (told.line) {
    answer.append(h('p', { class: 'quiet' }, told.line.map(joint).join(' · ') || 'in the first position'),
      h('button', { class: 'main', onclick: () => begin(told.line) }, 'Play it through'));
  }
  return answer;
}

/** A new match of persons that stands before the first move of a line. */
async function through(game, roles, line) {
  const seats = roles.map(() => 'person');
  const { id } = await ask('new', { game, seats, line, at: 0 });
  location.hash = `#/play/${id}`;
}

/** Facts as sentences; whoever points at one sees on the board what it speaks of. */
async function facts(game, prove) {
  const { facts: list, scene } = await ask('facts', { game });
  if (!list.length) return h('p', { class: 'quiet' }, 'Nothing was found that could be proved.');
  const board = scene.boards.length ? draw(scene, { label: 'the first position' }) : null;
  const said = h('p', { class: 'quiet', 'aria-live': 'polite' }, 'Point at a fact to see what it speaks of; press it to prove it again.');
  const entry = (fact) => {
    const point = () => {
      board?.show({ pointed: new Set(fact.spots) });
      said.textContent = fact.spots.length ? `It speaks of ${fact.spots.length} places.` : 'It speaks of the match as a whole.';
    };
    const leave = () => board?.show({});
    return h('li', {}, h('button', { class: 'plain', title: fact.formula, 'data-kind': fact.kind, onmouseenter: point, onfocus: point, onmouseleave: leave, onblur: leave, onclick: () => prove(fact.formula) }, fact.text));
  };
  return h('div', { class: board ? 'told-on-board' : null }, h('ul', { class: 'facts' }, list.map(entry)), board ? h('div', {}, board, said) : null);
}

async function randomPlay(game, colours) {
  const told = await ask('statistics', { game, count: 1000000 });
  const ends = told.roles.flatMap((role, at) => role.goals.map(({ goal, share }) => [`${role.role} ${goal}`, share, colours[at]]));
  const share = (words, value) => (value ? h('span', {}, `${words} ${value.value.toFixed(2)} %. `) : null);
  // Where few matches came, a mean says little.
  const plies = told.plies.filter(([, , matches]) => matches >= Math.min(20, told.sample)).map(([ply, moves]) => [ply, moves]);
  return [
    h('p', {}, `${short(told.games)} matches in ${told.seconds.toFixed(1)} s, ${told.length.toFixed(1)} steps each. `,
      told.first ? h('span', {}, `${told.first.role} begins and has ${told.first.advantage.toFixed(2)} % of the points. `) : null,
      told.draws?.count ? share('Drawn:', told.draws) : null, told.timeouts.count ? share('Broken off for their length:', told.timeouts) : null, told.stuck.count ? share('Somebody without a move:', told.stuck) : null),
    shares(ends),
    h('h3', {}, 'Steps of a match'), bars(told.lengths, 'Steps of a match'),
    plies.length > 1 ? [h('h3', {}, 'Moves to choose from, by step'), curve(plies, 'Moves to choose from')] : null,
    h('p', { class: 'quiet' }, told.states !== null ? `${short(told.states)} states can be reached.` : `At least ${short(told.estimate)} states are estimated to be reachable.`,
      ` The tree of the game has about 10^${told.complexity.toFixed(1)} lines.`),
  ];
}

async function goodPlay(game, colours) {
  const told = await ask('skill', { game });
  const contest = (words, one, paint) => (one && one.games
    ? [h('h3', {}, `${words}: ${one.games} matches`), shares([...one.wins.map(({ name, share }, at) => [`${name} wins`, share, paint?.[at]]), ['nobody alone', one.draws, null]])]
    : [h('h3', {}, words), h('p', { class: 'quiet' }, 'No match was finished in time.')]);
  const [weak, strong] = told.iterations;
  return [h('p', {}, `Ludex against itself, with ${weak} and with ${strong} games thought through for each move.`),
    contest('Both weak', told.weak, colours), contest('Both strong', told.strong, colours), told.mixed ? contest('Strong against weak', told.mixed, null) : null];
}

async function bestPlay(game) {
  const told = await ask('solve', { game });
  if (!told.solved) return h('p', { class: 'quiet' }, `Here ${told.why}.`);
  return [h('p', {}, `${short(told.states)} states, all visited. ${told.exact ? 'With best play' : 'By itself'}`),
    h('ul', {}, told.roles.map((role) => h('li', { 'data-solved': role.value ?? '' }, `${role.role} gets ${role.value ?? 'no end'}${role.depth === null ? '' : ` after ${role.depth} steps at most`}`,
      role.moves.some((move) => move.startsWith('(')) ? h('span', { class: 'quiet' }, ` by ${role.moves.slice(0, 4).map((move) => joint([move])).join(', ')}${role.moves.length > 4 ? ' and others' : ''}`) : null)))];
}

async function endings(game) {
  const told = await ask('endings', { game });
  if (!told.lists.length) return h('p', { class: 'quiet' }, told.why ?? 'Nothing is known of its ends.');
  const deepest = Math.max(...told.lists.map((list) => list.entries.length));
  const kinds = { reachable: 'can get its best', forced: 'can force its best' };
  return [h('p', {}, `${short(told.entries)} descriptions of states near the end, to depth ${told.depth}${told.complete ? '; nothing lies beyond' : ''}.`,
    told.stop ? h('span', { class: 'quiet' }, ` Ended by a limit: ${told.stop}.`) : null),
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Descriptions by depth' }, h('table', {},
      h('thead', {}, h('tr', {}, h('th', {}, 'Moves left'), Array.from({ length: deepest }, (_, depth) => h('th', { class: 'number' }, String(depth))))),
      h('tbody', {}, told.lists.map((list) => h('tr', {}, h('th', { scope: 'row' }, `${list.role} ${kinds[list.kind] ?? list.kind}`),
        list.entries.map((entries) => h('td', { class: 'number' }, short(entries)))))))),
    ...told.lists.filter((list, at) => list.example && told.lists.findIndex((other) => other.role === list.role) === at).slice(0, 2).map((list) => h('p', { class: 'quiet' }, `${list.role} has its best where ${list.example}`))];
}

async function engines(game) {
  const told = await ask('engines', { game });
  const most = Math.max(1, ...told.engines.map((engine) => engine.speed ?? 0));
  return [h('p', {}, `${told.rules} rules, ${short(told.fluents)} fluents, ${told.moves.map(short).join(' and ')} moves, ${told.gates === null ? told.why : `a network of ${short(told.gates)} gates`}`),
    h('table', { class: 'engines' }, h('tbody', {}, told.engines.map((engine) => {
      const bar = h('div', { class: 'bar' }, h('div'));
      bar.firstChild.style.width = `${(100 * Math.log10(1 + (engine.speed ?? 0))) / Math.log10(1 + most)}%`;
      return h('tr', { title: engine.about }, h('th', { scope: 'row' }, engine.engine), h('td', { class: 'wide' }, engine.speed ? bar : h('span', { class: 'quiet' }, engine.why)),
        h('td', { class: 'number' }, engine.speed ? `${short(engine.speed)} moves a second` : ''));
    }))), h('p', { class: 'quiet' }, 'Bars grow with the logarithm.')];
}

async function relations(game) {
  const told = await ask('graph', { game });
  if (!told.nodes.length) return h('p', { class: 'quiet' }, `${told.relations} relations are more than a picture can show.`);
  return [h('p', { class: 'quiet' }, 'Each relation stands to the right of what it is computed from. Dashed lines are negations. Shaded relations depend on the state, framed ones on the moves as well.'), graph(told)];
}

export function understand(place, game) {
  if (!game) {
    place.replaceChildren(h('h1', {}, 'Understand a game'), h('p', {}, 'Choose one in the ', h('a', { href: '#/' }, 'gallery'), ' first.'));
    return () => {};
  }
  sessionStorage.setItem('game', game);
  const title = h('h1', {}, ' ');
  const formula = h('input', { class: 'formula', 'aria-label': 'A formula', placeholder: 'playable, or a formula such as persistence(cell(_,_,b))', spellcheck: 'false', autocapitalize: 'off' });
  const answers = h('div', { class: 'answers', 'aria-live': 'polite' });
  const button = h('button', { class: 'main', type: 'submit' }, 'Prove');
  const form = h('form', { class: 'row' }, formula, button);
  let roles = [];
  const prove = async (text) => {
    formula.value = text;
    button.disabled = true;
    answers.replaceChildren(h('p', { class: 'quiet working' }, 'Proving …'));
    form.scrollIntoView({ block: 'nearest' });
    try {
      const told = await ask('prove', { game, formula: text });
      answers.replaceChildren(answered(told, (line) => through(game, roles, line)));
    } catch (error) {
      answers.replaceChildren(h('pre', { role: 'alert' }, error.message));
    }
    button.disabled = false;
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    prove(formula.value.trim() || 'playable');
  });
  // The colours of the roles are those of the board.
  const colours = ask('card', { game }).then(({ scene }) => scene.colours, () => []);
  ask('rules', { game }).then((told) => {
    roles = told.roles;
    title.textContent = told.title || told.name;
  }, (error) => (title.textContent = error.message));
  // What is known at once is asked first: questions wait for one another.
  const told = part('Relations', () => relations(game), { wide: true });
  const proved = part('What is proved', () => facts(game, prove), { wide: true });
  const speeds = part('Engines', () => engines(game));
  place.replaceChildren(title,
    h('p', { class: 'links' }, h('a', { href: `#/play/new/${game}` }, 'Play'), h('a', { href: `#/play/watch/${game}` }, 'Watch'), h('a', { href: `#/write/${game}` }, 'Rules')),
    h('div', { class: 'parts' },
      h('section', { class: 'part wide' }, h('h2', {}, 'Ask'), form,
        h('p', { class: 'row' }, ['playable', 'well-formed', 'terminates', 'turn-taking'].map((name) => h('button', { class: 'plain', onclick: () => prove(name) }, name))), answers),
      proved,
      h('div', { class: 'flow' },
        part('Random play', async () => randomPlay(game, await colours)),
        part('Best play', () => bestPlay(game)),
        part('Good play', async () => goodPlay(game, await colours), { asked: 'Ludex plays itself for eight seconds, weak and strong: does skill pay, and whom?' }),
        part('Ends', () => endings(game)),
        speeds),
      told));
  return () => {};
}
