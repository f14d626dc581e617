// Rules in an editor, with what is wrong underlined, and the board beside it.

import { ask } from './api.js';
import { beside, draw } from './board.js';
import { download, h, joint, notice } from './dom.js';
import { keep, kept } from './draft.js';
import { editor } from './editor.js';
import { answered } from './understand.js';

const EMPTY = `; A game of one move: take the coin.
(role robot)
(init (coin here))
(<= (legal robot (take ?place)) (true (coin ?place)))
(<= (next (coin gone)) (does robot (take here)))
(<= terminal (true (coin gone)))
(<= (goal robot 100) (true (coin gone)))
(<= (goal robot 0) (true (coin here)))
`;

/** How long nobody types before the rules are looked at, in milliseconds. */
const PAUSE = 60;

export function write(place, game) {
  let text = EMPTY;
  let timer = 0;
  let asked = 0;
  let writing = null;
  const findings = h('ol', { class: 'findings', 'aria-label': 'Findings' });
  const board = h('div', { class: 'board-place' });
  const aside = h('div', { class: 'beside' });
  const said = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' }, 'Reading the rules');
  const answers = h('div', { class: 'answers' });
  const steps = h('div', { class: 'row steps' });
  const holder = h('div', { class: 'editor-place' });
  const formula = h('input', { class: 'formula', 'aria-label': 'A formula', placeholder: 'well-formed', spellcheck: 'false', autocapitalize: 'off' });

  const press = (words, act, more = {}) => h('button', { type: 'button', onclick: () => act().catch((error) => notice(error.message)), ...more }, words);
  const discard = h('button', { type: 'button', class: 'plain', hidden: true }, 'Discard changes');
  place.replaceChildren(h('h1', { class: 'unseen' }, 'Write'), h('div', { class: 'writing-table' },
    h('div', {}, holder, findings),
    h('div', { class: 'side' },
      h('div', { class: 'row' }, press('Play', begin, { class: 'main' }), press('Random match', playtest), press('Lay out', layOut),
        press('Download', async () => download('game.kif', text, 'text/plain')), discard),
      said, board, steps, aside,
      h('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); prove(formula.value.trim() || formula.placeholder); } },
        formula, h('button', { type: 'submit' }, 'Prove')),
      answers)));

  async function begin() {
    const { id } = await ask('paste', { text });
    location.hash = `#/play/new/${id}`;
  }

  async function layOut() {
    const told = await ask('format', { text });
    if (told.text !== text) writing.replace(told.text);
  }

  function show(scene) {
    board.replaceChildren(draw(scene, { label: 'the position' }));
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
      said.textContent = told.findings.length ? 'The rules can be played; see below what is odd in them.' : 'Nothing is wrong with these rules.';
      steps.replaceChildren();
      show(drawn.scene);
    } catch (error) {
      if (number === asked) said.textContent = error.message;
    }
  }

  /** A match beside the rules: every position, by a slider and by buttons. */
  function walk(told, at) {
    const last = told.steps.length - 1;
    const range = h('input', { type: 'range', min: 0, max: last, value: at, 'aria-label': 'Step of the match' });
    const words = h('p', { class: 'quiet walked', 'aria-live': 'polite' });
    const end = told.end.over ? `over: ${told.roles.map((role, number) => `${role} ${told.end.goals[number] ?? 'none'}`).join(', ')}`
      : told.end.stuck ? `${told.end.stuck} has no legal move` : last === told.end.cut ? 'so far' : 'cut here';
    const look = () => {
      const here = Number(range.value);
      show(told.steps[here].scene);
      words.textContent = (here ? `Step ${here}: ${joint(told.steps[here].moves)}` : 'Start') + (here === last ? ` · ${end}` : '');
    };
    const go = (way) => () => {
      range.value = String(Number(range.value) + way);
      look();
    };
    range.addEventListener('input', look);
    steps.replaceChildren(h('button', { 'aria-label': 'One step back', onclick: go(-1) }, '‹'), range, h('button', { 'aria-label': 'One step on', onclick: go(1) }, '›'), words);
    look();
  }

  async function playtest() {
    const told = await ask('playtest', { text, seed: Math.floor(Math.random() * 1e9) });
    walk(told, told.steps.length - 1);
  }

  async function prove(words) {
    answers.replaceChildren(h('p', { class: 'quiet working' }, 'Proving …'));
    try {
      const told = await ask('prove', { text, formula: words });
      // A line that shows where the formula fails runs on the board beside the rules.
      answers.replaceChildren(answered(told, (line) => ask('line', { text, line }).then((walked) => walk(walked, 0), (error) => notice(error.message))));
    } catch (error) {
      answers.replaceChildren(h('pre', { role: 'alert' }, error.message));
    }
  }

  const start = (rules) => {
    const draft = kept(game);
    discard.hidden = draft === null || draft === rules;
    discard.onclick = () => writing.replace(rules);
    text = draft ?? rules;
    writing = editor({
      text,
      onChange(value) {
        text = value;
        keep(game, text === rules ? null : text);
        discard.hidden = text === rules;
        clearTimeout(timer);
        timer = setTimeout(check, PAUSE);
      },
      hover: async (value, at) => (await ask('hover', { text: value, at }).catch(() => null))?.lines,
      complete: async (value, at) => (await ask('complete', { text: value, at }).catch(() => null))?.names ?? [],
    });
    holder.replaceChildren(writing.root);
    check();
  };
  if (game) ask('rules', { game }).then((told) => start(told.text), (error) => { notice(error.message); start(EMPTY); });
  else start(EMPTY);
  return () => {
    clearTimeout(timer);
    writing?.destroy();
  };
}
