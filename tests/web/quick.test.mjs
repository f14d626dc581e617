// What runs with every change: under a minute.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AXE, ROOT, SHOTS, Server, ask, clickToTheEnd, close, gameOf, match, open, replay } from './help.mjs';

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

test('a formula that fails is played through', async () => {
  const page = await open(server);
  await page.goto(`${server.origin}/#/understand/${await gameOf(page, 'tictactoe')}`);
  await page.fill('.formula', 'persistence(cell(_,_,b))');
  await page.getByRole('button', { name: 'Prove' }).click();
  await page.waitForSelector('[data-answer="fails"]', { timeout: 30000 });
  await page.screenshot({ path: join(SHOTS, 'understand.png'), fullPage: true });
  await page.getByRole('button', { name: 'Play it through' }).click();
  await page.waitForSelector('.board .target');
  assert.equal(await page.locator('.board .mark').count(), 0);
  await page.getByRole('button', { name: 'Redo' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.board .mark').length === 1);
  await page.context().close();
});

test('a finding is underlined where `ludex check` has it', async () => {
  const page = await open(server);
  await page.goto(`${server.origin}/#/write/${await gameOf(page, 'tictactoe')}`);
  await page.waitForSelector('.board .spot');
  const broken = '(role x)\n(init (cell 1))\n(<= (legal x (mark ?n)) (true (cell ?m)))\n(<= terminal (true (cell 2)))\n(goal x 100)\n';
  const began = Date.now();
  await page.fill('.writing', broken);
  await page.waitForSelector('.painted .error');
  console.log(`finding shown after ${Date.now() - began} ms`);
  const [from, to] = await page.locator('.painted .error').first().evaluate((mark) => [Number(mark.dataset.from), Number(mark.dataset.to)]);
  let told;
  try {
    told = execFileSync(join(ROOT, 'target', 'release', 'ludex'), ['check', '-', '--json'], { input: broken, encoding: 'utf8' });
  } catch (error) {
    told = error.stdout;
  }
  const [first] = JSON.parse(told).errors;
  const lines = broken.split('\n');
  const offset = lines.slice(0, first.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + first.column - 1;
  assert.equal(from, offset);
  assert.equal(broken.slice(from, to), '?n');
  await page.screenshot({ path: join(SHOTS, 'write.png') });
  await page.context().close();
});

test('no serious finding of axe in any room, light or dark, wide or narrow', async () => {
  for (const options of [{ viewport: { width: 1280, height: 900 } }, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }]) {
    const page = await open(server, { ...options, bypassCSP: true });
    const game = await gameOf(page, 'connectfour');
    const id = await match(page, server, 'connectfour');
    const width = options.viewport.width;
    for (const [name, room] of [['gallery', ''], ['play', `play/${id}`], ['understand', `understand/${game}`], ['write', `write/${game}`]]) {
      await page.goto(`${server.origin}/#/${room}`);
      await page.waitForTimeout(name === 'play' ? 300 : 900);
      await page.addScriptTag({ path: AXE });
      const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      await page.screenshot({ path: join(SHOTS, `${name}-${width}.png`) });
      assert.deepEqual(serious.map(({ id: rule, nodes }) => `${name} ${width}: ${rule}: ${nodes[0].html}`), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide at ${width}`);
    }
    await page.context().close();
  }
});

test('figures: first paint, and a click until the move is shown', async () => {
  const page = await open(server);
  await page.goto(server.origin);
  await page.waitForSelector('.card');
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  await match(page, server, 'connectfour');
  const times = [];
  for (let click = 0; click < 12; click += 1) {
    times.push(await page.evaluate(() => new Promise((done) => {
      const marks = () => document.querySelectorAll('.board .mark').length;
      const before = marks();
      const began = performance.now();
      const look = new MutationObserver(() => {
        if (marks() === before) return;
        look.disconnect();
        done(performance.now() - began);
      });
      look.observe(document.querySelector('.board-place'), { childList: true, subtree: true });
      const targets = document.querySelectorAll('.board .target');
      targets[Math.floor(targets.length / 2)].dispatchEvent(new MouseEvent('click', { bubbles: true }));
    })));
    await page.waitForSelector('.board .target');
  }
  times.sort((a, b) => a - b);
  console.log(`first paint ${Math.round(paint)} ms; click to move ${Math.round(times[6])} ms median, ${Math.round(times[11])} ms worst`);
  assert.equal(times.length, 12);
  await page.context().close();
});
