// Small plots as SVG.

import { s } from './dom.js';

/** What the engine expected for each role along the line. */
export function values(line, roles, at) {
  const [width, height] = [320, 80];
  const x = (step) => (line.length > 1 ? (step / (line.length - 1)) * (width - 8) + 4 : 4);
  const y = (value) => height - 4 - (value / 100) * (height - 8);
  const svg = s('svg', { class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'What the engine expected in each position' });
  svg.append(s('line', { class: 'axis', x1: 0, x2: width, y1: y(50), y2: y(50) }));
  const here = line.findIndex((step) => step.at === at);
  svg.append(s('line', { class: 'axis', x1: x(here), x2: x(here), y1: 0, y2: height }));
  roles.forEach((role, number) => {
    const known = line.map((step, index) => [index, step.values?.[number]]).filter(([, value]) => value);
    if (!known.length) return;
    svg.append(s('polyline', { class: `curve role${number % 6}`, points: known.map(([step, [value]]) => `${x(step)},${y(value)}`).join(' ') }));
    for (const [step, [value, certain]] of known) svg.append(s('circle', { class: `point role${number % 6}`, cx: x(step), cy: y(value), r: certain ? 3 : 1.5 }));
  });
  return svg;
}

/** Bars: pairs of a number and how often it was seen. */
export function bars(pairs, label) {
  const [width, height] = [320, 110];
  const low = Math.min(...pairs.map(([value]) => value));
  const high = Math.max(...pairs.map(([value]) => value));
  const count = Math.min(40, high - low + 1);
  const bins = new Array(count).fill(0);
  for (const [value, often] of pairs) bins[Math.min(count - 1, Math.floor(((value - low) / (high - low + 1)) * count))] += often;
  const most = Math.max(1, ...bins);
  const svg = s('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${label}: from ${low} to ${high}` });
  const step = (width - 8) / count;
  bins.forEach((often, at) => {
    const tall = (often / most) * (height - 24);
    svg.append(s('rect', { class: 'column', x: 4 + at * step, y: height - 18 - tall, width: Math.max(1, step - 1), height: tall }));
  });
  svg.append(s('text', { class: 'tick', x: 4, y: height - 4 }, String(low)), s('text', { class: 'tick end', x: width - 4, y: height - 4 }, String(high)));
  return svg;
}
