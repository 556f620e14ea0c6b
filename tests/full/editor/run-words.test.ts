import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { httpTrigger } from '../../support/flows.ts';
import { codeWith } from '../../editor/support/build.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { pickName } from '../../editor/support/pick-name.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What is said of runs, of where a flow stands and of who may use something is said in one way, and only where it is so. */
const stage = useStage();

const hello = { operator: 'text.template', name: 'Say hello', params: { template: 'Hello' } };

async function put(start: object, node: object = hello): Promise<string> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: { start, node },
    edges: [{ from: 'start.out', to: 'node.in' }],
  });
  return id;
}

interface Runs {
  readonly runs: readonly { readonly run: string }[];
}

/** The newest run of a flow; also one that is a part of `parent`. */
async function lastRun(flow: string, parent?: string): Promise<string> {
  const query = parent === undefined ? `flow=${flow}` : `parent=${parent}`;
  await expect
    .poll(async () => (await stage.owner.data<Runs>('GET', `/runs?${query}`)).runs.length)
    .toBeGreaterThan(0);
  return (await stage.owner.data<Runs>('GET', `/runs?${query}`)).runs[0]?.run ?? '';
}

const status = (page: Page) => page.getByText(/^HTTP \d+$/);

describe('The status of HTTP', () => {
  /** On the page of a run, and in the panel of the canvas. */
  async function expectStatus(flow: string, run: string, isThere: boolean): Promise<void> {
    const page = await stage.visit(`/runs/${run}`);
    await expect(page.getByRole('region', { name: 'Answer' })).toContainText('Hello');
    // The steps have their titles from the flow that ran, by which the trigger is known too.
    await expect(page.getByRole('region', { name: 'Steps' })).toContainText('Say hello');
    await expect(status(page)).toHaveCount(isThere ? 1 : 0);
    await page.goto(`/flows/${flow}?run=${run}`);
    const { dock, ready } = flowPage(page);
    await ready();
    await dock.getByRole('tab', { name: 'Result' }).click();
    await expect(dock.getByRole('region', { name: 'Result' })).toContainText('Hello');
    await expect(status(page)).toHaveCount(isThere ? 1 : 0);
  }

  test('is told of a run that a caller waited for', async () => {
    const id = await put(httpTrigger(`/${freshId()}`, {}));
    const { nodes } = JSON.parse(stage.liveText(id)) as { nodes: { start: { params: { path: string } } } };
    expect((await call(stage.server, nodes.start.params.path)).status).toBe(200);
    await expectStatus(id, await lastRun(id), true);
  });

  test('is not told of one that was started by hand, called immediately, or called by a flow', async () => {
    const manual = await put({ operator: 'trigger.manual' });
    const { run } = await stage.owner.data<{ run: string }>('POST', `/flows/${manual}/run`, {});
    await expectStatus(manual, run, false);

    const path = `/${freshId()}`;
    const later = await put(httpTrigger(path, { answer: 'immediately' }));
    expect((await call(stage.server, path)).status).toBe(202);
    await expectStatus(later, await lastRun(later), false);

    const inner = await put(httpTrigger(`/${freshId()}`, {}));
    const outer = await put(
      { operator: 'trigger.manual' },
      { ...hello, operator: 'flow.call', params: { flow: inner, input: {} } },
    );
    const parent = await stage.owner.data<{ run: string }>('POST', `/flows/${outer}/run`, {});
    await expectStatus(inner, await lastRun(inner, parent.run), false);
  });
});

test('The error of a run names nodes within containers by their titles, in each place that tells it', async () => {
  const id = freshId();
  const refuse = { operator: 'logic.stop', name: 'Refuse the line', params: { message: 'Too late.' } };
  const inner = {
    operator: 'core.group',
    name: 'Check of a line',
    body: { start: 'line', nodes: { refuse }, edges: [{ from: 'line.out', to: 'refuse.in' }] },
  };
  await stage.putFlow({
    format: 2,
    id,
    name: 'Lines of an order',
    settings: { record: 'full' },
    nodes: {
      start: { operator: 'trigger.manual' },
      lines: { operator: 'core.map', params: { value: [1, 2] } },
      each_line: {
        operator: 'data.for-each',
        name: 'Each line',
        body: { start: 'one', nodes: { inner }, edges: [{ from: 'one.out', to: 'inner.in' }] },
      },
    },
    edges: [
      { from: 'start.out', to: 'lines.in' },
      { from: 'lines.out', to: 'each_line.in' },
    ],
  });
  const { run } = await stage.owner.data<{ run: string }>('POST', `/flows/${id}/run`, {});
  const said = 'Item 1: Check of a line: Refuse the line: Too late.';
  const page = await stage.visit(`/runs/${run}`);
  const failure = page.getByRole('region', { name: 'Failure' });
  await expect(failure).toContainText('Failed at Each line');
  await expect(failure).toContainText(said);
  await expect(failure).not.toContainText('inner');
  await expect(page.getByText('Run failed', { exact: false }).first()).toContainText(`Each line: ${said}`);
  await expect(page.getByText('Run started at Manual start')).toBeAttached();
  await page.goto(`/runs?flow=${id}`);
  await expect(page.locator('tr[data-run]').first()).toContainText(said);
  await page.goto(`/flows/${id}?run=${run}`);
  const flow = flowPage(page);
  await flow.ready();
  await flow.dock.getByRole('tab', { name: 'Log' }).click();
  await expect(flow.dock.getByText(`Each line: ${said}`, { exact: false }).first()).toBeVisible();
  await flow.dock.getByRole('tab', { name: 'Runs' }).click();
  await expect(flow.dock.locator('tr[data-run]').first()).toContainText(`Each line: ${said}`);
});

test('Where a flow stands is said in the same words before and after all of it is loaded', async () => {
  const id = freshId();
  await stage.owner.data('POST', '/flows', {
    id,
    text: JSON.stringify({ format: 1, id, nodes: { start: { operator: 'trigger.manual' } }, edges: [] }),
    mode: 'draft',
  });
  const page = await stage.visit('/');
  await page.getByRole('searchbox', { name: 'Search flows' }).fill(id);
  await expect(page.getByRole('row').filter({ hasText: id })).toContainText('Not published');
  let load = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    load = resolve;
  });
  // A word of the part that says it then.
  const code = codeWith('onlyIconOnPhone:');
  await page.route(code, async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest(code);
  await page.goto(`/flows/${id}`);
  await flowPage(page).ready();
  await asked;
  const chip = page.getByRole('banner').getByText('Not published', { exact: true });
  await expect(chip).toBeVisible();
  const came = page.waitForResponse(code);
  load();
  await came;
  await expect(chip).toBeVisible();
  await expect(page.getByRole('banner').getByText('draft', { exact: true })).toHaveCount(0);
});

test('A grant with an empty list is “nobody” in the list and in the dialog, and stays so until a name is chosen', async () => {
  const name = freshId();
  const grants = { flows: ['orders'], operators: [] };
  const settings = { address: 'https://shop.example.com' };
  await stage.owner.data('PUT', `/connections/${name}`, { kind: 'http', settings, grants });
  await stage.owner.data('PUT', `/secrets/${name}`, { value: 'x', grants });
  try {
    for (const path of ['/connections', '/secrets']) {
      const page = await stage.visit(path);
      const row = page.getByRole('row').filter({ hasText: name });
      await expect(row).toContainText('nobody yet');
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Change…' }).click();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toContainText('Nobody yet');
      await expect(dialog).toContainText('Stored as an empty list, which allows nobody');
      await expect(dialog).not.toContainText('any type of node');
      await pickName(dialog, 'Operators', 'http.request');
      await expect(dialog).toContainText('A use must match all filled-in fields.');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(row).toContainText('nodes Send HTTP request');
    }
  } finally {
    await stage.owner.data('DELETE', `/connections/${name}`);
    await stage.owner.data('DELETE', `/secrets/${name}`);
  }
});
