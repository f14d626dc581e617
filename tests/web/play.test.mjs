// Matches on the page, with every change: under a minute.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SHOTS, Player, Server, ask, clickToTheEnd, close, gameOf, match, open, replay } from './help.mjs';

const server = new Server();
before(() => server.start());
after(async () => {
  await close();
  await server.end();
});

for (const game of ['tictactoe', 'nim', 'connectfour']) {
  test(`${game} is played to the end by clicks, and its record replays`, async () => {
    const page = await open(server);
    const id = await match(page, server, game);
    await clickToTheEnd(page, 7);
    assert.match(await replay(page, id, game), /no difference|0 differences|agree/i);
    await page.screenshot({ path: join(SHOTS, `${game}.png`) });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

test('two tabs see the same match, a reload resumes, and undo and redo go back and forth', async () => {
  const page = await open(server);
  const id = await match(page, server, 'tictactoe');
  const other = await page.context().newPage();
  await other.goto(`${server.origin}/#/play/${id}`);
  await other.waitForSelector('.board .target');
  await page.locator('.board .target').first().click();
  await other.waitForFunction(() => document.querySelectorAll('.board .mark').length === 1);
  await other.locator('.board .target').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 2);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await other.waitForFunction(() => document.querySelectorAll('.board .mark').length === 1);
  await other.getByRole('button', { name: 'Redo' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 2);
  await page.context().close();
});

test('a server that was killed has all matches when it is started again', async () => {
  const own = await new Server().start();
  const page = await open(own);
  const id = await match(page, own, 'tictactoe');
  await page.locator('.board .target').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 1);
  await own.kill();
  await own.start();
  await page.waitForFunction(() => document.querySelectorAll('.board .target').length === 8, null, { timeout: 15000 });
  await page.locator('.board .target').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 2);
  await page.context().close();
  await own.end();
});

test('Ludex answers, and a whole match is played by keys', async () => {
  const page = await open(server);
  await match(page, server, 'tictactoe', ['person', 'ludex']);
  for (let moves = 0; moves < 5; moves += 1) {
    const over = await page.waitForFunction(() => {
      const words = document.querySelector('.status').textContent;
      return (words.startsWith('Over') && 'over') || (words.includes('to move') && document.querySelector('.board .target') && 'move');
    }, null, { timeout: 20000 });
    if ((await over.jsonValue()) === 'over') break;
    // The board is one stop of the tabulator; arrows lead from square to square.
    await page.evaluate(() => document.querySelector('.board [tabindex="0"]').focus());
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowRight']) {
      if (await page.evaluate(() => document.activeElement.classList.contains('target'))) break;
      await page.keyboard.press(key);
    }
    const marks = await page.evaluate(() => document.querySelectorAll('.board .mark').length);
    await page.keyboard.press('Enter');
    await page.waitForFunction((before) => document.querySelectorAll('.board .mark').length > before, marks, { timeout: 20000 });
  }
  await page.waitForFunction(() => document.querySelector('.status').textContent.startsWith('Over'), null, { timeout: 20000 });
  const names = await page.locator('.board .spot').evaluateAll((spots) => spots.map((spot) => spot.getAttribute('aria-label')));
  assert.equal(names.length, 9);
  assert.ok(names.every((name) => name.startsWith('cell ')), names.join('; '));
  await page.context().close();
});

test('the engine finds the value that solving finds', async () => {
  const page = await open(server);
  const id = await match(page, server, 'tictactoe');
  await ask(page, 'set', { id, view: true });
  await page.waitForSelector('.figures[data-certain="yes"]', { timeout: 30000 });
  assert.equal(await page.getAttribute('.figures', 'data-value'), '50');
  const solved = await ask(page, 'solve', { game: await gameOf(page, 'tictactoe') });
  assert.deepEqual(solved.roles.map((role) => role.value), [50, 50]);
  await page.screenshot({ path: join(SHOTS, 'view.png') });
  await page.context().close();
});

test('pieces are dragged, going back opens a branch, and both lines stay', async () => {
  const page = await open(server);
  await match(page, server, 'breakthrough');
  const middle = async (column, row) => {
    const box = await page.locator(`.board .spot[data-column="${column}"][data-row="${row}"]`).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const steps = () => page.locator('.line > li').count();
  const drag = async (from, to, until) => {
    await page.mouse.move(...(await middle(...from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(...to)), { steps: 8 });
    await page.mouse.up();
    await page.waitForFunction((count) => document.querySelectorAll('.line > li').length === count, until);
  };
  const white = await page.locator('.board .target').first().evaluate((spot) => [Number(spot.dataset.column), Number(spot.dataset.row)]);
  const [column, row] = [3, white[1]];
  const onward = row > 3 ? row - 1 : row + 1;
  await drag([column, row], [column, onward], 2);
  // Let go where nothing can be: nothing happens.
  const before = await steps();
  const black = await page.locator('.board .target').first().evaluate((spot) => [Number(spot.dataset.column), Number(spot.dataset.row)]);
  await page.mouse.move(...(await middle(...black)));
  await page.mouse.down();
  await page.mouse.move(...(await middle(column, row)), { steps: 4 });
  await page.mouse.up();
  assert.equal(await steps(), before);
  assert.equal(await page.locator('.board .picked').count(), 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.querySelector('.line .here').textContent === 'Start');
  await drag([column + 2, row], [column + 2, onward], 2);
  await page.waitForSelector('.line .others');
  await page.locator('.line .others button').click();
  await page.waitForFunction(() => document.querySelectorAll('.line .others button').length === 1);
  await page.context().close();
});

test('a player at an address is an opponent, is told of the way back, and of the end', { timeout: 90000 }, async () => {
  const player = await new Player().start();
  const page = await open(server);
  const id = await match(page, server, 'tictactoe');
  await page.getByLabel('Who plays o').selectOption('player');
  await page.locator('.seat .address').fill(player.address);
  await page.locator('.seat .address').press('Enter');
  await page.locator('.board .target').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 2, null, { timeout: 30000 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 0);
  await page.locator('.board .target').nth(4).click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 2, null, { timeout: 30000 });
  await clickToTheEnd(page, 5);
  assert.match(await replay(page, id, 'tictactoe'), /no difference|0 differences|agree/i);
  const { record } = await ask(page, 'record', { id });
  assert.ok(record.includes(player.address), 'the record says who played');
  await player.end();
  // Nobody listens there any more: that is said, and nothing is invented.
  const next = await match(page, server, 'tictactoe');
  await ask(page, 'set', { id: next, seats: [`http://${player.address}`, 'person'] });
  await page.waitForFunction(() => document.querySelector('.status').textContent.includes('no player'), null, { timeout: 20000 });
  assert.equal(await page.locator('.line > li').count(), 1);
  await page.context().close();
});

test('who is late has a random move made, and a clock that nobody watches stands', { timeout: 60000 }, async () => {
  const page = await open(server);
  const id = await match(page, server, 'tictactoe');
  await ask(page, 'set', { id, limit: 1 });
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 1, null, { timeout: 20000 });
  await page.waitForFunction(() => document.querySelector('.status').textContent.includes('did not move in time'));
  await ask(page, 'set', { id, limit: 0 });
  const marks = await page.locator('.board .mark').count();
  await page.waitForTimeout(1500);
  assert.equal(await page.locator('.board .mark').count(), marks);
  await page.context().close();
});

test('two programs play while people watch, and the view says so when it is over', { timeout: 90000 }, async () => {
  const page = await open(server);
  const game = await gameOf(page, 'tictactoe');
  await page.goto(`${server.origin}/#/play/watch/${game}`);
  await page.waitForSelector('.seat select');
  const id = await page.evaluate(() => location.hash.split('/').pop());
  await ask(page, 'set', { id, clock: 0.1, view: true });
  await page.waitForFunction(() => document.querySelector('.status').textContent.startsWith('Over'), null, { timeout: 60000 });
  await page.waitForFunction(() => document.querySelector('.figures').textContent.includes('over'));
  // Perfect play of both is a draw, and values were noted on the way.
  assert.match(await page.textContent('.status'), /x 50, o 50/);
  assert.ok((await page.locator('.graph .point').count()) >= 4);
  await page.context().close();
});
