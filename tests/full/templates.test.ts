import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlowDetail } from '#shared/api.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { FlowTestReport } from '#shared/flow-test-api.ts';
import type { KeptMail } from '#shared/shop.ts';
import type { Template, TemplateFlow } from '#shared/template.ts';
import { readTemplates } from '../../server/flows/templates/templates.ts';
import {
  listenOpenAi,
  type OpenAiServer,
  sendChunks,
} from '../../server/integrations/models/testing/openai-server.ts';
import { ask, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Every template from its card to its first result: on a real server without a network, with the small shop and the demo model. */
let server: TestServer;
let owner: Owner;
let model: OpenAiServer & { close(): void };
const SECRET = 'whsec-of-this-test';

const ANSWER = 'Your rug is waiting for stock. You may cancel the order until it is sent.';

/** What a model does that can use tools: it reads the order, then the rule, then it answers. */
const TURNS: readonly (readonly [name: string, given: object])[] = [
  ['shop_data_read', { sql: 'SELECT status FROM orders WHERE id = 1003' }],
  ['handbook', { question: 'a product that is not in stock' }],
];

beforeAll(async () => {
  model = await listenOpenAi((response, { body }) => {
    const messages = body['messages'] as { role: string }[];
    const turn = TURNS[messages.filter(({ role }) => role === 'tool').length];
    if (turn === undefined) return sendChunks(response, [{ content: ANSWER }], 'stop');
    const [name, given] = turn;
    const call = {
      index: 0,
      id: `c_${name}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(given) },
    };
    return sendChunks(response, [{ tool_calls: [call] }], 'tool_calls');
  });
  const real = { type: 'openai-compatible', baseUrl: model.url, models: [{ name: 'm' }] };
  server = await startServer({
    env: {
      WEFT_PROVIDERS: JSON.stringify({ real }),
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      WEFT_MODEL: 'demo/chat',
    },
  });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  model.close();
});

interface Ended {
  readonly run: string;
  readonly status: string;
  readonly answer: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Makes a flow of a template with everything that ships with Weft. */
async function begin({ id, needs }: Pick<Template, 'id' | 'needs'>): Promise<TemplateFlow> {
  const choices = Object.fromEntries(needs.map(({ name }) => [name, name]));
  return owner.data('POST', `/templates/${id}/flows`, { choices });
}

/** A question that a run waits for. */
interface Asked {
  readonly id: string;
  readonly run: string;
  readonly text?: string;
}

/** Runs the draft as the editor does, and approves what it asks, after `look`. */
async function firstRun(
  { flow, sample }: TemplateFlow,
  look: (asked: Asked) => unknown = () => undefined,
): Promise<Ended> {
  const begun = await owner.data<Ended>('POST', `/flows/${flow}/run`, { draft: true, ...sample });
  const { body } = { body: undefined, ...(begun.answer as object) };
  if (begun.status !== 'waiting') return { ...begun, answer: body ?? begun.answer };
  const wait = await eventually(async () => {
    const { waits } = await owner.data<{ waits: Asked[] }>('GET', '/waits');
    const found = waits.find(({ run }) => run === begun.run);
    expect(found).toBeDefined();
    return found as Asked;
  });
  await look(wait);
  await owner.data('POST', `/waits/${wait.id}/decide`, { decision: 'approved' });
  return eventually(async () => {
    const run = await owner.data<Ended>('GET', `/runs/${begun.run}`);
    expect(run.status).not.toMatch(/waiting|running/);
    return { ...run, run: begun.run };
  });
}

const mailTo = async (to: string): Promise<KeptMail | undefined> =>
  (await owner.data<KeptMail[]>('GET', '/shop/mails')).find((mail) =>
    mail.to.some((one) => one.includes(to)),
  );

/** What each gives at its first run; of those that end with a mail, what is in it. */
const results: Readonly<Record<string, (ended: Ended) => unknown>> = {
  ask_the_handbook: ({ answer }) => {
    const text = JSON.stringify(answer);
    expect(text).toContain('within 30 days');
    expect(text).toContain('returns.md');
    // Not what the demo model makes of the passages.
    expect(text).toContain('This is what the documents say');
    expect(text).not.toContain('demo model');
  },
  chat_with_memory: ({ answer }) => expect(JSON.stringify(answer)).toContain('5'),
  check_stock: ({ answer }) =>
    expect((answer as { sku: string }[]).map(({ sku }) => sku)).toEqual(['RUG', 'TABLE']),
  exchange_rates: ({ answer }) => expect(answer).toEqual({ day: '2026-02-04', stored: 4 }),
  import_sales: ({ answer }) =>
    expect(answer).toEqual({
      stored: 4,
      left_out: [
        { product: 'Stone mug', reason: 'There is no quantity.' },
        { product: 'Wool rug', reason: 'The quantity or the price is wrong.' },
      ],
    }),
  job_application: async () => {
    expect(await mailTo('team@example.com')).toMatchObject({
      subject: 'Shop assistant: Grace Hopper',
      attachments: [{ name: 'application.md' }],
    });
    expect(await mailTo('grace@example.com')).toMatchObject({ subject: 'Your application has arrived' });
  },
  news_to_mail: async ({ answer }) => {
    expect(answer).toEqual({ told: 3 });
    expect(await mailTo('team@example.com')).toBeDefined();
  },
  nightly_report: async () =>
    expect(await mailTo('owner@example.com')).toMatchObject({
      html: expect.stringContaining('<tr><td>Oak chair</td><td>4</td><td>516</td></tr>'),
      attachments: [{ name: expect.stringMatching(/^sales-.*\.xlsx$/) }],
    }),
  order_status: ({ answer }) =>
    expect(answer).toEqual({
      number: 1003,
      status: 'waiting for stock',
      quantity: 1,
      product: 'Wool rug',
      customer: 'Ada Lovelace',
    }),
  purchase_request: async () =>
    expect(await mailTo('ada@example.com')).toMatchObject({ subject: 'Approved: A desk lamp' }),
  signed_webhook: ({ answer }) => expect(answer).toEqual({ event: 'evt_1', done: 'order.paid' }),
  sort_messages: ({ answer }) => expect(answer).toMatchObject({ kind: 'complaint', team: 'service' }),
  support_agent: async () =>
    expect(await mailTo('ada@example.com')).toMatchObject({
      subject: 'Your message',
      text: expect.stringContaining('not in stock'),
    }),
};

describe('from a template to its first result, with what ships', async () => {
  const all = await readTemplates();

  test('each is listed, and known to this test', async () => {
    const listed = await owner.data<Template[]>('GET', '/templates');
    expect(listed.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(listed.map(({ id }) => id).sort()).toEqual(Object.keys(results).sort());
    expect(listed.length).toBeGreaterThanOrEqual(12);
  });

  test.each(all)('$id', async (template) => {
    await owner.data('DELETE', '/shop/mails');
    const made = await begin(template);
    const { state, problems, hasDraft } = await owner.data<FlowDetail>('GET', `/flows/${made.flow}`);
    expect({ state, problems, hasDraft }).toEqual({ state: 'draft', problems: [], hasDraft: true });
    const report = await owner.data<FlowTestReport>('POST', `/flows/${made.flow}/tests/run`, {});
    expect(report.results.length).toBeGreaterThan(0);
    expect(report.results.filter(({ passed }) => !passed)).toEqual([]);
    const ended = await firstRun(made);
    expect([ended.status, ended.error]).toEqual(['ok', undefined]);
    await results[template.id]?.(ended);
  });
});

test('the agent uses both of its tools with a model that can, and nothing is sent before somebody approves', async () => {
  const { needs } = (await readTemplates()).find(({ id }) => id === 'support_agent') as Template;
  const choices = Object.fromEntries(needs.map(({ name }) => [name, name]));
  await owner.data('DELETE', '/shop/mails');
  const made = await owner.data<TemplateFlow>('POST', '/templates/support_agent/flows', {
    choices: { ...choices, 'demo/chat': 'real/m' },
  });
  const { flow } = await owner.data<FlowDetail>('GET', `/flows/${made.flow}`);
  expect(JSON.stringify(flow)).not.toContain('demo/chat');
  const asked: string[] = [];
  const ended = await firstRun(made, async (wait) => {
    asked.push(JSON.stringify(wait));
    expect(await mailTo('ada@example.com')).toBeUndefined();
  });
  expect(ended.status).toBe('ok');
  expect(asked).toEqual([expect.stringContaining('waiting for stock')]);
  const results = model.asked.flatMap(({ body }) =>
    (body['messages'] as { role: string; content: string }[]).filter(({ role }) => role === 'tool'),
  );
  expect(results.map(({ content }) => content).join('\n')).toContain('waiting for stock');
  expect(results.map(({ content }) => content).join('\n')).toContain('You may cancel the order until then');
  expect(await mailTo('ada@example.com')).toMatchObject({ text: ANSWER });
});

describe('what a template leaves behind', () => {
  test('repeated runs do their work once: rates, news and events stay single', async () => {
    const find = async (id: string) => (await readTemplates()).find((one) => one.id === id) as Template;
    const rates = await begin(await find('exchange_rates'));
    for (const run of [await firstRun(rates), await firstRun(rates)])
      expect(run.answer).toEqual({ day: '2026-02-04', stored: 4 });
    const news = await begin(await find('news_to_mail'));
    expect([(await firstRun(news)).answer, (await firstRun(news)).answer]).toEqual([
      { told: 3 },
      { told: 0 },
    ]);
  });

  test('the shop is granted to flows that were made with it, and to no other', async () => {
    const [shop] = (await owner.data<ConnectionInfo[]>('GET', '/connections')).filter(
      ({ name }) => name === 'shop',
    );
    expect(shop?.grants.flows).toContain('a_report_every_night');
    expect(shop?.grants.flows).not.toContain('a_chat_that_remembers');
  });

  test('a published webhook takes an event with a good signature once, and none with a bad one', async () => {
    await owner.data('PUT', '/secrets/webhook_secret', { value: SECRET });
    const template = (await readTemplates()).find(({ id }) => id === 'signed_webhook') as Template;
    const { flow } = await begin(template);
    const { revision, triggers } = await owner.data<FlowDetail>('GET', `/flows/${flow}`);
    await owner.data('POST', `/flows/${flow}/publish`, { revision });
    const path = triggers[0]?.path ?? '';
    const body = JSON.stringify({ id: 'evt_live', type: 'order.paid' });
    const send = (secret: string) =>
      call(server, path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        },
        body,
      });
    expect((await send('another')).status).toBe(401);
    expect((await send(SECRET)).body).toEqual({ event: 'evt_live', done: 'order.paid' });
    expect((await send(SECRET)).body).toEqual({ event: 'evt_live', done: 'nothing: it is known already' });
  });

  test('a published tool is listed by MCP and answers there', async () => {
    const template = (await readTemplates()).find(({ id }) => id === 'order_status') as Template;
    const { flow } = await begin(template);
    const { revision } = await owner.data<FlowDetail>('GET', `/flows/${flow}`);
    await owner.data('POST', `/flows/${flow}/publish`, { revision });
    const rpc = async (method: string, params: object) =>
      ask(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    expect((await rpc('tools/list', {})).text).toContain(`"${flow}-order"`);
    const called = await rpc('tools/call', { name: `${flow}-order`, arguments: { number: 1004 } });
    expect(called.text).toContain('on its way');
  });

  test('without an answer to its needs a draft says what is missing', async () => {
    const off = await startServer();
    try {
      const mine = await signIn(off);
      const { flow } = await mine.data<TemplateFlow>('POST', '/templates/nightly_report/flows', {});
      const { problems } = await mine.data<FlowDetail>('GET', `/flows/${flow}`);
      expect(problems.map(({ message }) => message).join('\n')).toContain('shop');
      expect(await mine.data('GET', '/shop')).toMatchObject({ on: false });
    } finally {
      await discard(off);
    }
  });
});
