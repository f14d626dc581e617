// Rules in an editor, with what is wrong underlined, and the board beside it.

import { ask } from './api.js';
import { beside, draw } from './board.js';
import { h, joint, notice } from './dom.js';
import { editor } from './editor.js';
import { answered, through } from './understand.js';

const EMPTY = `; A game of one move: take the coin.
(role robot)
(init (coin here))
(<= (legal robot (take ?place)) (true (coin ?place)))
(<= (next (coin gone)) (does robot (take here)))
(<= terminal (true (coin gone)))
(<= (goal robot 100) (true (coin gone)))
(<= (goal robot 0) (true (coin here)))
`;

export function write(place, game) {
  let text = EMPTY;
  let timer = 0;
  let asked = 0;
  let roles = [];
  const findings = h('ol', { class: 'findings', 'aria-label': 'Findings' });
  const board = h('div', { class: 'board-place' });
  const aside = h('div', { class: 'beside' });
  const said = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' }, ' ');
  const answers = h('div', { class: 'answers' });
  const steps = h('div', { class: 'row' });
  const holder = h('div', { class: 'editor-place' }, h('p', { class: 'quiet' }, 'Loading'));
  const begin = async () => {
    try {
      const { id } = await ask('paste', { text });
      location.hash = `#/play/new/${id}`;
    } catch (error) {
      notice(error.message);
    }
  };
  const file = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    h('a', { href: url, download: 'game.kif' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  place.replaceChildren(h('h1', { class: 'unseen' }, 'Write'), h('div', { class: 'writing-table' },
    h('div', {}, holder, findings),
    h('div', {}, h('div', { class: 'row' }, h('button', { onclick: playtest }, 'Random match'), h('button', { onclick: () => prove('well-formed') }, 'Well-formed?'), h('button', { onclick: begin }, 'Play'), h('button', { onclick: file }, 'Download')),
      said, board, steps, aside, answers)));

  function show(scene) {
    board.replaceChildren(draw(scene, { label: 'the first position' }));
    aside.replaceChildren(...beside(scene).filter(Boolean));
  }

  async function check() {
    const number = (asked += 1);
    try {
      const told = await ask('check', { text });
      if (number !== asked) return;
      writing.findings = told.findings;
      findings.replaceChildren(...told.findings.slice(0, 50).map((finding) => h('li', { class: finding.error ? 'error' : 'warning' },
        h('button', { class: 'plain', onclick: () => writing.go(finding.from) }, finding.message), finding.hint ? h('span', { class: 'quiet' }, ' ' + finding.hint) : null)));
      if (!told.plays) {
        said.textContent = 'The rules have errors; the board shows the last that had none.';
        return;
      }
      const drawn = await ask('draw', { text });
      if (number !== asked) return;
      said.textContent = told.findings.length ? '' : 'Nothing is wrong with these rules.';
      roles = drawn.roles;
      steps.replaceChildren();
      show(drawn.scene);
    } catch (error) {
      if (number === asked) said.textContent = error.message;
    }
  }

  async function playtest() {
    try {
      const told = await ask('playtest', { text, seed: Math.floor(Math.random() * 1e9) });
      let at = told.steps.length - 1;
      const range = h('input', { type: 'range', min: 0, max: at, value: at, 'aria-label': 'Step of the random match' });
      const words = h('span', { class: 'quiet' });
      const look = () => {
        at = Number(range.value);
        show(told.steps[at].scene);
        const end = told.end.over ? `over: ${told.roles.map((role, number) => `${role} ${told.end.goals[number] ?? 'none'}`).join(', ')}` : told.end.stuck ? `${told.end.stuck} has no legal move` : 'cut here';
        words.textContent = (at ? `step ${at}: ${joint(told.steps[at].moves)}` : 'start') + (at === told.steps.length - 1 ? ` · ${end}` : '');
      };
      range.addEventListener('input', look);
      steps.replaceChildren(range, words);
      look();
    } catch (error) {
      said.textContent = error.message;
    }
  }

  async function prove(formula) {
    answers.replaceChildren(h('p', { class: 'quiet' }, 'Proving'));
    try {
      const told = await ask('prove', { text, formula });
      const play = async (line) => {
        const { id } = await ask('paste', { text });
        await through(id, roles, line);
      };
      answers.replaceChildren(answered(told, (line) => play(line).catch((error) => notice(error.message))));
    } catch (error) {
      answers.replaceChildren(h('pre', { role: 'alert' }, error.message));
    }
  }

  let writing = { findings: [], go() {} };
  const start = (rules) => {
    text = rules;
    writing = editor({
      text,
      onChange(value) {
        text = value;
        clearTimeout(timer);
        timer = setTimeout(check, 60);
      },
      hover: async (value, at) => (await ask('hover', { text: value, at }).catch(() => null))?.lines,
      complete: async (value, at) => (await ask('complete', { text: value, at }).catch(() => null))?.names ?? [],
    });
    holder.replaceChildren(writing.root);
    check();
  };
  if (game) ask('rules', { game }).then((told) => start(told.text), (error) => { notice(error.message); start(EMPTY); });
  else start(EMPTY);
  return () => clearTimeout(timer);
}
