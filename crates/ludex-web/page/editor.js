// A small editor: a text area over a layer that shows the same text in colour. The text area keeps everything that
// browsers know of writing (selection, undo, input methods, screen readers); the layer only paints.

import { h } from './dom.js';

const KEYWORDS = new Set(['role', 'init', 'true', 'next', 'legal', 'does', 'goal', 'terminal', 'base', 'input', 'distinct', 'not', 'or', 'and']);
const TOKENS = /(;[^\n]*|%[^\n]*)|(\?[^\s()]+)|([^\s()?;%,]+)|([()])|(\s+|.)/gu;

/** The text in pieces, each with what it is. */
function pieces(text) {
  const list = [];
  for (const match of text.matchAll(TOKENS)) {
    const [word, comment, variable, name, bracket] = match;
    const kind = comment ? 'comment' : variable ? 'variable' : name ? (KEYWORDS.has(name.toLowerCase()) ? 'keyword' : name === '<=' || name === ':-' ? 'arrow' : 'word') : bracket ? 'bracket' : '';
    list.push({ from: match.index, to: match.index + word.length, kind });
  }
  return list;
}

export function editor({ text, onChange, hover, complete }) {
  const area = h('textarea', { class: 'writing', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', 'aria-label': 'Rules', wrap: 'off' });
  const layer = h('pre', { class: 'painted', 'aria-hidden': 'true' });
  const tip = h('div', { class: 'tip', role: 'tooltip', hidden: true });
  const menu = h('ul', { class: 'menu', role: 'listbox', 'aria-label': 'Names', hidden: true });
  const root = h('div', { class: 'editor' }, layer, area, tip, menu);
  let findings = [];
  let waiting = 0;
  let offers = [];
  let chosen = 0;
  let from = 0;

  function paint() {
    const marks = findings.filter((finding) => finding.to >= finding.from);
    const out = [];
    const all = pieces(area.value);
    const edges = [...new Set(marks.flatMap(({ from: a, to: b }) => [a, Math.max(b, a + 1)]))].sort((a, b) => a - b);
    let next = 0;
    for (const piece of all) {
      let start = piece.from;
      while (next < edges.length && edges[next] <= start) next += 1;
      let edge = next;
      while (start < piece.to) {
        const end = edge < edges.length && edges[edge] < piece.to ? edges[edge++] : piece.to;
        const found = marks.find((mark) => mark.from <= start && start < Math.max(mark.to, mark.from + 1));
        const classes = [piece.kind, found && (found.error ? 'error' : 'warning')].filter(Boolean).join(' ');
        const words = area.value.slice(start, end);
        out.push(classes ? h('span', found ? { class: classes, 'data-from': found.from, 'data-to': found.to } : { class: classes }, words) : words);
        start = end;
      }
    }
    layer.replaceChildren(...out, '\n');
    scroll();
  }

  function scroll() {
    layer.scrollTop = area.scrollTop;
    layer.scrollLeft = area.scrollLeft;
  }

  /** Where a place of the text is on the page, measured on the painted layer. */
  function spot(offset) {
    const range = document.createRange();
    let left = offset;
    const walk = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      if (left <= node.length) {
        range.setStart(node, left);
        range.setEnd(node, left);
        const box = range.getBoundingClientRect();
        const outer = root.getBoundingClientRect();
        return { x: box.left - outer.left, y: box.bottom - outer.top };
      }
      left -= node.length;
    }
    return { x: 0, y: 0 };
  }

  function offsetAt(x, y) {
    area.style.pointerEvents = 'none';
    layer.style.pointerEvents = 'auto';
    const range = document.caretRangeFromPoint?.(x, y);
    area.style.pointerEvents = '';
    layer.style.pointerEvents = '';
    if (!range || !layer.contains(range.startContainer) || range.startContainer.nodeType !== Node.TEXT_NODE) return null;
    let sum = range.startOffset;
    const walk = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && node !== range.startContainer; node = walk.nextNode()) sum += node.length;
    return sum;
  }

  async function point(event) {
    const at = offsetAt(event.clientX, event.clientY);
    const found = findings.find((finding) => at !== null && finding.from <= at && at <= finding.to);
    const lines = found ? [found.message, found.hint].filter(Boolean) : at === null ? [] : ((await hover(area.value, at)) ?? []);
    tip.hidden = lines.length === 0;
    tip.replaceChildren(...lines.map((line) => h('p', {}, line)));
    const outer = root.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - outer.left, outer.width - 260)}px`;
    tip.style.top = `${event.clientY - outer.top + 16}px`;
  }

  async function offer() {
    const at = area.selectionStart;
    const before = area.value.slice(0, at);
    const word = before.match(/[^\s()]*$/)[0];
    const names = await complete(area.value, at);
    if (area.selectionStart !== at) return;
    offers = names.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()) && name !== word).slice(0, 8);
    from = at - word.length;
    chosen = 0;
    menu.hidden = offers.length === 0;
    if (menu.hidden) return;
    const place = spot(at);
    menu.style.left = `${Math.max(0, place.x)}px`;
    menu.style.top = `${place.y}px`;
    list();
  }

  function list() {
    menu.replaceChildren(...offers.map((name, at) => h('li', {
      role: 'option', 'aria-selected': at === chosen ? 'true' : 'false', onmousedown: (event) => { event.preventDefault(); chosen = at; accept(); },
    }, name)));
  }

  function accept() {
    const name = offers[chosen];
    menu.hidden = true;
    if (!name) return;
    area.setRangeText(name, from, area.selectionStart, 'end');
    changed();
  }

  function changed() {
    paint();
    onChange(area.value);
  }

  area.addEventListener('input', () => {
    changed();
    if (/[\w?]$/.test(area.value.slice(0, area.selectionStart))) offer();
    else menu.hidden = true;
  });
  area.addEventListener('scroll', scroll);
  area.addEventListener('blur', () => (menu.hidden = true));
  area.addEventListener('mousemove', (event) => {
    clearTimeout(waiting);
    tip.hidden = true;
    waiting = setTimeout(() => point(event), 250);
  });
  area.addEventListener('mouseleave', () => {
    clearTimeout(waiting);
    tip.hidden = true;
  });
  area.addEventListener('keydown', (event) => {
    if (event.ctrlKey && event.key === ' ') offer();
    else if (menu.hidden) return;
    else if (event.key === 'ArrowDown') chosen = (chosen + 1) % offers.length;
    else if (event.key === 'ArrowUp') chosen = (chosen + offers.length - 1) % offers.length;
    else if (event.key === 'Enter' || event.key === 'Tab') accept();
    else if (event.key === 'Escape') menu.hidden = true;
    else return;
    event.preventDefault();
    if (!menu.hidden) list();
  });
  area.value = text;
  paint();
  return {
    root,
    area,
    set findings(list) {
      findings = list;
      paint();
    },
    go(at) {
      area.focus();
      area.setSelectionRange(at, at);
      const line = area.value.slice(0, at).split('\n').length;
      area.scrollTop = Math.max(0, (line - 8) * parseFloat(getComputedStyle(area).lineHeight));
    },
  };
}
