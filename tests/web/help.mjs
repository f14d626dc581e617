// What all tests of the page share: a server of their own, a browser, and a player that only clicks.

import { spawn, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const require = createRequire(join(ROOT, 'target', 'web', 'package.json'));
const { chromium } = require('playwright-core');
export const AXE = require.resolve('axe-core/axe.min.js');
const PROGRAM = process.env.LUDEX_PROGRAM ?? join(ROOT, 'target', 'release', 'ludex');
export const SHOTS = join(ROOT, 'target', 'web', 'shots');
mkdirSync(SHOTS, { recursive: true });

export const sheets = [process.env.LUDEX_SHARED ?? join(ROOT, '..', 'shared')].map((shared) => join(shared, 'games')).find(existsSync);

/** A server on a free port that keeps its matches in a folder of its own. */
export class Server {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'ludex-web-'));
    this.token = 'token-of-the-browser-tests';
    this.port = 0;
  }

  async start(...more) {
    const words = ['web', '--port', String(this.port), '--keep', this.folder, '--token', this.token, ...more];
    this.process = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise((found, failed) => {
      let text = '';
      this.process.stdout.on('data', (data) => {
        text += data;
        if (text.includes('\n')) found(text);
      });
      this.process.on('exit', (status) => failed(new Error(`the server ended with ${status}`)));
    });
    this.address = line.match(/http:\S+/)[0];
    this.origin = new URL(this.address).origin;
    this.port = Number(new URL(this.address).port);
    return this;
  }

  async kill() {
    const ended = new Promise((done) => this.process.on('exit', done));
    this.process.kill('SIGKILL');
    await ended;
  }

  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let browser = null;
export async function open(server, options = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.LUDEX_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  await page.goto(server.address);
  return page;
}

/** A player of the protocol of General Game Playing that listens on a free port, by the program itself. */
export class Player {
  async start() {
    this.process = spawn(PROGRAM, ['player', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise((found, failed) => {
      let text = '';
      this.process.stdout.on('data', (data) => {
        text += data;
        if (text.includes('\n')) found(text);
      });
      this.process.on('exit', (status) => failed(new Error(`the player ended with ${status}`)));
    });
    this.address = line.match(/(127\.0\.0\.1|localhost):\d+/)[0];
    return this;
  }

  async end() {
    const ended = new Promise((done) => this.process.on('exit', done));
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** Puts a text into the editor as people do who have it elsewhere: all is selected, and the text pasted over it. */
export async function write(page, text) {
  const content = page.locator('.editor .cm-content');
  await content.focus();
  await page.keyboard.press('Control+a');
  await content.evaluate((element, words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', words);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** The underlined places of the editor: from, to, and whether it is an error. */
export function underlined(page) {
  return page.locator('.editor .cm-content').evaluate((content) => {
    const found = [];
    let at = 0;
    for (const line of content.querySelectorAll('.cm-line')) {
      const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const mark = node.parentElement.closest('.cm-lintRange');
        const last = found[found.length - 1];
        if (mark && last && last.to === at) last.to += node.length;
        else if (mark) found.push({ from: at, to: at + node.length, error: mark.classList.contains('cm-lintRange-error') });
        at += node.length;
      }
      at += 1;
    }
    return found;
  });
}

export async function close() {
  await browser?.close();
  browser = null;
}

/** A command, asked from inside the page. */
export function ask(page, command, values = {}) {
  return page.evaluate(async ([words]) => {
    const response = await fetch('/api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: words });
    return { status: response.status, ...(await response.json()) };
  }, [JSON.stringify({ command, ...values })]);
}

export async function gameOf(page, name) {
  const { games } = await ask(page, 'gallery');
  const found = games.find((game) => game.name === name);
  if (!found) throw new Error(`there is no game ${name}`);
  return found.id;
}

/** A new match between people at this page. */
export async function match(page, server, name, seats) {
  const game = await gameOf(page, name);
  const { roles } = await ask(page, 'rules', { game });
  const { id } = await ask(page, 'new', { game, seats: seats ?? roles.map((role) => (role === 'random' ? 'random' : 'person')), clock: 0.1 });
  await page.goto(`${server.origin}/#/play/${id}`);
  await page.waitForSelector('.seat select');
  return id;
}

/** A small random generator, so that a failure can be played again. */
function generator(seed) {
  let state = seed >>> 0;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** Clicks whatever can be clicked, spots before buttons, until the match is over; how many clicks it took. */
export async function clickToTheEnd(page, seed = 1, most = 3000) {
  const random = generator(seed);
  let clicks = 0;
  for (; clicks < most; clicks += 1) {
    const at = await page.waitForFunction(() => {
      const status = document.querySelector('.status')?.textContent ?? '';
      if (status.startsWith('Over')) return { over: true };
      if (!status.includes('to move')) return false;
      const spots = document.querySelectorAll('.board .target').length;
      const buttons = document.querySelectorAll('.buttons button:not(.plain)').length;
      return spots + buttons > 0 && { spots, buttons };
    }, null, { timeout: 30000, polling: 5 });
    const { over, spots, buttons } = await at.jsonValue();
    if (over) return clicks;
    const number = random(spots + buttons);
    const before = await page.evaluate(() => document.querySelector('.left').textContent + document.querySelectorAll('.picked').length);
    // A click as the browser makes it, at the place where the element is.
    const target = number < spots ? page.locator('.board .target').nth(number) : page.locator('.buttons button:not(.plain)').nth(number - spots);
    await target.click({ force: true });
    await page.waitForFunction((was) => {
      const status = document.querySelector('.status').textContent;
      return !status.endsWith('…') && document.querySelector('.left').textContent + document.querySelectorAll('.picked').length !== was;
    }, before, { timeout: 10000, polling: 5 }).catch(() => {});
  }
  throw new Error(`the match was not over after ${most} clicks`);
}

/** The saved record, replayed by the reference engine: every state, move and goal must be the same. */
export async function replay(page, id, game) {
  const { record } = await ask(page, 'record', { id });
  const folder = mkdtempSync(join(tmpdir(), 'ludex-record-'));
  const file = join(folder, 'record.json');
  writeFileSync(file, record);
  const { games } = await ask(page, 'gallery');
  const { from } = games.find(({ name }) => name === game);
  const sheet = from === 'folder' ? join(sheets, `${game}.kif`) : game;
  try {
    return execFileSync(PROGRAM, ['replay', sheet, file, '--engine', 'datalog'], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
