import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { call, type Owner } from '../../support/client.ts';
import type { TestServer } from '../../support/server.ts';
import { type FlowPage, flowPage } from './flow-page.ts';

/** Pictures of runs in part, of durable runs that wait or failed, of a timeline, and of the page for people without a login. */
interface Scene {
  readonly page: Page;
  shoot(name: string, part?: string): Promise<void>;
}

const PHONE = { width: 390, height: 844 };

const template = (text: string) => ({ operator: 'text.template', params: { template: text } });

const chain = (id: string, nodes: Readonly<Record<string, object>>, name: string) => {
  const names = Object.keys(nodes);
  return {
    flow: {
      format: 1,
      id,
      name,
      settings: { record: 'full' },
      nodes,
      edges: names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` })),
    },
    layout: { format: 1, nodes: Object.fromEntries(names.map((node, i) => [node, { x: 300 * i, y: 0 }])) },
  };
};

const trigger = (id: string) => ({
  operator: 'trigger.http',
  params: { path: `/${id}`, methods: ['POST'], auth: 'none', answer: 'immediately' },
});

const FLOWS = [
  chain(
    'greeting',
    {
      start: { operator: 'trigger.manual' },
      name: { ...template('{{ upper(input.name) }}'), name: 'Name in capitals' },
      greet: { ...template('Hello, {{ input }}'), name: 'Greeting' },
      sign: { ...template('{{ input }}\nWeft'), name: 'Signature' },
    },
    'Greeting of a customer',
  ),
  chain(
    'approval',
    {
      start: trigger('approval'),
      link: { operator: 'human.link', params: { node: 'ask' } },
      ask: {
        operator: 'human.approval',
        params: {
          title: 'Send 12 crates of glasses to Ada Lovelace?',
          text: 'The order is **1,240 euro** and above the limit:\n\n- 12 crates of glasses\n- 1 crate of cups\n\nSee `docs/limits`.',
          who: 'the head of sales',
          data: { customer: 'Ada Lovelace', amount: 1240, link: '{{ input.link }}' },
          expiresAfter: '3d',
        },
      },
    },
    'Approval of large orders',
  ),
  chain(
    'stock',
    {
      start: trigger('stock'),
      pause: { operator: 'logic.delay', name: 'Ask the store', params: { ms: 40 } },
      enough: { operator: 'logic.assert', params: { condition: '{{ false }}', message: 'Out of pens' } },
      done: template('done'),
    },
    'Take from stock for good',
  ),
];

/** A flow for runs in part, a durable run that waits and one that is a dead letter. */
export async function prepareKept(owner: Owner, server: TestServer): Promise<void> {
  for (const { flow, layout } of FLOWS) {
    await owner.data('POST', '/flows', { flow });
    await owner.data('PUT', `/flows/${flow.id}/layout`, layout);
  }
  await call(server, '/approval', { method: 'POST' });
  await call(server, '/stock', { method: 'POST' });
}

export async function keptScenes(scene: Scene): Promise<void> {
  const flow = flowPage(scene.page);
  await inPart(flow, scene);
  await durable(flow, scene);
  await byLink(scene);
}

async function inPart(flow: FlowPage, { page, shoot }: Scene): Promise<void> {
  await open(flow, 'greeting');
  await page.evaluate(() =>
    fetch('/api/v1/session').then(async (answer) => {
      const { csrf } = ((await answer.json()) as { data: { csrf: string } }).data;
      const headers = { 'x-weft-csrf': csrf, 'content-type': 'application/json' };
      const body = JSON.stringify({ input: { name: 'Ada' }, pins: false });
      await fetch('/api/v1/flows/greeting/run', { method: 'POST', headers, body });
    }),
  );
  await expect(flow.status('sign')).toHaveText(/^OK/);
  await flow.select('greet');
  await flow.key('p');
  await expect(flow.node('greet').getByText('Pinned')).toBeAttached();
  await flow.select('sign');
  await flow.key('Alt+Enter');
  await expect(flow.status('greet')).toHaveText('Pinned');
  await shoot('run-in-part');
  await page.getByRole('button', { name: 'More ways to run' }).click();
  await shoot('run-menu', '[role=menu]');
  await page.getByRole('menuitem', { name: 'Pinned outputs…' }).click();
  await expect(page.getByRole('dialog', { name: 'Pinned outputs' })).toBeVisible();
  await shoot('pins');
  await page.getByRole('button', { name: /^Unpin/ }).click();
  await expect(page.getByText('Nothing is pinned any more.')).toBeVisible();
  await flow.key('Escape');
  await expect(page.getByRole('dialog', { name: 'Pinned outputs' })).toHaveCount(0);
  // Narrower, the inspector covers the canvas.
  if ((page.viewportSize()?.width ?? 0) < 1024) return;
  await flow.select('greet');
  await flow.tab('Output').click();
  await flow.inspector.getByRole('button', { name: 'Edit output…' }).click();
  await expect(page.getByRole('dialog', { name: /^Output of/ })).toBeVisible();
  await shoot('output-edited');
  await flow.key('Escape');
}

async function durable(flow: FlowPage, { page, shoot }: Scene): Promise<void> {
  await openRun(flow, 'approval');
  await expect(page.getByRole('button', { name: 'Decide: ask' })).toBeVisible();
  await shoot('run-waits');
  await page.getByRole('button', { name: 'Decide: ask' }).click();
  await expect(page.getByRole('dialog').locator('strong')).toHaveText('1,240 euro');
  await shoot('approval');
  await openRun(flow, 'stock');
  await flow.dock.getByRole('tab', { name: /^Result/ }).click();
  await expect(page.getByRole('button', { name: 'Retry from here' })).toBeVisible();
  await shoot('dead-letter');
  await page.getByRole('link', { name: 'Open the run' }).click();
  await expect(page.getByRole('treegrid')).toBeVisible();
  await shoot('run-page');
}

async function byLink({ page, shoot }: Scene): Promise<void> {
  const link = await page.evaluate(async () => {
    const answer = await fetch('/api/v1/waits?flow=approval');
    const { data } = (await answer.json()) as { data: { waits: { ask: { data: { link: string } } }[] } };
    return data.waits[0]?.ask.data.link ?? '';
  });
  const size = page.viewportSize() ?? PHONE;
  await page.goto(link);
  await shoot('wait-page');
  await page.setViewportSize(PHONE);
  await shoot('wait-page-phone');
  await page.goto(link.replace(/token=.*/, 'token=other'));
  await shoot('wait-page-wrong');
  await page.setViewportSize(size);
}

async function open(flow: FlowPage, id: string): Promise<void> {
  await flow.page.goto(`/flows/${id}`);
  await flow.ready();
  await flow.fit();
}

async function openRun(flow: FlowPage, id: string): Promise<void> {
  await open(flow, id);
  await flow.dock.getByRole('tab', { name: 'Runs' }).click();
  await expect(flow.dock.locator('tr[data-run]')).toHaveCount(1);
}
