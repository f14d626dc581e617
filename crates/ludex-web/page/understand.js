// What is known of a game: facts, formulas and their answers, random play, best play, engines.

import { ask } from './api.js';
import { h, joint, short } from './dom.js';
import { bars } from './plot.js';

/** A part that loads by itself, and says so. */
function part(title, load) {
  const body = h('div', { class: 'body' }, h('p', { class: 'quiet' }, 'Working'));
  load().then(
    (content) => body.replaceChildren(...[content].flat().filter(Boolean)),
    (error) => body.replaceChildren(h('p', { class: 'quiet' }, error.message)));
  return h('section', { class: 'part' }, h('h2', {}, title), body);
}

/** The answer to a formula, with a match to play through where it fails. */
export function answered(told, begin) {
  const answer = h('div', { class: `answer ${told.answer}`, 'data-answer': told.answer },
    h('p', {}, h('b', {}, told.answer), ' ', told.how, h('span', { class: 'quiet' }, ` · ${told.seconds.toFixed(2)} s`)));
  if (told.line) {
    answer.append(h('p', { class: 'quiet' }, told.line.map(joint).join(' · ') || 'in the first position'),
      h('button', { class: 'main', onclick: () => begin(told.line) }, 'Play it through'));
  }
  return answer;
}

/** A new match of persons that stands before the first move of a line. */
export async function through(game, roles, line) {
  const seats = roles.map(() => 'person');
  const { id } = await ask('new', { game, seats, line, at: 0 });
  location.hash = `#/play/${id}`;
}

export function understand(place, game) {
  if (!game) {
    place.replaceChildren(h('p', {}, 'Choose a game in the ', h('a', { href: '#/' }, 'gallery'), ' first.'));
    return () => {};
  }
  sessionStorage.setItem('game', game);
  const title = h('h1', {}, ' ');
  const formula = h('input', { class: 'formula', 'aria-label': 'A formula', placeholder: 'persistence(cell(_,_,b))', spellcheck: 'false' });
  const answers = h('div', { class: 'answers' });
  const button = h('button', { class: 'main', type: 'submit' }, 'Prove');
  const form = h('form', { class: 'row' }, formula, button);
  let roles = [];
  const prove = async (text) => {
    formula.value = text;
    button.disabled = true;
    answers.replaceChildren(h('p', { class: 'quiet' }, 'Proving'));
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
    prove(formula.value.trim() || formula.placeholder);
  });
  const rules = ask('rules', { game });
  rules.then((told) => {
    roles = told.roles;
    title.textContent = told.title || told.name;
  }, (error) => (title.textContent = error.message));
  place.replaceChildren(title,
    h('p', { class: 'links' }, h('a', { href: `#/play/new/${game}` }, 'Play'), ' ', h('a', { href: `#/write/${game}` }, 'Rules')),
    h('div', { class: 'parts' },
      h('section', { class: 'part' }, h('h2', {}, 'Ask'), form,
        h('p', { class: 'row' }, ['playable', 'well-formed', 'terminates'].map((name) => h('button', { class: 'plain', onclick: () => prove(name) }, name))), answers),
      part('Facts', async () => {
        const { facts } = await ask('facts', { game });
        if (!facts.length) return h('p', { class: 'quiet' }, 'Nothing was found that could be proved.');
        return h('ul', { class: 'facts' }, facts.map((fact) => h('li', {}, h('button', { class: 'plain', title: fact.formula, onclick: () => prove(fact.formula) }, fact.text))));
      }),
      part('Random play', async () => {
        const told = await ask('statistics', { game, count: 1000000 });
        const rows = told.roles.flatMap((role) => role.goals.map((goal) => h('tr', {},
          h('td', {}, role.role), h('td', { class: 'number' }, String(goal.goal)),
          h('td', { class: 'number' }, `${((100 * goal.count) / told.playouts).toFixed(2)} %`),
          h('td', { class: 'number quiet' }, `${goal.low.toFixed(2)} to ${goal.high.toFixed(2)}`))));
        return [
          h('p', {}, `${short(told.playouts)} matches in ${told.seconds.toFixed(2)} s; ${told.length.toFixed(1)} steps each; `,
            told.roles.map((role) => `${role.role} gets ${role.mean === null ? 'nothing' : role.mean.toFixed(2)}`).join(', ')),
          h('table', {}, h('thead', {}, h('tr', {}, ['role', 'goal', 'share', '95 %'].map((word) => h('th', {}, word)))), h('tbody', {}, rows)),
          h('h3', {}, 'Steps'), bars(told.lengths, 'Steps of a match'),
          h('h3', {}, 'Moves to choose from'), bars(told.choices, 'Moves to choose from'),
          h('p', { class: 'quiet' }, `The plots are of ${short(told.sampled)} matches.`),
        ];
      }),
      part('Best play', async () => {
        const told = await ask('solve', { game });
        if (!told.solved) return h('p', { class: 'quiet' }, told.why);
        return [h('p', {}, `${short(told.states)} states. ${told.exact ? 'With best play' : 'By itself'}:`),
          h('ul', {}, told.roles.map((role) => h('li', { 'data-solved': role.value ?? '' }, `${role.role} gets ${role.value ?? 'no end'}${role.depth === null ? '' : ` after ${role.depth} steps at most`}`)))];
      }),
      part('Engines', async () => {
        const told = await ask('engines', { game });
        return [h('p', {}, `${told.rules} rules, ${short(told.fluents)} fluents, ${told.moves.map(short).join(' and ')} moves, ${told.gates === null ? told.why : `${short(told.gates)} gates`}`),
          h('table', {}, h('tbody', {}, told.engines.map((engine) => h('tr', {}, h('td', {}, engine.engine), h('td', { class: 'number' }, engine.speed ? `${short(engine.speed)} moves a second` : ''), h('td', { class: 'quiet' }, engine.why ?? engine.about)))))];
      })));
  return () => {};
}
