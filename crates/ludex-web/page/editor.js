// The editor of rules: CodeMirror (vendor/), with what the server knows of the language. It lives in a shadow root, where
// CodeMirror adopts its style sheets instead of writing style elements, which the page's policy forbids.

import {
  EditorState, EditorView, HighlightStyle, StreamLanguage, autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap,
  completionKeymap, defaultKeymap, drawSelection, dropCursor, highlightActiveLine, highlightSelectionMatches, highlightSpecialChars,
  history, historyKeymap, hoverTooltip, indentOnInput, keymap, lineNumbers, lintKeymap, search, searchKeymap, setDiagnostics,
  syntaxHighlighting, tags,
} from './vendor/codemirror.js';
import { h } from './dom.js';

const KEYWORDS = new Set(['role', 'init', 'true', 'next', 'legal', 'does', 'goal', 'terminal', 'base', 'input', 'distinct', 'not', 'or', 'and', 'sees']);

/** Colours only: in both notations a word is what stands between blanks, brackets and commas. */
const language = StreamLanguage.define({
  name: 'gdl',
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^[;%].*/)) return 'comment';
    if (stream.match(/^\?[^\s()]+/)) return 'variableName';
    if (stream.match(/^(<=|:-|<-|=>)/)) return 'operator';
    if (stream.match(/^[()]/)) return 'bracket';
    const word = stream.match(/^[^\s()?;%,]+/);
    if (word) return KEYWORDS.has(word[0].toLowerCase()) ? 'keyword' : 'name';
    stream.next();
    return null;
  },
  /** Two blanks for each bracket that is open. */
  indent(_, __, context) {
    const before = context.state.doc.sliceString(Math.max(0, context.pos - 5000), context.pos).replace(/[;%].*/g, '');
    let depth = 0;
    for (const letter of before) depth = letter === '(' ? depth + 1 : letter === ')' ? Math.max(0, depth - 1) : depth;
    return 2 * depth;
  },
  languageData: { commentTokens: { line: ';' }, closeBrackets: { brackets: ['('] } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.operator], color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.variableName, color: 'var(--variable)' },
  { tag: tags.bracket, color: 'var(--quiet)' },
]);

const underlined = (colour) => ({ backgroundImage: 'none', textDecoration: `underline wavy ${colour}`, textUnderlineOffset: '3px' });
const box = { background: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '8px', boxShadow: 'var(--shadow)' };
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', background: 'var(--card)', fontSize: '0.88rem', borderRadius: '9px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', lineHeight: '1.55', borderRadius: '9px' },
  '.cm-content': { padding: '0.7rem 0', caretColor: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { background: 'var(--card)', color: 'var(--quiet)', border: '0', paddingLeft: '0.4rem' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'color-mix(in srgb, var(--accent) 28%, transparent) !important' },
  '.cm-selectionMatch, .cm-searchMatch': { background: 'color-mix(in srgb, var(--accent) 18%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { background: 'color-mix(in srgb, var(--accent) 25%, transparent)' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', color: 'var(--error)' },
  '.cm-lintRange-error': underlined('var(--error)'),
  '.cm-lintRange-warning': underlined('var(--warning)'),
  '.cm-tooltip': box,
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'ui-monospace, monospace', fontSize: '0.85rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.6rem' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-diagnostic': { padding: '0.4rem 0.7rem', maxWidth: '30rem', whiteSpace: 'pre-wrap', borderLeft: '0' },
  '.cm-panels': { background: 'var(--card)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': { background: 'var(--card)', backgroundImage: 'none', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '6px' },
  '.told': { padding: '0.4rem 0.7rem', maxWidth: '30rem', maxHeight: '16rem', overflow: 'auto', fontFamily: 'system-ui, sans-serif' },
  '.told p': { margin: '0.2rem 0', whiteSpace: 'pre-wrap' },
});

/**
 * An editor of a text. `hover` tells what is at a place, in lines; `complete` the names that could be there; places are
 * counted as strings count them.
 */
export function editor({ text, onChange, hover, complete }) {
  const root = h('div', { class: 'editor' });
  const shadow = root.attachShadow({ mode: 'open' });
  const names = async (context) => {
    const word = context.matchBefore(/[^\s()]+/);
    if (!word && !context.explicit) return null;
    const options = await complete(context.state.doc.toString(), context.pos);
    return { from: word?.from ?? context.pos, options: options.map((label) => ({ label })), validFor: /^[^\s()]*$/ };
  };
  const tell = async (view, pos) => {
    const lines = await hover(view.state.doc.toString(), pos);
    if (!lines?.length) return null;
    const word = view.state.wordAt(pos);
    return { pos: word?.from ?? pos, end: word?.to, above: true, create: () => ({ dom: h('div', { class: 'told' }, lines.map((line) => h('p', {}, line))) }) };
  };
  const view = new EditorView({
    root: shadow,
    parent: shadow,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightSpecialChars(), history(), drawSelection(), dropCursor(), indentOnInput(), bracketMatching(), closeBrackets(),
        highlightActiveLine(), highlightSelectionMatches(), search({ top: true }), autocompletion({ override: [names], icons: false }),
        hoverTooltip(tell, { hoverTime: 250 }), language, syntaxHighlighting(colours), theme, EditorState.tabSize.of(2),
        // Tab leads out of the editor, as everywhere on the page: nobody who works by keys is caught in it.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': 'Rules', tabindex: '0', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false' }),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
      ],
    }),
  });
  return {
    root,
    /** What is underlined: places with a sentence, and whether it is an error. */
    set findings(list) {
      const end = view.state.doc.length;
      view.dispatch(setDiagnostics(view.state, list.map(({ from, to, error, message, hint }) => ({
        from: Math.min(from, end), to: Math.min(Math.max(to, from), end), severity: error ? 'error' : 'warning', message: hint ? `${message}\n${hint}` : message,
      }))));
    },
    go(at) {
      const place = Math.min(at, view.state.doc.length);
      view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: 'center' }) });
      view.focus();
    },
    /** Another text, which can be undone. */
    replace(other) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } });
    },
    destroy: () => view.destroy(),
  };
}
