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

/** A loop of three whose second and third rounds fail, which are left out. */
function failingLoop(id: string) {
  const { flow, layout } = listFlow(id);
  const loop = {
    operator: 'data.for-each',
    params: { items: '{{ input }}', onItemError: 'skip', concurrency: 1 },
    body: {
      start: 'each_item',
      nodes: { short: { operator: 'logic.assert', params: { condition: '{{ input.length > 2 }}' } } },
      edges: [{ from: 'each_item.out', to: 'short.in' }],
    },
  };
  return {
    flow: {
      ...flow,
      format: 2,
      nodes: { ...flow.nodes, loop },
      edges: [...flow.edges, { from: 'names.out', to: 'loop.in' }],
    },
    layout: {
      ...layout,
      nodes: {
        ...layout.nodes,
        loop: { x: 680, y: 0, collapsed: true },
        each_item: { x: 710, y: 100 },
        short: { x: 900, y: 100 },
      },
    },
  };
}

test('63. A collapsed container tells how many rounds failed, and leads to the first of them', async () => {
  const flow = await openRow(stage, freshId(), failingLoop);
  const loop = flow.node('loop');
  await expect(loop).toHaveClass(/react-flow__node-operator/);
  await flow.clickEmpty();
  await flow.key('Mod+Enter');
  await expect(flow.status('loop')).toHaveText(/OK/);
  await expect(loop).toContainText('3 rounds');
  await loop.getByRole('button', { name: '2 failed: show the first failed round' }).click();
  await expect(loop).toHaveClass(/react-flow__node-frame/);
  await expect.poll(flow.selectedIds).toEqual(['short']);
  await expect(loop.getByRole('combobox', { name: 'Round' })).toContainText('Round 2');
  await expect(flow.status('short')).toHaveText(/Failed/);
  // One step back, and it is a card again.
  await flow.key('Mod+z');
  await expect(loop).toHaveClass(/react-flow__node-operator/);
});

test('A frame is resized by its handles and by keys, never below what is in it, and keeps its size', async () => {
  const flow = await openRow(stage, freshId(), (id) => {
    const { flow: made, layout } = failingLoop(id);
    const { loop, ...others } = layout.nodes;
    return { flow: made, layout: { ...layout, nodes: { ...others, loop: { x: loop.x, y: loop.y } } } };
  });
  await flow.fit();
  await flow.select('loop');
  const handle = flow.node('loop').locator('.react-flow__resize-control.handle.bottom.right');
  const inner = await flow.placeOf('short');
  const before = await frameOf(flow, 'loop');
  const { zoom } = await flow.viewport();
  const corner = await middleOf(handle);
  await flow.drag(corner, { x: corner.x + 100 * zoom, y: corner.y + 60 * zoom });
  const larger = await frameOf(flow, 'loop');
  expect(Math.round((larger.width - before.width) / zoom / 10)).toBe(10);
  expect(Math.round((larger.height - before.height) / zoom / 10)).toBe(6);
  expect(await flow.placeOf('short'), 'what is in it stays').toEqual(inner);

  // From the other corner across what is in it: it stops there, and the opposite edges stay.
  const first = await middleOf(flow.node('loop').locator('.react-flow__resize-control.handle.top.left'));
  await flow.drag(first, { x: first.x + 500 * zoom, y: first.y + 300 * zoom });
  const stopped = await frameOf(flow, 'loop');
  const held = await frameOf(flow, 'each_item');
  expect(stopped.x).toBeLessThan(held.x);
  expect(stopped.y).toBeLessThan(held.y);
  expect(Math.abs(stopped.x + stopped.width - (larger.x + larger.width))).toBeLessThan(12 * zoom);
  expect(await flow.placeOf('short')).toEqual(inner);

  await flow.key('Mod+z', 'Mod+z');
  await expect
    .poll(async () => Math.round((await frameOf(flow, 'loop')).width))
    .toBe(Math.round(before.width));
  await flow.node('loop').focus();
  await flow.key('Shift+Alt+ArrowRight', 'Shift+Alt+ArrowDown');
  await flow.heard(/by \d+$/);
  const keyed = await frameOf(flow, 'loop');
  expect(Math.round((keyed.width - before.width) / zoom)).toBe(20);
  await flow.save();
  await flow.page.reload();
  await flow.ready();
  await flow.fit();
  const again = await frameOf(flow, 'loop');
  const now = await flow.viewport();
  expect(Math.round(again.width / now.zoom)).toBe(Math.round(keyed.width / zoom));
});

/** start -> first -> second -> last, each a template that adds a letter. */
function chainFlow(id: string) {
  const add = (letter: string) => ({
    operator: 'text.template',
    params: { template: `{{ input }}${letter}` },
  });
  return {
    flow: {
      format: 1,
      id,
      nodes: { start: { operator: 'trigger.manual' }, first: add('a'), second: add('b'), last: add('c') },
      edges: [
        { from: 'start.out', to: 'first.in' },
        { from: 'first.out', to: 'second.in' },
        { from: 'second.out', to: 'last.in' },
      ],
    },
    layout: {
      format: 1,
      nodes: {
        start: { x: 0, y: 0 },
        first: { x: 340, y: 0 },
        second: { x: 680, y: 0 },
        last: { x: 1020, y: 0 },
      },
    },
  };
}

async function selectTwo(flow: FlowPage, a: string, b: string): Promise<void> {
  await flow.fit();
  await flow.select(a);
  await flow.node(b).click({ position: { x: 60, y: 12 }, modifiers: ['Shift'] });
  await expect.poll(() => flow.selectedIds()).toEqual([a, b].sort());
}

/** Runs the draft with nothing as its input, and what came out. */
async function answerOf(flow: FlowPage): Promise<unknown> {
  await flow.saved();
  const body = { input: 'x', draft: true, wait: true };
  const { answer } = await stage.owner.data<{ answer: unknown }>('POST', `/flows/${flow.id()}/run`, body);
  return answer;
}

test('32, 66. Group and ungroup; a group is collapsed, disabled and pinned as one', async () => {
  const flow = await openRow(stage, freshId(), chainFlow);
  const before = savedOf(flow);
  await selectTwo(flow, 'first', 'second');
  await flow.key('Mod+g');
  await expect(flow.node('group')).toHaveClass(/react-flow__node-frame/);
  await expect
    .poll(() => Object.keys(savedOf(flow).nodes['group']?.body?.nodes ?? {}))
    .toEqual(['first', 'second']);
  expect(savedOf(flow).edges).toEqual([
    { from: 'start.out', to: 'group.in' },
    { from: 'group.out', to: 'last.in' },
  ]);
  await flow.key('Mod+Enter');
  await expect(flow.status('last')).toHaveText(/OK/);
  await expect(flow.status('group')).toHaveText(/OK/);
  // As one: a card with one state, pinned, disabled.
  await flow.node('group').getByRole('button', { name: 'Collapse' }).click();
  await expect(flow.node('first')).toHaveCount(0);
  await expect(flow.status('group')).toHaveText(/OK/);
  await flow.key('p');
  await expect(flow.node('group')).toContainText('Pinned');
  await flow.key('p');
  await flow.key('d');
  await expect.poll(() => savedOf(flow).nodes['group']).toMatchObject({ disabled: true });
  await flow.key('Mod+z');
  await flow.node('group').getByRole('button', { name: 'Expand' }).click();
  await flow.key('Mod+Shift+g');
  await expect(flow.node('group')).toHaveCount(0);
  await expect.poll(() => savedOf(flow)).toMatchObject({ nodes: before.nodes, edges: before.edges });
});

test('64. Extract to flow, and inline: answers unchanged, one undo', async () => {
  const flow = await openRow(stage, freshId(), chainFlow);
  const before = await answerOf(flow);
  expect(before).toMatchObject({ kind: 'value', body: 'xabc' });
  await selectTwo(flow, 'first', 'second');
  await command(flow, 'Extract to flow');
  await expect.poll(() => savedOf(flow).nodes['group']).toMatchObject({ operator: 'flow.call' });
  expect(await answerOf(flow)).toEqual(before);
  await flow.select('group');
  await command(flow, 'Inline the called flow');
  await expect
    .poll(() => Object.keys(savedOf(flow).nodes['group']?.body?.nodes ?? {}))
    .toEqual(['first', 'second']);
  expect(await answerOf(flow)).toEqual(before);
  await flow.key('Mod+z', 'Mod+z');
  await expect.poll(() => Object.keys(savedOf(flow).nodes)).toEqual(['first', 'last', 'second', 'start']);
});

test('65. Mod+double-click a call: the called flow opens in place, with a way back', async () => {
  const called = await openRow(stage, freshId(), chainFlow);
  const flow = await openRow(stage, freshId(), (id) => ({
    flow: {
      format: 1,
      id,
      name: 'Caller',
      nodes: {
        start: { operator: 'trigger.manual' },
        call: { operator: 'flow.call', params: { flow: called.id() } },
      },
      edges: [{ from: 'start.out', to: 'call.in' }],
    },
    layout: { format: 1, nodes: { start: { x: 0, y: 0 }, call: { x: 340, y: 0 } } },
  }));
  const caller = flow.id();
  await flow.fit();
  await flow.node('call').dblclick({ position: { x: 60, y: 12 }, modifiers: ['ControlOrMeta'] });
  await expect(flow.node('second')).toBeVisible();
  expect(flow.id()).toBe(called.id());
  await flow.page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'Caller' })
    .click();
  await expect(flow.node('call')).toBeVisible();
  expect(flow.id()).toBe(caller);
});

test('67. For each item: offered as the fix where a list meets a node that takes one value', async () => {
  const { flow: made, layout } = listFlow(freshId());
  const flow = await openRow(stage, made.id, () => ({
    flow: {
      ...made,
      nodes: { ...made.nodes, split: { operator: 'text.split', params: { separator: 'd' } } },
      edges: [...made.edges, { from: 'names.out', to: 'split.in' }],
    },
    layout: { ...layout, nodes: { ...layout.nodes, split: { x: 680, y: 100 } } },
  }));
  await flow.dock.getByRole('tab', { name: /Problems/ }).click();
  await flow.dock.getByRole('button', { name: 'Run the node for each item', exact: true }).click();
  await expect.poll(() => savedOf(flow).nodes['split']).toMatchObject({ each: {} });
  await expect(flow.node('split')).toContainText('For each item');
  expect(await answerOf(flow)).toMatchObject({ kind: 'value', body: [['A', 'a'], ['Bo'], ['Cy']] });
  // The switch in the inspector takes it back.
  await flow.select('split');
  await flow.openBehaviour();
  await flow.inspector.getByRole('switch', { name: 'For each item' }).click();
  await expect.poll(() => savedOf(flow).nodes['split']).not.toHaveProperty('each');
});

async function command(flow: FlowPage, name: string): Promise<void> {
  await flow.key('Mod+k');
  const palette = flow.page.getByRole('dialog', { name: 'All commands' });
  await palette.getByRole('combobox').fill(name);
  await flow.key('Enter');
}
