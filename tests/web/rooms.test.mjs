// The other rooms, what all rooms promise, and figures: with every change, under a minute.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AXE, ROOT, SHOTS, Server, close, gameOf, match, open, underlined, write } from './help.mjs';

const server = new Server();
before(() => server.start());
after(async () => {
  await close();
  await server.end();
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

test('facts are shown on the board, proofs have lemmas, and relations are a graph', { timeout: 90000 }, async () => {
  const page = await open(server);
  await page.goto(`${server.origin}/#/understand/${await gameOf(page, 'tictactoe')}`);
  await page.locator('.facts [data-kind="exactly-one"]', { hasText: 'cell' }).first().hover({ timeout: 30000 });
  await page.waitForFunction(() => document.querySelectorAll('.board .pointed').length === 9);
  await page.locator('.facts [data-kind="constant-sum"]').hover();
  await page.waitForFunction(() => document.querySelectorAll('.board .pointed').length === 0);
  // Not inductive by itself: that both have a line needs lemmas.
  await page.locator('.facts [data-kind="exactly-one"]', { hasText: 'cell' }).first().click();
  await page.waitForSelector('[data-answer="holds"]', { timeout: 30000 });
  await page.waitForSelector('.relation');
  const columns = await page.locator('.relation').evaluateAll((all) => all.map((one) => [one.querySelector('title').textContent.split(':')[0], one.transform.baseVal.consolidate().matrix.e]));
  const at = Object.fromEntries(columns);
  assert.ok(at['true/1'] < at['line/1'] && at['line/1'] < at['terminal/0'] && at['line/1'] < at['goal/2'], JSON.stringify(at));
  await page.waitForSelector('[data-solved="50"]', { timeout: 30000 });
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('a sheet is pasted, and a text that is none is opened where it can be mended', async () => {
  const page = await open(server);
  const paste = (text) => page.evaluate((words) => {
    const data = new DataTransfer();
    data.setData('text/plain', words);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, text);
  await page.waitForSelector('.card');
  await paste('no rules at all (');
  await page.waitForFunction(() => document.querySelector('#notice').textContent.includes('error'));
  await page.waitForFunction(() => document.querySelector('.editor')?.shadowRoot.querySelector('.cm-lintRange-error')?.textContent.includes('('));
  await page.goto(`${server.origin}/#/`);
  await page.waitForSelector('.card h2[title]');
  await paste('; One step\n(role solo) (init here) (<= (legal solo (go there)) (true here)) (<= (legal solo (go away)) (true here)) (<= (next there) (does solo (go there))) (<= (next gone) (does solo (go away))) (<= terminal (not (true here))) (<= (goal solo 100) (true there)) (<= (goal solo 0) (not (true there)))');
  await page.waitForSelector('.buttons button');
  await page.getByRole('button', { name: 'go there' }).click();
  await page.waitForFunction(() => document.querySelector('.status').textContent === 'Over: solo 100');
  await page.context().close();
});

test('a finding is underlined where `ludex check` has it', async () => {
  const page = await open(server);
  await page.goto(`${server.origin}/#/write/${await gameOf(page, 'tictactoe')}`);
  await page.waitForSelector('.board .spot');
  const broken = '(role x)\n(init (cell 1))\n(<= (legal x (mark ?n)) (true (cell ?m)))\n(<= terminal (true (cell 2)))\n(goal x 100)\n';
  // From the change of the text until the line is there, as the page sees it.
  await page.evaluate(() => {
    const content = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
    content.addEventListener('paste', () => (window.began = performance.now()), { capture: true });
    new MutationObserver(() => {
      if (content.querySelector('.cm-lintRange-error')) window.shown ??= performance.now() - window.began;
    }).observe(content, { childList: true, subtree: true, attributes: true });
  });
  await write(page, broken);
  await page.waitForSelector('.editor .cm-lintRange-error');
  console.log(`finding shown after ${Math.round(await page.evaluate(() => window.shown))} ms`);
  const [{ from, to }] = (await underlined(page)).filter(({ error }) => error);
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
  assert.deepEqual(page.complaints, [], 'the policy of the page lets the editor work');
  await page.context().close();
});

test('the editor says what a name is, completes it, undoes, lays out, and lets go of the tabulator', async () => {
  const page = await open(server);
  await page.goto(`${server.origin}/#/write/${await gameOf(page, 'tictactoe')}`);
  await page.waitForSelector('.board .spot');
  const content = page.locator('.editor .cm-content');
  await write(page, '(role x)\n(init (cell 1 b))\n(<= (legal x (mark ?n)) (true (cell ?n b)))\n(<= (next (cell 1 x)) (does x (mark 1)))\n(<= terminal (true (cell 1 x)))\n(goal x 100)\n');
  await page.waitForFunction(() => document.querySelectorAll('.board .spot').length < 9);
  const [x, y] = await content.evaluate((element) => {
    const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let node = walk.nextNode();
    while (!node.data.includes('cell')) node = walk.nextNode();
    const range = document.createRange();
    range.setStart(node, node.data.indexOf('cell'));
    range.setEnd(node, node.data.indexOf('cell') + 4);
    const box = range.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  });
  await page.mouse.move(x, y, { steps: 3 });
  await page.waitForSelector('.told');
  assert.match(await page.locator('.told').innerText(), /cell/);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('(<= (legal x noop) (true (ce');
  await page.waitForSelector('.cm-tooltip-autocomplete li');
  assert.match(await page.locator('.cm-tooltip-autocomplete').innerText(), /cell/);
  // What is offered is not taken by a key that came before one could have read it.
  await page.waitForTimeout(120);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-content').innerText.includes('(true (cell'));
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => !document.querySelector('.editor').shadowRoot.querySelector('.cm-content').innerText.includes('noop) (true (cell'));
  await write(page, '(role x)   (init   (cell 1 b))');
  await page.getByRole('button', { name: 'Lay out' }).click();
  await page.waitForFunction(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-content').innerText.includes('(init (cell 1 b))'));
  await content.focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.ok(!(await page.evaluate(() => document.activeElement.closest('.editor'))), 'the tabulator leads out');
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('what is being written is there again, and can be discarded', async () => {
  const page = await open(server);
  const game = await gameOf(page, 'nim');
  const text = () => page.evaluate(() => document.querySelector('.editor')?.shadowRoot.querySelector('.cm-content').innerText ?? '');
  await page.goto(`${server.origin}/#/write/${game}`);
  await page.waitForSelector('.board .spot');
  await write(page, '(role somebody)');
  await page.getByRole('button', { name: 'Discard changes' }).waitFor();
  await page.goto(`${server.origin}/#/understand/${game}`);
  await page.waitForSelector('.part');
  await page.goto(`${server.origin}/#/write/${game}`);
  await page.waitForFunction(() => document.querySelector('.editor')?.shadowRoot.querySelector('.cm-content').innerText.includes('somebody'));
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForSelector('.board .spot');
  assert.ok(!(await text()).includes('somebody'));
  assert.equal(await page.getByRole('button', { name: 'Discard changes' }).count(), 0);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('a counterexample runs on the board beside the rules', async () => {
  const page = await open(server);
  await page.goto(`${server.origin}/#/write/${await gameOf(page, 'tictactoe')}`);
  await page.waitForSelector('.board .spot');
  await page.fill('.side .formula', 'forall X, Y: not true(cell(X,Y,o))');
  await page.getByRole('button', { name: 'Prove' }).click();
  await page.waitForSelector('[data-answer="fails"]', { timeout: 30000 });
  await page.getByRole('button', { name: 'Play it through' }).click();
  await page.waitForSelector('.walked');
  assert.equal(await page.locator('.board .mark').count(), 0);
  for (const marks of [1, 2]) {
    await page.getByRole('button', { name: 'One step on' }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.board .mark').length === count, marks);
  }
  await page.getByRole('button', { name: 'Random match' }).click();
  await page.waitForFunction(() => document.querySelector('.walked').textContent.includes('over'));
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
