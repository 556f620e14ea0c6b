import { text } from 'node:stream/consumers';
import type { Download, Locator } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { httpTrigger } from '../support/flows.ts';
import { codeCame } from '../editor/support/build.ts';
import { freshId, openFlow, openRow } from '../editor/support/fixtures.ts';
import type { FlowPage } from '../editor/support/flow-page.ts';
import { useStage } from '../editor/support/stage.ts';

/** Values of every size can be looked at whole, and none of them freezes the page. */
const stage = useStage();

/** A flow that answers with so many times an array of 100 kB; its answer is in the trigger panel. */
async function answerOf(times: number): Promise<{ flow: FlowPage; answer: Locator }> {
  const id = freshId();
  const rows = `{{ range(100).map(n => ({ n: n, text: "row " + n + " ${'x'.repeat(980)}" })) }}`;
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      rows: { operator: 'core.map', params: { value: rows } },
      all: { operator: 'core.map', params: { value: `{{ range(${times}).map(n => input) }}` } },
    },
    edges: [
      { from: 'start.out', to: 'rows.in' },
      { from: 'rows.out', to: 'all.in' },
    ],
  });
  const flow = await openFlow(stage, id);
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await flow.dock.getByRole('button', { name: 'Send' }).click();
  return { flow, answer: flow.dock.getByRole('region', { name: 'Content of the answer' }) };
}

describe('A value', () => {
  test('Is one of 100 kB a tree that opens step by step?', async () => {
    const { answer } = await answerOf(1);
    const tree = answer.getByRole('group', { name: 'the body of the answer' });
    await expect(tree).toBeVisible();
    await expect(answer).toContainText(/10\d(\.\d)? kB/);
    const rows = tree.getByRole('button', { expanded: false });
    await rows.first().click();
    await rows.first().click();
    await expect(tree).toContainText('row 0 xxx');
    expect(await tree.getByRole('button').count()).toBeLessThan(500);
  });

  test('Is one of 300 kB a text that is searched with Mod+F, and downloaded whole?', async () => {
    const { flow, answer } = await answerOf(3);
    const text = answer.getByRole('textbox', { name: /the body of the answer/ });
    await expect(text).toBeVisible();
    expect(await answer.locator('.cm-line').count()).toBeLessThan(200);
    await text.click();
    await flow.key('Mod+f');
    await answer.getByRole('textbox', { name: 'Find' }).pressSequentially('row 99 ');
    await flow.key('Enter');
    await expect(answer.locator('.cm-searchMatch-selected')).toHaveText('row 99 ');
    const [download] = await Promise.all([
      flow.page.waitForEvent('download'),
      answer.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(JSON.parse(await textOf(download))).toHaveLength(3);
  });

  test('Is one of more than 5 MB shown by its beginning and its end, and downloaded whole?', async () => {
    const { flow, answer } = await answerOf(54);
    await expect(answer).toContainText('Too large to show whole');
    await expect(answer).toContainText(/5\.\d MB/);
    const [download] = await Promise.all([
      flow.page.waitForEvent('download'),
      answer.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(JSON.parse(await textOf(download))).toHaveLength(54);
    await flow.dock.getByRole('tab', { name: 'Problems' }).click();
    await expect(flow.dock.getByText('No problems')).toBeVisible();
  });
});

test('Does the inspector give the size of a value that was too large to keep, not that of the part that is shown?', async () => {
  const { flow } = await answerOf(39);
  await expect(flow.status('all')).toHaveText(/^OK/);
  await flow.select('all');
  await flow.tab('Output').click();
  const panel = flow.inspector.getByRole('tabpanel', { name: 'Output' });
  await expect(panel).toContainText(/(?:over )?[1-4](?:\.\d)? MB/);
  await expect(panel).not.toContainText(/\d kB/);
});

test('Is a tab of the inspector filled at once when it is opened for the first time?', async () => {
  const flow = await openRow(stage);
  await flow.select('first');
  await codeCame(flow.page, 'Runs once for each item of a stream');
  // What has come is run a moment later.
  await flow.page.waitForLoadState('networkidle');
  const filled = await flow.tab('Docs').evaluate(async (tab) => {
    (tab as HTMLElement).click();
    for (let n = 0; n < 3; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return tab.closest('aside')?.querySelector('[role=tabpanel]')?.textContent;
  });
  expect(filled).toContain('Examples');
});

/** Read as a stream: the browser is another process, whose files are not ours to know. */
async function textOf(download: Download): Promise<string> {
  return text(await download.createReadStream());
}
