// What the server tells by itself. One stream for all matches that are looked at: browsers open few connections to one
// server, so all tabs share the stream of a worker where there are such workers.

/** Listens for many matches by one stream, which is opened again when the matches change or it breaks. */
export class Streams {
  constructor() {
    this.listeners = new Map();
    this.last = new Map();
    this.abort = null;
    this.pause = 0;
    this.soon = 0;
  }

  add(id, listener) {
    if (!this.listeners.has(id)) this.listeners.set(id, new Set());
    this.listeners.get(id).add(listener);
    const last = this.last.get(id);
    if (last && this.listeners.get(id).size > 1) listener(last.name, last.data);
    else this.reopen();
  }

  remove(id, listener) {
    const set = this.listeners.get(id);
    set?.delete(listener);
    if (set && set.size === 0) {
      this.listeners.delete(id);
      this.last.delete(id);
      this.reopen();
    }
  }

  reopen() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.open(), 5);
  }

  async open() {
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    const matches = [...this.listeners.keys()];
    if (matches.length === 0) return;
    try {
      const response = await fetch('/api/events', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ matches }),
        signal: abort.signal,
      });
      if (!response.ok) throw new Error(String(response.status));
      this.pause = 0;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const parts = (rest + value).split('\n\n');
        rest = parts.pop();
        parts.forEach((part) => this.event(part));
      }
    } catch {
      // Opened again below, unless somebody else has done so.
    }
    if (this.abort !== abort) return;
    this.pause = Math.min(this.pause + 300, 3000);
    for (const set of this.listeners.values()) set.forEach((listener) => listener('lost', null));
    setTimeout(() => this.abort === abort && this.open(), this.pause);
  }

  event(text) {
    const lines = text.split('\n');
    const name = lines.find((line) => line.startsWith('event: '))?.slice(7);
    const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
    if (!name || !data) return;
    const value = JSON.parse(data);
    if (name === 'match') this.last.set(value.id, { name, data: value });
    this.listeners.get(value.id)?.forEach((listener) => listener(name, value));
  }
}

let own = null;
let port = null;
const here = new Map();

function connect() {
  if (own || port) return;
  try {
    const policy = window.trustedTypes?.createPolicy('ludex', {
      createScriptURL: (url) => {
        if (url !== '/worker.js') throw new TypeError('only the worker of this page');
        return url;
      },
    });
    const worker = new SharedWorker(policy ? policy.createScriptURL('/worker.js') : '/worker.js', { type: 'module' });
    port = worker.port;
    port.onmessage = ({ data }) => here.get(data.id)?.forEach((listener) => listener(data.name, data.value));
    port.start();
    window.addEventListener('pagehide', () => port.postMessage({ leave: true }));
    setInterval(() => port.postMessage({ alive: true }), 20000);
  } catch {
    own = new Streams();
  }
}

/** Calls the listener with every event of a match, until the function that is returned is called. */
export function listen(id, listener) {
  connect();
  if (own) {
    own.add(id, listener);
    return () => own.remove(id, listener);
  }
  if (!here.has(id)) here.set(id, new Set());
  here.get(id).add(listener);
  port.postMessage({ add: id });
  return () => {
    here.get(id)?.delete(listener);
    if (here.get(id)?.size === 0) {
      here.delete(id);
      port.postMessage({ remove: id });
    }
  };
}
