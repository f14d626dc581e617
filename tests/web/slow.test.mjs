// What takes longer: LUDEX_SLOW=1.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SHOTS, Server, ask, clickToTheEnd, close, gameOf, match, open, replay, sheets } from './help.mjs';

const slow = process.env.LUDEX_SLOW === '1';
const skip = slow ? false : 'NOT RUN: set LUDEX_SLOW=1';
const server = new Server();
before(async () => slow && (await server.start(...(sheets ? ['--games', sheets] : []))));
after(async () => {
  await close();
  if (slow) await server.end();
});

// A simultaneous game and one for three among them.
for (const game of ['breakthrough', 'checkers', 'reversi', 'hex', 'hanoi', 'pentago', 'pursuit', 'threeway']) {
  test(`${game} is played to the end by clicks, and its record replays`, { skip, timeout: 300000 }, async (context) => {
    const page = await open(server);
    const { games } = await ask(page, 'gallery');
    if (!games.some(({ name }) => name === game)) {
      context.skip(`NOT RUN: there is no sheet of ${game}`);
      return;
    }
    const id = await match(page, server, game);
    const clicks = await clickToTheEnd(page, 3);
    console.log(`${game}: ${clicks} clicks`);
    assert.match(await replay(page, id, game), /no difference|0 differences|agree/i);
    await page.screenshot({ path: join(SHOTS, `${game}.png`) });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

test('the engine finds the value of connectfour4x4 that solving finds', { skip, timeout: 300000 }, async () => {
  const page = await open(server);
  const id = await match(page, server, 'connectfour4x4');
  await ask(page, 'set', { id, view: true });
  await page.waitForSelector('.figures[data-certain="yes"]', { timeout: 120000 });
  const solved = await ask(page, 'solve', { game: await gameOf(page, 'connectfour4x4') });
  assert.equal(await page.getAttribute('.figures', 'data-value'), String(solved.roles[0].value));
  console.log(`connectfour4x4: ${solved.states} states, ${solved.roles[0].value}`);
  await page.context().close();
});

function memory() {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+)/)[1]) / 1024;
}

test('fifty tabs at once see one match', { skip, timeout: 300000 }, async () => {
  const page = await open(server);
  const id = await match(page, server, 'tictactoe');
  const tabs = [];
  for (let tab = 0; tab < 50; tab += 1) {
    const other = await page.context().newPage();
    await other.goto(`${server.origin}/#/play/${id}`);
    tabs.push(other);
  }
  for (const tab of tabs) await tab.waitForSelector('.board .target', { timeout: 60000 });
  await tabs[49].locator('.board .target').first().click();
  for (const tab of tabs) await tab.waitForFunction(() => document.querySelectorAll('.board .mark').length === 1);
  await page.context().close();
});

test('a thousand matches are refused beyond the limit, and memory stays flat', { skip, timeout: 300000 }, async () => {
  const page = await open(server);
  const game = await gameOf(page, 'tictactoe');
  const make = async (count) => {
    const statuses = {};
    for (let number = 0; number < count; number += 1) {
      const { status } = await ask(page, 'new', { game, seats: ['person', 'person'] });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  };
  await make(100);
  const before = memory();
  const made = await make(900);
  const after = memory();
  console.log(`memory ${before.toFixed(0)} MB after 100 matches, ${after.toFixed(0)} MB after 1,000: ${JSON.stringify(made)}`);
  assert.ok(made[429] >= 750 && (made[200] ?? 0) <= 100, JSON.stringify(made));
  assert.ok(after < before + 100, `${before} MB became ${after} MB`);
  await page.context().close();
});
