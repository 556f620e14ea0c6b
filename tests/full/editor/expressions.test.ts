import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** The large editor of expressions, and the switch between a fixed value and an expression. */
const stage = useStage();

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';
const rows = [
  { name: 'Ada', amount: 120, [HOSTILE]: HOSTILE },
  { name: 'Bo', amount: 7, [HOSTILE]: '"><script>alert(1)</script>' },
];

interface Setup {
  readonly say?: object;
  readonly size?: { width: number; height: number };
}

async function open({ say = {}, size = { width: 1440, height: 900 } }: Setup = {}) {
  const id = freshId();
  await stage.putFlow({
    format: 2,
    id,
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger(`/${id}`),
      list: { operator: 'core.map', name: `Orders ${HOSTILE}`, params: { value: { rows, total: 127 } } },
      say: { operator: 'text.template', params: { template: 'Hello ' }, ...say },
    },
    edges: [
      { from: 'start.out', to: 'list.in' },
      { from: 'list.out', to: 'say.in' },
    ],
  });
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize(size);
  await flow.fit();
  await flow.select('say');
  return { id, flow, large: largeEditor(flow) };
}

function largeEditor({ page }: FlowPage) {
  const dialog = page.getByRole('dialog').filter({ has: page.locator('[data-expression-editor]') });
  const region = (name: string) => dialog.getByRole('region', { name, exact: true });
  return {
    dialog,
    text: dialog.locator('.cm-content'),
    values: region('Values'),
    functions: region('Functions'),
    result: region('Result'),
  };
}

async function enlarge(flow: FlowPage, { text }: ReturnType<typeof largeEditor>): Promise<void> {
  await flow.key('Mod+E');
  await expect(text).toBeFocused();
}

const textOf = (flow: FlowPage, field: string) => flow.field(field).locator('.cm-content');
const saved = (id: string) => JSON.parse(stage.fileText(id));

describe('76. Large expression editor', () => {
  test('shows values, functions and the result; Escape leaves without a change, Mod+Enter keeps, in one step', async () => {
    const { id, flow, large } = await open();
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    await textOf(flow, 'params.template').click();
    await enlarge(flow, large);
    await flow.page.keyboard.type('{{ input.total + 1');
    await expect(large.result).toContainText('Hello 128');
    await expect(large.result).toContainText('With the values of the last run.');
    // Suggestions, which take the first Escape, close when the text loses the focus.
    await large.values.getByRole('searchbox').click();
    await flow.key('Escape');
    await expect(large.dialog).toHaveCount(0);
    await expect(textOf(flow, 'params.template')).toHaveText('Hello ');
    await expect(textOf(flow, 'params.template')).toBeFocused();

    await flow.inspector.getByRole('button', { name: 'Template: open the large editor' }).click();
    await large.values.getByRole('button', { name: 'Insert nodes.start' }).waitFor();
    await large.values.getByRole('searchbox').fill('total');
    await expect(large.values.getByRole('button', { name: 'Insert nodes.start' })).toHaveCount(0);
    await large.values.getByRole('searchbox').fill('');
    await large.values.getByRole('button', { name: /^Insert input$/ }).click();
    await expect(large.text).toHaveText(/\{\{ input \}\}/);
    await flow.key('Mod+Enter');
    await expect(large.dialog).toHaveCount(0);
    await expect(textOf(flow, 'params.template')).toHaveText(/\{\{ input \}\}/);
    await flow.saved();
    await flow.clickEmpty();
    await flow.key('Mod+Z');
    await flow.saved();
    expect(saved(id).nodes.say.params.template).toBe('Hello ');
  });

  test('puts a function with its example into the expression, and drags a value there', async () => {
    const { id, flow, large } = await open();
    await call(stage.server, `/${id}`);
    await textOf(flow, 'params.template').click();
    await enlarge(flow, large);
    await large.functions.getByRole('searchbox').fill('upper case');
    await large.functions.getByRole('button', { name: /^upper\(/ }).click();
    await expect(large.functions).toContainText('upper("ada")');
    await expect(large.functions).toContainText('= "ADA"');
    await large.functions.getByRole('button', { name: 'Insert upper' }).click();
    await expect(large.text).toHaveText('Hello {{ upper() }}');
    await flow.page.keyboard.type('input.rows[0].name');
    await expect(large.result).toContainText('Hello ADA');
    const amount = large.values
      .locator('[draggable]')
      .filter({ hasText: /^total/ })
      .first();
    await amount.dragTo(large.dialog.locator('.cm-line').last(), { targetPosition: { x: 10, y: 9 } });
    await expect(large.text).toContainText('{{ input.total }}');
  });

  test('tells a mistake as a sentence with its place', async () => {
    const { flow, large } = await open();
    await textOf(flow, 'params.template').click();
    await enlarge(flow, large);
    await flow.page.keyboard.insertText('\n{{ upper(nobody) }}');
    const mistakes = large.dialog.getByRole('list', { name: 'Mistakes' });
    await expect(mistakes).toContainText('Line 2, column 10');
    await expect(mistakes).toContainText('There is no nobody here.');
    await large.functions.getByRole('searchbox').click();
    await mistakes.getByRole('button').click();
    await expect(large.text).toBeFocused();
  });

  test('uses examples from the schema before there was a run, and takes a fixed value as an expression', async () => {
    const { id, flow, large } = await open({
      say: { operator: 'core.respond', params: { status: 201 } },
    });
    await flow.field('params.status').getByRole('textbox').click();
    await enlarge(flow, large);
    await expect(large.text).toHaveText('{{ 201 }}');
    await flow.key('Mod+A');
    await flow.page.keyboard.insertText('{{ input.total + 200 }}');
    await expect(large.result).toContainText('With example values');
    await flow.key('Mod+Enter');
    await flow.saved();
    expect(saved(id).nodes.say.params.status).toBe('{{ input.total + 200 }}');
  });

  test('shows the result for the item that is chosen', async () => {
    const { id, flow, large } = await open({
      say: {
        operator: 'text.template',
        params: { template: '{{ item.name }}' },
        each: { items: '{{ nodes.list.rows }}' },
      },
    });
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    await textOf(flow, 'params.template').click();
    await enlarge(flow, large);
    await expect(large.result).toContainText('Ada');
    await large.dialog.getByRole('button', { name: 'Next item' }).click();
    await expect(large.result).toContainText('Bo');
    await expect(large.dialog.getByRole('button', { name: 'Next item' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await large.dialog.getByRole('textbox', { name: 'Number of the item' }).fill('1');
    await expect(large.result).toContainText('Ada');
  });

  test('can be used by everybody, with hostile values, wide and narrow', async () => {
    const { id, flow, large } = await open();
    await call(stage.server, `/${id}`);
    await textOf(flow, 'params.template').click();
    await enlarge(flow, large);
    await flow.page.keyboard.insertText('{{ input.rows }}');
    await expect(large.result).toContainText('onerror');
    // A mark that would turn the text around is shown as JSON writes it.
    await expect(large.result).toContainText('\\u202egnp.exe');
    await expect(large.result).not.toContainText('\u202E');
    const audit = auditOf(flow.page);
    await audit.look('large editor');
    await flow.page.setViewportSize({ width: 390, height: 844 });
    await large.dialog.getByRole('button', { name: 'Functions' }).click();
    await large.functions.getByRole('button', { name: /^string\(/ }).click();
    await audit.look('large editor, narrow');
    expect(audit.found).toEqual([]);
    const scroll = await flow.page.evaluate(() => document.documentElement.scrollWidth);
    expect(scroll).toBeLessThanOrEqual(390);
    expect(await flow.page.locator('img[src="x"], script:not([src]):has-text("alert(1)")').count()).toBe(0);
  });
});

describe('77. Expression to fixed and back', () => {
  test('keeps what a number, a text and a template give', async () => {
    const { id, flow } = await open({ say: { operator: 'core.respond', params: { status: 201 } } });
    const field = flow.field('params.status');
    await field.getByRole('button', { name: /use an expression$/ }).click();
    await expect(textOf(flow, 'params.status')).toHaveText('{{ 201 }}');
    await field.getByRole('button', { name: /use a fixed value$/ }).click();
    await expect(field.locator('input')).toHaveValue('201');
    await flow.saved();
    expect(saved(id).nodes.say.params.status).toBe(201);
  });

  test('gives a template its value of the last run, and exactly itself again', async () => {
    const { id, flow } = await open({ say: { params: { template: 'Sum: {{ input.total }}' } } });
    const field = flow.field('params.template');
    await field.getByRole('button', { name: /use a fixed value$/ }).click();
    await expect(field).toContainText('Its value is not known, so it stays an expression.');
    await expect(textOf(flow, 'params.template')).toHaveText('Sum: {{ input.total }}');
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    await field.getByRole('button', { name: /use a fixed value$/ }).click();
    await expect(textOf(flow, 'params.template')).toHaveText('Sum: 127');
    await field.getByRole('button', { name: /use an expression$/ }).click();
    await expect(textOf(flow, 'params.template')).toHaveText('Sum: {{ input.total }}');
    await flow.clickEmpty();
    await flow.key('Mod+Z');
    await flow.saved();
    expect(saved(id).nodes.say.params.template).toBe('Sum: 127');
  });
});
