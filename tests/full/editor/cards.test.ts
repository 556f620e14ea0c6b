import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { call } from '../../support/client.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId, openFlow, openRow } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Nodes that say what they do, and a picker that finds them. */
const stage = useStage();

test('Does a card say what its node does, before and after a setting changes, and name its operator and id?', async () => {
  const flow = await openRow(stage);
  const summary = flow.node('first').locator('.weft-summary');
  await expect(summary).toHaveText('“Hello {input.name}”');
  await expect(flow.node('start').locator('.weft-summary')).toHaveText(`GET /${flow.id()}`);
  await expect(flow.node('first')).toHaveAccessibleName(/“Hello {input\.name}”/);
  await expect(flow.node('first').locator('[title]').first()).toHaveAttribute(
    'title',
    /text\.template · first/,
  );
  await flow.select('first');
  await flow.write('params.template', 'Bye');
  await expect(summary).toHaveText('“Bye”');
});

test('Are ports named only where a side has several?', async () => {
  const id = freshId();
  const cases = [{ name: 'big', when: '{{ input.n > 1 }}' }];
  await stage.putFlow({
    format: 1,
    id,
    nodes: { start: httpTrigger(`/${id}`), pick: { operator: 'logic.switch', params: { cases } } },
    edges: [{ from: 'start.out', to: 'pick.in' }],
  });
  const flow = await openFlow(stage, id);
  await expect(flow.node('start').locator('.weft-port-name')).toHaveCount(0);
  await expect(flow.node('pick').locator('.weft-port-name')).toHaveText(['default', 'big']);
});

test('Is the state of a run in the card, with the time and the number of items?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      list: { operator: 'core.map', params: { value: ['a', 'b', 'c'] } },
    },
    edges: [{ from: 'start.out', to: 'list.in' }],
  });
  const flow = await openFlow(stage, id);
  await call(stage.server, `/${id}`);
  await expect(flow.status('list')).toHaveText(/^OK.*3 items$/);
  const [card, state] = await Promise.all([
    flow.node('list').boundingBox(),
    flow.status('list').boundingBox(),
  ]);
  expect(state?.y).toBeGreaterThan(card?.y ?? Infinity);
  expect((state?.y ?? Infinity) + (state?.height ?? 0)).toBeLessThanOrEqual(
    (card?.y ?? 0) + (card?.height ?? 0),
  );
});

test('Do cards show less, but larger, as the view zooms out?', async () => {
  const flow = await openRow(stage);
  const title = flow.node('first').locator('.weft-title');
  const summary = flow.node('first').locator('.weft-summary');
  await flow.clickEmpty();
  await flow.key('0');
  await expect(flow.canvas).toHaveAttribute('data-zoom', 'full');
  await expect(summary).toBeVisible();
  const height = async (): Promise<number> => (await title.boundingBox())?.height ?? 0;
  const before = await height();
  const zoomTo = async (zoom: number): Promise<void> => {
    for (let i = 0; i < 20 && (await flow.viewport()).zoom > zoom; i++) {
      await flow.key('-');
      await flow.rest();
    }
  };
  await zoomTo(0.6);
  await expect(flow.canvas).toHaveAttribute('data-zoom', 'names');
  await expect(summary).toBeHidden();
  expect(await height()).toBeGreaterThan(before * 0.6);
  await zoomTo(0.34);
  await expect(flow.canvas).toHaveAttribute('data-zoom', 'blocks');
  await expect(title).toBeHidden();
  await expect(flow.node('first').locator('.weft-icon svg')).toBeVisible();
});

test('Convention 41: are the results of an edited node and of what follows it marked as out of date, with the reason?', async () => {
  const flow = await openRow(stage);
  const stale = (id: string) => flow.node(id).locator('[data-stale]');
  await call(stage.server, `/${flow.id()}?name=Ada`);
  await expect(flow.status('second')).toHaveText(/^OK/);
  await expect(flow.page.locator('[data-stale]')).toHaveCount(0);
  await flow.select('first');
  await flow.write('params.template', 'Bye {{ input.name }}');
  await expect(stale('first')).toHaveAttribute('title', 'Its settings were changed after this run.');
  await expect(stale('second')).toHaveAttribute(
    'title',
    /^“Template” before it was changed after this run\.$/,
  );
  await expect(stale('start')).toHaveCount(0);
  await expect(stale('lone')).toHaveCount(0);
  await flow.publish();
  await call(stage.server, `/${flow.id()}?name=Ada`);
  await expect(flow.page.locator('[data-stale]')).toHaveCount(0);
});

test('Does the picker begin with triggers on an empty canvas, take the exact name, and know words of other tools?', async () => {
  const id = freshId();
  await stage.putFlow({ format: 1, id, nodes: {}, edges: [] });
  const flow = await openFlow(stage, id);
  const offered = flow.picker.getByRole('option');
  const find = async (word: string): Promise<void> => {
    await flow.canvas.focus();
    await flow.key('N');
    await flow.picker.getByRole('combobox').fill(word);
  };
  await find('');
  await expect(offered.first()).toHaveAttribute('data-operator', /^trigger\./);
  await flow.key('Escape');
  await find('http request');
  await expect(offered.first()).toHaveAttribute('data-operator', 'trigger.http');
  await flow.key('Escape');
  await find('form');
  await flow.key('Enter');
  await expect.poll(() => flow.ids()).toEqual(['form']);
  for (const [word, operator] of [
    ['http request', 'http.request'],
    ['postgres', 'sql.query'],
    ['chatgpt', 'model.chat'],
    ['loop', 'data.for-each'],
  ] as const) {
    await find(word);
    await expect(offered.first()).toHaveAttribute('data-operator', operator);
    await flow.key('Escape');
  }
});

test('Do tabs of the browser name what they show?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    name: 'Order triage',
    nodes: { start: httpTrigger(`/${id}`) },
    edges: [],
  });
  const page = await stage.visit('/');
  await expect(page).toHaveTitle('Flows – Weft');
  for (const [path, title] of [
    [`/flows/${id}`, 'Order triage – Weft'],
    ['/runs', 'Runs – Weft'],
    ['/secrets', 'Secrets – Weft'],
    ['/chat', 'Chat – Weft'],
    ['/knowledge', 'Knowledge – Weft'],
  ] as const) {
    await page.goto(path);
    await expect(page).toHaveTitle(title);
  }
});

test('Convention 82: does a name of 200 characters break no bar, and does one with direction marks stay as it is written?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    name: 'Long '.repeat(40).trim(),
    nodes: { start: { ...httpTrigger(`/${id}`), name: 'user\u202etxt.exe' } },
    edges: [],
  });
  for (const width of [1440, 1280, 1024, 768]) {
    const flow = flowPage(await stage.visit(`/flows/${id}`, { viewport: { width, height: 800 } }));
    await flow.ready();
    expect((await flow.page.locator('header').first().boundingBox())?.height).toBeLessThanOrEqual(53);
    for (const button of await flow.page.locator('header').first().getByRole('button').all()) {
      const box = await button.boundingBox();
      if (!box) continue;
      expect(box.y + box.height).toBeLessThanOrEqual(53);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
    }
    await expect(flow.node('start').locator('.weft-title')).toHaveText('usertxt.exe');
  }
});
