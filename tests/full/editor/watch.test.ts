import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { httpTrigger } from '../../support/flows.ts';
import { openRow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Values on the canvas. */
const stage = useStage();

const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const shown = (id: string) => ({
  flow: {
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      rows: {
        operator: 'core.map',
        params: {
          value:
            '{{ [{name: "Ada", age: 36}, {name: "Bo", age: 4}, {name: "Cy", age: 20}, {name: "Di", age: 8}] }}',
        },
      },
      text: { operator: 'text.template', params: { template: 'Hello you' } },
      count: { operator: 'core.map', params: { value: '{{ 42 }}' } },
      base: { operator: 'text.template', params: { template: DOT } },
      file: { operator: 'file.from-text', params: { name: 'dot.png', content: 'base64' } },
      end: { operator: 'core.respond', params: { body: 'done' } },
    },
    edges: [
      { from: 'start.out', to: 'rows.in' },
      { from: 'start.out', to: 'text.in' },
      { from: 'start.out', to: 'count.in' },
      { from: 'start.out', to: 'base.in' },
      { from: 'base.out', to: 'file.in' },
      { from: 'start.out', to: 'end.in' },
    ],
  },
  layout: {
    format: 1,
    nodes: {
      start: { x: 0, y: 0 },
      rows: { x: 300, y: 0 },
      text: { x: 600, y: 0 },
      count: { x: 0, y: 300 },
      base: { x: 300, y: 300 },
      file: { x: 600, y: 300 },
      end: { x: 900, y: 0 },
    },
  },
});

test('72. Does a watched node show its value on the canvas: text, number, table, picture, chart?', async () => {
  const flow = await openRow(stage, undefined, shown);
  const watch = (id: string) => flow.node(id).locator('[data-watch]');
  await flow.select('rows');
  await flow.key('w');
  await expect(watch('rows')).toContainText('shows the output of the next run');
  for (const id of ['text', 'count', 'file']) {
    await flow.select(id);
    await flow.key('w');
  }
  await flow.save();
  await call(stage.server, `/${flow.id()}`);
  await expect(watch('text')).toContainText('Hello you');
  await expect(watch('count').getByText('42', { exact: true })).toBeVisible();
  await expect(watch('rows').locator('tbody tr')).toHaveCount(3);
  await expect(watch('rows')).toContainText('and 1 row more');
  await watch('rows').getByRole('button', { name: 'Show as a chart' }).click();
  await expect(watch('rows').getByRole('img', { name: 'age: 4 from 4 to 36' })).toBeVisible();
  const picture = watch('file').getByRole('img', { name: 'dot.png' });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(1);
  await flow.save();
  await flow.page.reload();
  await flow.ready();
  await expect(watch('rows').getByRole('img', { name: /^age/ })).toBeVisible();
  await flow.select('rows');
  await flow.key('w');
  await expect(watch('rows')).toHaveCount(0);
});
