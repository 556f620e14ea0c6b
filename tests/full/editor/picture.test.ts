import { buffer } from 'node:stream/consumers';
import type { Download } from '@playwright/test';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A flow as a picture, and fields that are dropped onto ports. */
const stage = useStage();

const HOSTILE = '</text><script>alert(1)</script>\u202Egnp.exe';

async function open() {
  const id = freshId();
  await stage.putFlow(
    {
      format: 2,
      id,
      settings: { record: 'full' },
      nodes: {
        start: httpTrigger(`/${id}`),
        list: { operator: 'core.map', name: HOSTILE, params: { value: { orders: [1], 'a "b" {{': 2 } } },
        say: { operator: 'core.map', name: 'Say', params: { value: '{{ input }}' } },
      },
      edges: [
        { from: 'start.out', to: 'list.in' },
        { from: 'list.out', to: 'say.in' },
      ],
    },
    { format: 1, nodes: { start: { x: 0, y: 0 }, list: { x: 320, y: 0 }, say: { x: 640, y: 0 } } },
  );
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize({ width: 1440, height: 900 });
  await flow.fit();
  const command = async (name: string): Promise<void> => {
    await flow.key('Mod+K');
    await flow.page.getByRole('dialog', { name: 'All commands' }).getByRole('combobox').fill(name);
    await flow.page.getByRole('option', { name }).first().waitFor();
    await flow.key('Enter');
  };
  return { id, flow, command };
}

const bytesOf = async (file: Download): Promise<Buffer> => buffer(await file.createReadStream());

describe('80. Copy as picture', () => {
  test('gives the flow, or the selection, as SVG and PNG, on the clipboard and as a file', async () => {
    const { flow, command } = await open();
    const { page } = flow;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await command('Copy as picture (SVG)');
    await expect(page.getByText('Copied the flow as SVG.')).toBeVisible();
    const svg = await page.evaluate(() => navigator.clipboard.readText());
    expect(svg).toMatch(/^<svg /);
    expect(svg).toContain('Say');
    expect(svg).not.toMatch(/<script|\u202e/);

    await flow.select('say');
    const [file] = await Promise.all([page.waitForEvent('download'), command('Download as picture (SVG)')]);
    const selection = (await bytesOf(file)).toString();
    expect(selection).toContain('Say');
    expect(selection).not.toContain('alert');

    // The picture brings the font of the editor, which it cannot see otherwise.
    const [png] = await Promise.all([
      page.waitForEvent('download'),
      page.waitForRequest(/\/inter\.woff2$/),
      command('Download as picture (PNG)'),
    ]);
    const bytes = await bytesOf(png);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.length).toBeGreaterThan(2_000);

    await command('Copy as picture (PNG)');
    await expect(page.getByText('Copied the selection as a picture.')).toBeVisible();
    const types = await page.evaluate(async () => (await navigator.clipboard.read()).map((one) => one.types));
    expect(types).toEqual([['image/png']]);
  });
});

describe('61. A field goes over an edge', () => {
  test('if it is dropped onto a port, in one step; its name is written as the language reads it', async () => {
    const { id, flow } = await open();
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    await flow.node('say').dblclick({ position: { x: 60, y: 12 } });
    const input = flow.inspector.getByRole('region', { name: 'Input', exact: true });
    const field = input.locator('[draggable]').filter({ hasText: /^a "b" \{\{:/ });
    await field.dragTo(input.getByRole('heading', { name: 'in', exact: true }));
    await flow.key('Escape');
    await expect(flow.canvas).toContainText('["a \\"b\\" {{"]');
    await flow.saved();
    const pick = '["a \\"b\\" {{"]';
    const edge = { from: 'list.out', to: 'say.in', pick };
    expect(JSON.parse(stage.fileText(id)).edges).toContainEqual(edge);
    await flow.clickEmpty();
    await flow.key('Mod+Z');
    await flow.saved();
    expect(JSON.parse(stage.fileText(id)).edges).toContainEqual({ from: 'list.out', to: 'say.in' });
  });

  test('if it is dropped onto the edge, in one step; a value of another node is refused', async () => {
    const { id, flow } = await open();
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    const corner = await flow.canvas.boundingBox();
    const dragTo = async (from: string, to: string): Promise<void> => {
      const { x, y } = await flow.onEdge(from, to, 0.5);
      const targetPosition = { x: x - (corner?.x ?? 0), y: y - (corner?.y ?? 0) };
      const line = flow.inspector.locator('[draggable]').filter({ hasText: /^orders:/ });
      await line.dragTo(flow.canvas, { targetPosition, force: true });
    };
    await flow.select('list');
    await flow.tab('Output').click();
    await dragTo('start.out', 'list.in');
    await expect(flow.canvas).toContainText('Only a field of HTTP request can go over this edge.');
    await dragTo('list.out', 'say.in');
    await flow.heard('say.in gets nodes.list.orders');
    await flow.saved();
    const edges = () => JSON.parse(stage.fileText(id)).edges;
    expect(edges()).toContainEqual({ from: 'list.out', to: 'say.in', pick: 'orders' });
    await flow.clickEmpty();
    await flow.key('Mod+Z');
    await flow.saved();
    expect(edges()).toContainEqual({ from: 'list.out', to: 'say.in' });
  });
});
