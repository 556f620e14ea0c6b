import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../support/client.ts';
import { httpTrigger } from '../support/flows.ts';
import { freshId, openRow } from '../editor/support/fixtures.ts';
import type { FlowPage } from '../editor/support/flow-page.ts';
import { useStage } from '../editor/support/stage.ts';

/** Code and expressions as they are written in the inspector. */
const stage = useStage();

const CODE = 'return `Hello ${input.name}`;';

function codeFlow(id: string) {
  return {
    flow: {
      format: 1,
      id,
      nodes: { start: httpTrigger(`/${id}`), code: { operator: 'code.run', params: { source: CODE } } },
      edges: [{ from: 'start.out', to: 'code.in' }],
    },
    layout: { format: 1, nodes: { start: { x: 0, y: 0 }, code: { x: 320, y: 0 } } },
  };
}

/** Opens a flow with a code node, which is selected. */
async function openCode(): Promise<FlowPage> {
  const flow = await openRow(stage, freshId(), codeFlow);
  await flow.select('code');
  await expect(flow.field('params.source').locator('.cm-content')).toContainText('return');
  return flow;
}

describe('The code field', () => {
  test('Is code highlighted, edited over lines, saved as written, and what runs?', async () => {
    const flow = await openCode();
    const content = flow.field('params.source').locator('.cm-content');
    const keyword = content.locator('span', { hasText: /^return$/ }).first();
    const plain = await content.evaluate((one) => getComputedStyle(one).color);
    expect(await keyword.evaluate((one) => getComputedStyle(one).color)).not.toBe(plain);
    await content.click();
    await flow.key('Mod+a');
    await flow.page.keyboard.type('if (input.name) {');
    await flow.key('Enter');
    await flow.page.keyboard.type('return input.name + "!";');
    await flow.publish();
    const { nodes } = JSON.parse(stage.fileText(flow.id())) as {
      nodes: { code: { params: { source: string } } };
    };
    expect(nodes.code.params.source).toMatch(/^if \(input\.name\) \{\n {2}return input\.name \+ "!";\n\}/);
    expect((await call(stage.server, `/${flow.id()}?name=Ada`)).text).toBe('"Ada!"');
  });

  test('Does Tab leave the field, so that the keyboard is not caught in it, once Escape was pressed?', async () => {
    const flow = await openCode();
    await flow.field('params.source').locator('.cm-content').click();
    await flow.key('Escape', 'Tab');
    await expect(flow.field('params.source').locator('.cm-content')).not.toBeFocused();
  });

  test('Is an error of the code shown at the node, with its line?', async () => {
    const flow = await openCode();
    await flow.write('params.source', 'const n = 1;\nthrow new Error(`no luck ${n}`);');
    await flow.publish();
    await call(stage.server, `/${flow.id()}?name=Ada`);
    await expect(flow.status('code')).toContainText('Failed');
    await flow.tab('Output').click();
    await expect(flow.inspector).toContainText('no luck');
    await expect(flow.inspector).toContainText(/line 2/i);
  });
});

test('Is `acc` offered where items are folded, and a number of held-back items taken by the flow?', async () => {
  const flow = await openRow(stage, freshId(), (id) => ({
    flow: {
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        list: { operator: 'core.streamify', params: {} },
        sum: { operator: 'core.reduce', params: { value: '{{ item }}' } },
      },
      edges: [
        { from: 'start.out', to: 'list.in' },
        { from: 'list.out', to: 'sum.in' },
      ],
    },
    layout: { format: 1, nodes: { start: { x: 0, y: 0 }, list: { x: 300, y: 0 }, sum: { x: 600, y: 0 } } },
  }));
  await flow.select('sum');
  await flow.write('params.value', '{{ ac');
  await flow.key('Control+Space');
  await expect(flow.page.locator('.cm-tooltip-autocomplete')).toContainText('acc');
  await flow.key('Escape');
  await flow.write('params.value', '{{ acc + item }}');
  await flow.clickEmpty();
  await flow.inspector.getByText('Limits, records and access').click();
  const held = flow.field('settings.maxStreamBuffer').getByRole('textbox');
  await held.fill('500');
  await flow.key('Tab');
  await flow.save();
  expect(JSON.parse(stage.fileText(flow.id()))).toMatchObject({ settings: { maxStreamBuffer: 500 } });
});
