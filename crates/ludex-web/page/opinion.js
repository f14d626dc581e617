// What the engine thinks of a position: a bar, its figures, the moves it looked at, and how it went so far.

import { colour, h, joint, plain, short } from './dom.js';
import { values as graph } from './plot.js';

/** Rows of the table, always as many, so that nothing jumps. */
const ROWS = 6;

/** The candidates with the best one first. */
function sorted(thought) {
  return [...thought.candidates].sort((a, b) => (b.move === thought.best) - (a.move === thought.best) || b.visits - a.visits);
}

/** What is expected of the best move, and whether it is certain. */
export function expected(thought) {
  const best = thought.candidates.find((candidate) => candidate.move === thought.best);
  if (!best) return null;
  return best.certain ? [best.certain.value, true] : best.value === null ? null : [best.value, false];
}

function worth(candidate) {
  if (candidate.certain) return `= ${candidate.certain.value}`;
  if (candidate.most !== null) return `≤ ${candidate.most}`;
  return candidate.value === null ? '–' : candidate.value.toFixed(1);
}

/** How much each move is thought of, from 0 to 1. */
function weights(thought) {
  const most = Math.max(1, ...thought.candidates.map((candidate) => candidate.visits));
  return thought.candidates.map((candidate) => [candidate, candidate.certain ? candidate.certain.value / 100 : candidate.visits / most]);
}

/** For the board: how good each spot is to choose after `picked`, and arrows for the best moves that go somewhere. */
export function overlay(thought, picked) {
  const heat = new Map();
  const arrows = [];
  const fits = (steps) => picked.every((spot, at) => Array.isArray(steps[at]) && steps[at].includes(spot));
  for (const [candidate, weight] of weights(thought)) {
    const steps = candidate.steps ?? [];
    if (!fits(steps)) continue;
    const step = steps[picked.length];
    if (Array.isArray(step)) step.forEach((spot) => heat.set(spot, Math.max(heat.get(spot) ?? 0, weight)));
    const path = steps.filter((one) => Array.isArray(one) && one.length === 1).map(([spot]) => spot);
    if (path.length > 1) arrows.push([path[0], path[path.length - 1], weight]);
  }
  arrows.sort((a, b) => b[2] - a[2]);
  return { heat, arrows: arrows.slice(0, 4).reverse() };
}

/** The panel's content. */
export function opinion(match, thought) {
  const about = thought && thought.at === match.at ? thought : null;
  const role = match.roles[about?.role ?? Math.max(0, match.roles.findIndex((one) => one.asked || one.thinks))];
  const list = about ? sorted(about) : [];
  const known = about ? expected(about) : null;
  const [value, certain] = known ?? [null, false];
  const bar = h('div', { class: 'bar', role: 'img', 'aria-label': value === null ? 'nothing is known yet' : `${role.name} expects ${Math.round(value)}` }, h('div', { class: colour(role.colour) }));
  bar.firstChild.style.width = `${match.over ? role.goal ?? 50 : value ?? 50}%`;
  const waits = match.roles.some((one) => one.legal > 1 && !one.in);
  const nothing = match.over ? 'The match is over; go back to see what was expected.' : match.stuck || !waits ? 'There is nothing to choose here.' : 'Preparing …';
  const figures = about
    ? `${role.name} expects ${value === null ? '–' : value.toFixed(certain ? 0 : 1)}${certain ? ' for certain' : ''} · ${short(about.playouts)} playouts, ${short(about.rate)} a second · ${about.engine ?? 'no engine yet'}${about.lanes ? ' with lanes' : ''}`
    : nothing;
  const rows = list.slice(0, ROWS).map((candidate) => h('tr', {},
    h('td', {}, plain(candidate.words ?? `move ${candidate.move}`)),
    h('td', { class: 'number' }, worth(candidate)),
    h('td', { class: 'number' }, candidate.visits ? short(candidate.visits) : '–')));
  while (rows.length < ROWS) rows.push(h('tr', {}, h('td', {}, ' '), h('td'), h('td')));
  return [bar,
    h('p', { class: 'quiet figures', 'data-value': value ?? '', 'data-certain': certain ? 'yes' : 'no' }, figures),
    h('table', { class: 'candidates' }, h('thead', {}, h('tr', {}, h('th', {}, 'Move'), h('th', { class: 'number' }, 'Value'), h('th', { class: 'number' }, 'Visits'))), h('tbody', {}, rows)),
    h('p', { class: 'quiet expected' }, about?.line.length ? 'Expected: ' + about.line.slice(0, 6).map(joint).join(' · ') : ' '),
    graph(match.line, match.roles, match.at)];
}
