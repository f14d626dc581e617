// Elements, made without markup: text that comes from rules is only ever text.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Shows a sentence for a while. */
let hiding = 0;
export function notice(text) {
  const place = document.getElementById('notice');
  place.textContent = text;
  place.classList.add('shown');
  clearTimeout(hiding);
  hiding = setTimeout(() => place.classList.remove('shown'), 6000);
}

/** A number with few digits. */
export function short(number) {
  if (number === null || number === undefined) return '–';
  if (number >= 1e6) return (number / 1e6).toFixed(number >= 1e7 ? 0 : 1) + ' M';
  if (number >= 1e4) return Math.round(number / 1e3) + ' k';
  return number >= 100 || Number.isInteger(number) ? String(Math.round(number)) : number.toFixed(1);
}

/** A move as people read it: without the outer parentheses. */
export function plain(move) {
  return move.startsWith('(') && move.endsWith(')') ? move.slice(1, -1) : move;
}

/** A joint move without those who only wait, where somebody does more. */
export function joint(moves) {
  const busy = moves.filter((move) => move.startsWith('('));
  return (busy.length ? busy : moves).map(plain).join(', ');
}

/** The class of a colour that the server names; nobody's has one, too. */
export function colour(name) {
  return name ? `c-${name}` : 'c-none';
}

/** Seconds as a clock shows them. */
export function time(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Hands a text to the reader as a file. */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
