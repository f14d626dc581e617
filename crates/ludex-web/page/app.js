// The rooms, by what stands behind the number sign of the address.

import { h, notice } from './dom.js';
import { gallery } from './gallery.js';
import { play } from './play.js';
import { understand } from './understand.js';

/** The editor is more than half of what the page is made of, so it comes when it is wanted. */
function write(place, argument) {
  let leave = () => {};
  let left = false;
  place.replaceChildren(h('p', { class: 'quiet' }, 'Loading'));
  import('./write.js').then((room) => {
    if (!left) leave = room.write(place, argument);
  }, (error) => notice(error.message));
  return () => {
    left = true;
    leave();
  };
}

const rooms = { '': gallery, play, understand, write };

let leave = () => {};

function links(room, argument) {
  const game = room === 'understand' || room === 'write' ? argument : sessionStorage.getItem('game');
  const match = room === 'play' && !/^(new|watch)\//.test(argument) ? argument : sessionStorage.getItem('match');
  if (match) sessionStorage.setItem('match', match);
  const entries = [
    ['', 'Gallery', '#/'],
    ...(match ? [['play', 'Play', `#/play/${match}`]] : []),
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
