import { test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { freshId, openRow } from '../../editor/support/fixtures.ts';
import { type FlowPage, middleOf } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Nodes with a body: frames on the canvas, whose nodes are nodes of the canvas. */
const stage = useStage();

/** A list of three names, and nothing else. */
function listFlow(id: string) {
  return {
    flow: {
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.manual' },
        names: { operator: 'core.map', params: { value: ['Ada', 'Bo', 'Cy'] } },
      },
      edges: [{ from: 'start.out', to: 'names.in' }],
    },
    layout: { format: 1, nodes: { start: { x: 0, y: 100 }, names: { x: 340, y: 100 } } },
  };
}

interface Graph {
  readonly nodes: Record<string, { readonly params?: unknown; readonly body?: Graph }>;
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

const savedOf = (flow: FlowPage): Graph => JSON.parse(stage.fileText(flow.id())) as Graph;

async function pick(flow: FlowPage, operator: string): Promise<void> {
  await flow.picker.getByRole('combobox').fill(operator);
  await flow.key('Enter');
}

/** A for-each behind `names`, with a template in it, drawn by mouse and keys. */
async function drawLoop(flow: FlowPage): Promise<void> {
  await flow.select('names');
  await flow.key('Shift+N');
  await pick(flow, 'For each');
  await expect(flow.node('for_each')).toHaveClass(/react-flow__node-frame/);
  await expect(flow.edge('names.out', 'for_each.in')).toHaveCount(1);
  await flow.fit();
  const start = await middleOf(flow.node('each_item'));
  await flow.drag(flow.output('each_item'), { x: start.x + 150, y: start.y });
  await pick(flow, 'Template');
  await expect(flow.edge('each_item.out', 'template.in')).toHaveCount(1);
  await flow.write('params.template', 'Hello {{ input }}');
}

const frameOf = async (flow: FlowPage, id: string) => {
  const box = await flow.node(id).boundingBox();
  if (!box) throw new Error(`${id} is not drawn`);
  return box;
};

test('62. Draw nodes into a for-each; drag a node in and out', async () => {
  const flow = await openRow(stage, freshId(), listFlow);
  await drawLoop(flow);
  // Double-click in the frame: the picker has no trigger, and its node goes into the body.
  await flow.fit();
  const frame = await frameOf(flow, 'for_each');
  await flow.page.mouse.dblclick(frame.x + 60, frame.y + frame.height - 14);
  await flow.picker.getByRole('combobox').fill('Manual start');
  await expect(flow.picker.locator('[data-operator="trigger.manual"]')).toHaveCount(0);
  await pick(flow, 'Log');
  await expect
    .poll(() => Object.keys(savedOf(flow).nodes['for_each']?.body?.nodes ?? {}))
    .toEqual(['log', 'template']);
  expect(savedOf(flow).nodes['for_each']?.body).toMatchObject({
    start: 'each_item',
    nodes: { template: { params: { template: 'Hello {{ input }}' } } },
    edges: [{ from: 'each_item.out', to: 'template.in' }],
  });

  // Out of the frame and in again: the id stays, and each drag is one step.
  await flow.fit();
  const log = await middleOf(flow.node('log'));
  const names = await middleOf(flow.node('names'));
  await flow.drag({ x: log.x - 20, y: log.y - 10 }, { x: names.x, y: names.y + 160 });
  await expect.poll(() => Object.keys(savedOf(flow).nodes)).toEqual(['for_each', 'log', 'names', 'start']);
  await flow.key('Mod+z');
  await expect
    .poll(() => Object.keys(savedOf(flow).nodes['for_each']?.body?.nodes ?? {}))
    .toEqual(['log', 'template']);

  // No edge crosses the frame, and it says why.
  await flow.fit();
  await flow.drag(flow.output('names'), flow.input('template'));
  await expect(flow.edges).toHaveCount(3);
  await flow.heard('No edge goes into the frame of “For each”; read {{ nodes.names }} in it instead.');

  // Collapsed, it is a card that holds them.
  await flow.node('for_each').getByRole('button', { name: 'Collapse' }).click();
  await expect(flow.node('template')).toHaveCount(0);
  await expect(flow.node('for_each')).toHaveClass(/react-flow__node-operator/);
  await flow.node('for_each').getByRole('button', { name: 'Expand' }).click();
  await expect(flow.node('template')).toBeVisible();
});

test('63. Pick a round: all nodes of the body show it', async () => {
  const flow = await openRow(stage, freshId(), listFlow);
  await drawLoop(flow);
  await flow.clickEmpty();
  await flow.key('Mod+Enter');
  await expect(flow.status('for_each')).toHaveText(/OK/);
  const rounds = flow.node('for_each').getByRole('group', { name: 'Rounds' });
  await expect(rounds).toContainText('3 rounds');
  await flow.select('template');
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Hello Ada');
  await rounds.getByRole('button', { name: 'Next round' }).click();
  await expect(flow.inspector).toContainText('Hello Bo');
  await rounds.getByRole('combobox', { name: 'Round' }).click();
  await flow.page.getByRole('option', { name: /Round 3/ }).click();
  await expect(flow.inspector).toContainText('Hello Cy');
});
