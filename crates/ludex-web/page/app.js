// The rooms, by what stands behind the number sign of the address.

import { h, notice } from './dom.js';
import { gallery } from './gallery.js';
import { play } from './play.js';
import { understand } from './understand.js';
import { write } from './write.js';

const rooms = { '': gallery, play, understand, write };
let leave = () => {};

function links(room, argument) {
  const game = room === 'understand' || room === 'write' ? argument : sessionStorage.getItem('game');
  const entries = [
    ['', 'Gallery', '#/'],
    ['understand', 'Understand', game ? `#/understand/${game}` : '#/understand'],
    ['write', 'Write', game ? `#/write/${game}` : '#/write'],
  ];
  const nav = document.getElementById('rooms');
  nav.replaceChildren(...entries.map(([name, title, href]) =>
    h('a', { href, 'aria-current': room === name ? 'page' : null }, title)));
}

function open() {
  const [room = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  const argument = rest.length ? decodeURIComponent(rest.join('/')) : '';
  const place = document.getElementById('room');
  leave();
  leave = () => {};
  links(room, argument);
  const enter = rooms[room] ?? gallery;
  place.className = `room-${room || 'gallery'}`;
  try {
    leave = enter(place, argument) ?? (() => {});
  } catch (error) {
    notice(error.message);
  }
}

window.addEventListener('hashchange', open);
open();
