// The stream that all tabs of a browser share.

import { Streams } from './stream.js';

const streams = new Streams();
const tabs = new Set();

// A tab that has not been heard of for this long is gone, whatever it said last.
const SILENCE = 120000;

function leave(tab) {
  for (const [id, listener] of tab.matches) streams.remove(id, listener);
  tab.matches.clear();
  tabs.delete(tab);
}

self.onconnect = ({ ports: [port] }) => {
  const tab = { matches: new Map(), heard: Date.now() };
  tabs.add(tab);
  port.onmessage = ({ data }) => {
    tab.heard = Date.now();
    if (data.add && !tab.matches.has(data.add)) {
      const listener = (name, value) => port.postMessage({ id: data.add, name, value });
      tab.matches.set(data.add, listener);
      streams.add(data.add, listener);
    }
    if (data.remove && tab.matches.has(data.remove)) {
      streams.remove(data.remove, tab.matches.get(data.remove));
      tab.matches.delete(data.remove);
    }
    if (data.leave) leave(tab);
  };
};

setInterval(() => tabs.forEach((tab) => Date.now() - tab.heard > SILENCE && leave(tab)), 30000);
