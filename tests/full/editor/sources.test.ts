import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, onTestFinished, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What the inspector says of a trigger that starts runs by itself. */
const stage = useStage({ WEFT_OUTBOUND_ALLOW: '127.0.0.1' });

/** A server whose answer a test sets; `hold` leaves the next requests without an answer. */
async function outside(body: string) {
  const state = { status: 200, body, hold: false };
  const server = createServer((_, response) => {
    if (state.hold) return;
    response.statusCode = state.status;
    response.end(state.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}

async function openSource(operator: string, params: object, more: object = {}): Promise<FlowPage> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: { source: { operator, params: { every: 1, ...params }, ...more }, same: { operator: 'core.map' } },
    edges: [{ from: 'source.out', to: 'same.in' }],
  });
  const flow = await openFlow(stage, id);
  await flow.select('source');
  return flow;
}

const facts = (flow: FlowPage) => flow.inspector.getByRole('group', { name: 'Source' });
const state = (flow: FlowPage) => facts(flow).getByRole('status', { name: 'State of the source' });
const fact = (flow: FlowPage, name: string) =>
  facts(flow).locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]');

const entry = (id: string) => `<item><title>${id}</title><guid>${id}</guid></item>`;
const feed = (...ids: string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${ids.map(entry).join('')}</channel></rss>`;

describe('The state of a source in the inspector', () => {
  test('Does it show the last look, the items and the runs of trigger.poll, and a failure until it is over?', async () => {
    const server = await outside('[]');
    const flow = await openSource('trigger.poll', { url: server.url });
    await expect(state(flow)).toHaveText('Listening');
    await expect(fact(flow, 'Last look')).toHaveText('just now');
    await expect(fact(flow, 'Last item')).toHaveText('none since it began to listen');
    server.body = '["a", "b"]';
    await expect(fact(flow, 'Last item')).toHaveText('just now; 2 runs since it began to listen');
    const { look, found } = auditOf(flow.page);
    await look('listening', 'aside[aria-label="Inspector"]');

    server.status = 503;
    await expect(state(flow)).toContainText('Failed');
    await expect(state(flow)).toContainText('503');
    await expect(state(flow)).toContainText('http_status');
    await expect(fact(flow, 'Next attempt')).toHaveText(/^(in \d+ s|now)$/);
    await expect(fact(flow, 'Last success')).toHaveText('just now');
    await expect(state(flow)).toContainText(/\d times in a row/);
    await look('failed', 'aside[aria-label="Inspector"]');

    // An attempt that has no answer yet does not count as listening.
    server.hold = true;
    await expect(state(flow)).toContainText('Trying again');
    await expect(state(flow)).toContainText('http_status');
    expect(found).toEqual([]);
  });

  test('Does it show the same of trigger.feed, and that it works again?', async () => {
    const server = await outside('no feed');
    const flow = await openSource('trigger.feed', { url: server.url });
    await expect(state(flow)).toContainText('Failed');
    await expect(fact(flow, 'Last success')).toHaveText('none since it began to listen');
    server.body = feed('one');
    await expect(state(flow)).toHaveText('Listening');
    await expect(fact(flow, 'Last item')).toHaveText('none since it began to listen');
    server.body = feed('two', 'one');
    await expect(fact(flow, 'Last item')).toHaveText('just now; 1 run since it began to listen');
  });

  test('Is a countdown not read out second by second?', async () => {
    const server = await outside('no list');
    const flow = await openSource('trigger.poll', { url: server.url });
    await expect(fact(flow, 'Next attempt')).toBeVisible();
    await expect(facts(flow).locator('[aria-live], [role=status]').getByText('Next attempt')).toHaveCount(0);
  });

  test('Is a trigger that the live version does not listen to told apart from a flow that is not live?', async () => {
    const server = await outside('[]');
    const disabled = await openSource('trigger.poll', { url: server.url }, { disabled: true });
    await expect(facts(disabled)).toContainText('this trigger is new in your draft, or it is disabled');
    const faulty = await openSource('trigger.poll', { url: server.url, items: '{{ nope.nope }}' });
    await expect(facts(faulty)).toContainText('It listens when the flow is live.');
  });
});

test('Does the screen of sources list what listens, with what failed beside it?', async () => {
  const server = await outside('no list');
  const flow = await openSource('trigger.poll', { url: server.url });
  const id = new URL(flow.page.url()).pathname.split('/').at(-1) ?? '';
  const { page } = flow;
  await page.goto('/sources');
  await page.getByRole('searchbox', { name: 'Search sources' }).fill(id);
  const row = page.getByRole('row').filter({ hasText: id });
  await expect(row).toContainText('Failed');
  await row.getByRole('button').click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await expect(details).toContainText('bad_answer');
  server.body = '["a"]';
  await expect(row).toContainText('Listening');
  await expect(details).not.toContainText('bad_answer');
});
