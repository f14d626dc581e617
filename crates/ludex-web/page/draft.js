// Rules that are being written, kept while the browser's tab is open: whoever looks into another room finds them again.

const key = (game) => `draft ${game ?? ''}`;

/** The text that was being written of a game, or of none; nothing if there is none. */
export function kept(game) {
  return sessionStorage.getItem(key(game));
}

/** Keeps a text; nothing stands for the rules as they were. A text that the browser has no room for is not kept. */
export function keep(game, text) {
  try {
    if (text === null) sessionStorage.removeItem(key(game));
    else sessionStorage.setItem(key(game), text);
  } catch {
    sessionStorage.removeItem(key(game));
  }
}
