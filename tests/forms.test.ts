import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { type NodeJson, write } from './support/flows.ts';
import { discard, root, startServer, tempFolder, type TestServer } from './support/server.ts';

/** Forms that start flows, over HTTP, as browsers without scripts send them. */
let server: TestServer;
let owner: Owner;

const FIELDS = [
  { name: 'email', label: 'Your e-mail', required: true },
  { name: 'count', label: 'How many', type: 'integer', required: true },
  { name: 'size', type: 'choice', choices: ['small', 'large'] },
  { name: 'gift', label: 'As a gift', type: 'boolean' },
];

function formFlow(id: string, params: object, node: NodeJson, settings: object = {}) {
  return {
    format: 1 as const,
    id,
    settings: { record: 'full', ...settings },
    nodes: {
      form: {
        operator: 'trigger.form',
        params: { path: `/${id}`, title: `Form ${id}`, fields: FIELDS, ...params },
      },
      node,
    },
    edges: [{ from: 'form.out', to: 'node.in' }],
  };
}

const echo: NodeJson = { operator: 'core.map', params: { value: '{{ input }}' } };
const many = { rate: { limit: 1000, by: 'all' } };

beforeAll(async () => {
  const flows = tempFolder('flows');
  const add = (id: string, params: object, node: NodeJson = echo): void =>
    void write(flows, `${id}.json`, formFlow(id, { ...many, ...params }, node));
  add('order', { text: 'Goods & **gifts**', message: 'Thank you, *really*.' });
  add(
    'sum',
    { after: 'result' },
    { operator: 'text.template', params: { template: '**{{ input.count * 2 }}** pieces' } },
  );
  add('shown', { after: 'result' });
  const terms = { name: 'terms', label: 'The terms', type: 'boolean', required: true };
  add('agrees', { after: 'result', fields: [terms, { name: 'news', type: 'boolean' }] });
  add('leads', { after: 'redirect', redirect: 'https://example.com/thanks?a=1' });
  add('stops', { after: 'result' }, { operator: 'logic.stop', params: { message: 'We are <closed>.' } });
  add(
    'breaks',
    { after: 'result' },
    { operator: 'http.request', params: { url: 'http://127.0.0.1:1/secret_inner_name' } },
  );
  add(
    'answers',
    { after: 'result' },
    {
      operator: 'core.respond',
      params: { status: 200, headers: { 'content-type': 'text/html' }, body: '<script>alert(1)</script>' },
    },
  );
  add('few', { rate: { limit: 1, per: 'hour', by: 'address' } });
  write(flows, 'form_example.json', readFileSync(join(root, 'flows/examples/form_example.json')));
  server = await startServer({ flows });
  owner = await signIn(server);
});
afterAll(() => discard(server));

const open = (path: string, init?: RequestInit): Promise<Answer> => ask(`${server.url}/form${path}`, init);

const GOOD = { 'data.email': 'ada@example.com', 'data.count': '2', 'data.gift': 'true' };

function send(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams(fields);
  return open(path, { method: 'POST', body, redirect: 'manual', headers });
}

/** The mark of a fresh page of a form. */
async function onceIn(path: string): Promise<string> {
  return /name="once" value="([^"]+)"/.exec((await open(path)).text)?.[1] ?? '';
}

async function runsOf(flow: string): Promise<{ run: string; source: string; status: string }[]> {
  return (
    await owner.data<{ runs: { run: string; source: string; status: string }[] }>('GET', `/runs?flow=${flow}`)
  ).runs;
}

/** The runs of the form that was sent most, once each has ended: one that still runs would look different later. */
async function endedRuns(): Promise<string[]> {
  return await eventually(async () => {
    const runs = await runsOf('order');
    expect(runs.filter(({ status }) => status === 'running')).toEqual([]);
    return runs.map(({ run }) => run);
  });
}

describe('the page of a form', () => {
  test('shows its fields, and nothing that a browser could execute', async () => {
    const { status, headers, text } = await open('/order');
    expect(status).toBe(200);
    expect(text).toContain('<h1>Form order</h1>');
    expect(text).toContain('Goods &amp; <strong>gifts</strong>');
    expect(text).toContain('<label for="f-email">Your e-mail *</label>');
    expect(text).not.toContain('<script');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('is filled in by the fields of the query', async () => {
    const { text } = await open('/order?email=a%22%3E%3Cb%3E%40c.d&size=large&other=1');
    expect(text).toContain('value="a&quot;&gt;&lt;b&gt;@c.d"');
    expect(text).toContain('<option value="large" selected>');
  });

  test('is not there for a path without a form, nor for a trigger of programs', async () => {
    expect((await open('/nothing')).status).toBe(404);
    expect((await send('/nothing', GOOD)).status).toBe(404);
    const { status, body } = await ask(`${server.url}/api/v1/awel/trigger/order`);
    expect([status, body]).toEqual([404, expect.objectContaining({ err_code: 'trigger_not_found' })]);
  });
});

describe('a form that is sent', () => {
  test('starts a run with typed values, and says thank you at an address that sends nothing again', async () => {
    const once = await onceIn('/order');
    const { status, headers } = await send('/order', { ...GOOD, once });
    expect([status, headers.get('location')]).toEqual([303, '/form/order?_sent=1']);
    const thanks = await open('/order?_sent=1');
    expect(thanks.text).toContain('Thank you, <em>really</em>.');
    const run = headers.get('x-weft-run') ?? '';
    const { events } = await eventually(async () => {
      const page = await owner.data<{ events: Record<string, unknown>[] }>('GET', `/runs/${run}/events`);
      expect(page.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
      return page;
    });
    expect(events.find(({ kind }) => kind === 'node-output')).toMatchObject({
      node: 'form',
      value: { email: 'ada@example.com', count: 2, gift: true },
    });
    expect((await runsOf('order'))[0]).toMatchObject({ run, source: 'form' });
    const again = await send('/order', { ...GOOD, once });
    expect(again.headers.get('x-weft-run'), 'pressing the button twice starts one run').toBe(run);
  });

  test('a mark that the server did not make for the form joins nothing: everybody gets an own run', async () => {
    const made = await onceIn('/order');
    const others = ['abcdefghijklmnopqrst', 'a'.repeat(made.length), `${made.slice(0, -1)}~`];
    for (const once of others) {
      const [first, second] = [
        await send('/order', { ...GOOD, once }),
        await send('/order', { ...GOOD, once }),
      ];
      expect(first.headers.get('x-weft-run')).not.toBe(second.headers.get('x-weft-run'));
    }
  });

  test('comes back with what was typed, and with what is wrong beside the fields', async () => {
    const before = await endedRuns();
    const { status, text } = await send('/order', {
      'data.email': '<ada>',
      'data.count': 'many',
      'data.size': 'huge',
    });
    expect(status).toBe(422);
    expect(text).toContain('role="alert">Check the marked fields.');
    expect(text).toContain('value="&lt;ada&gt;"');
    expect(text).toMatch(/id="f-count"[^>]* aria-invalid="true"/);
    expect(text).toMatch(/<p class="fault" id="f-size-fault" data-code="literal_error">/);
    expect(text).toContain('value="many"');
    expect(await endedRuns()).toEqual(before);
  });

  test('a box that must be ticked is marked, and checked', async () => {
    const { text } = await ask(`${server.url}/form/agrees`);
    expect(text).toMatch(/<input type="checkbox" value="true" id="f-terms" name="data.terms" required>/);
    expect(text).toContain('>The terms *</label>');
    expect(text).not.toMatch(/id="f-news"[^>]* required/);
    const left = await send('/agrees', {});
    expect(left.status).toBe(422);
    expect(left.text).toMatch(/<p class="fault" id="f-terms-fault" data-code="missing">/);
    expect((await send('/agrees', { 'data.terms': 'false' })).status).toBe(422);
    const { status, text: shown } = await send('/agrees', { 'data.terms': 'true' });
    expect([status, shown]).toEqual([200, expect.stringContaining('<dt>terms</dt><dd>true</dd>')]);
    expect(shown).toContain('<dt>news</dt><dd>false</dd>');
  });

  test('shows the result of the flow where the form says so', async () => {
    const sum = await send('/sum', GOOD);
    expect([sum.status, sum.text]).toEqual([200, expect.stringContaining('<strong>4</strong> pieces')]);
    expect((await send('/shown', GOOD)).text).toContain('<dt>email</dt><dd>ada@example.com</dd>');
  });

  test('leads to another page where the form says so, which its policy allows', async () => {
    const { status, headers } = await send('/leads', GOOD);
    expect([status, headers.get('location')]).toEqual([303, 'https://example.com/thanks?a=1']);
    const policy = (await open('/leads')).headers.get('content-security-policy');
    expect(policy).toContain("form-action 'self' https://example.com;");
  });

  test('tells what the author of the flow says, and nothing of what goes on inside', async () => {
    const stopped = await send('/stops', GOOD);
    expect([stopped.status, stopped.text]).toEqual([422, expect.stringContaining('We are &lt;closed&gt;.')]);
    const broken = await send('/breaks', GOOD);
    expect(broken.status).toBeGreaterThanOrEqual(400);
    expect(broken.text).toContain('Something went wrong here');
    expect(broken.text).not.toContain('secret_inner_name');
    expect(broken.text).toContain('value="ada@example.com"');
  });

  test('a page that the flow writes itself goes into a sandbox', async () => {
    const { headers, text } = await send('/answers', GOOD);
    expect(text).toBe('<script>alert(1)</script>');
    expect(headers.get('content-security-policy')).toMatch(/^sandbox /);
  });
});

describe('strangers', () => {
  test('a program that fills in the hidden field is thanked, and starts nothing', async () => {
    const before = await endedRuns();
    expect((await send('/order', { ...GOOD, website: 'https://spam.example' })).status).toBe(303);
    expect(await endedRuns()).toEqual(before);
  });

  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin that it may tell', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('a page of %s sends nothing', async (_, headers) => {
    const before = await endedRuns();
    const { status, text } = await send('/order', GOOD, headers);
    expect([status, text]).toEqual([403, expect.stringContaining('The form was not sent')]);
    expect(await endedRuns()).toEqual(before);
  });

  test('a session of the owner means nothing here', async () => {
    const { headers } = await send('/order', GOOD, owner.headers);
    const path = `/runs/${headers.get('x-weft-run')}/events`;
    const { events } = await eventually(() => owner.data<{ events: object[] }>('GET', path));
    expect(JSON.stringify(events)).not.toContain(owner.headers['cookie']?.split('=')[1]);
  });

  test('other bodies than those of forms, and larger ones, are refused before they are read', async () => {
    const json = await open('/order', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect([json.status, json.body]).toEqual([
      415,
      expect.objectContaining({ err_code: 'unsupported_media_type' }),
    ]);
    expect((await send('/order', { 'data.email': 'x'.repeat(1_100_000) })).status).toBe(413);
  });

  test('who sends too often is told when to come again, and keeps what was typed', async () => {
    expect((await send('/few', GOOD)).status).toBe(303);
    const { status, headers, text } = await send('/few', GOOD);
    expect([status, headers.get('retry-after')]).toEqual([429, '3600']);
    expect(text).toContain('This form takes 1 request an hour');
    expect(text).toContain('value="ada@example.com"');
  });
});

test('the editor gets the form as it is being drawn, in a frame of its own only', async () => {
  const draft = formFlow(
    'drawn',
    { title: '', fields: [{ name: 'a', label: 'Field A' }, { name: 'BAD' }] },
    echo,
  );
  await owner.data('POST', '/flows', { id: 'drawn', flow: draft });
  const { headers, text } = await owner.api('GET', '/flows/drawn/forms/form');
  expect(text).toContain('Field A');
  expect(text).toContain('Untitled form');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  expect((await owner.api('GET', '/flows/drawn/forms/node')).status).toBe(404);
  expect((await ask(`${server.url}/api/v1/flows/drawn/forms/form`)).status).toBe(401);
});

test('the editor gets the page of a question that stands in a loop', async () => {
  const nodes = { ask: { operator: 'human.form', params: { title: 'Size?', fields: [{ name: 'size' }] } } };
  const body = { start: 'one', nodes, edges: [{ from: 'one.out', to: 'ask.in' }] };
  const loop = { operator: 'data.for-each', params: { items: '{{ [1] }}' }, body };
  const flow = { format: 2, id: 'asks_each', nodes: { loop }, edges: [] };
  await owner.data('POST', '/flows', { id: 'asks_each', flow });
  const { status, text } = await owner.api('GET', '/flows/asks_each/forms/ask');
  expect([status, text]).toEqual([200, expect.stringContaining('Size?')]);
});

test('the example: what somebody asks for in a form waits for an approval, and is stored then', async () => {
  const fields = { name: 'Ada', kind: 'Holiday', from: '2026-07-01', days: '3', note: '' };
  const typed = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`data.${name}`, value]));
  const { status, headers } = await send('/examples/leave', typed);
  expect(status).toBe(303);
  const run = headers.get('x-weft-run') ?? '';
  const wait = await eventually(() => owner.data<{ title: string }>('GET', `/waits/${run}.approve`));
  expect(wait.title).toBe('Leave of Ada: 3 days from 2026-07-01');
  await owner.data('POST', `/waits/${run}.approve/decide`, { decision: 'approved' });
  const { events } = await eventually(async () => {
    const page = await owner.data<{ events: Record<string, unknown>[] }>('GET', `/runs/${run}/events`);
    expect(page.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
    return page;
  });
  const finished = events.filter(({ kind }) => kind === 'node-finished').map(({ node }) => node);
  expect(finished).toEqual(expect.arrayContaining(['approve', 'keep', 'said']));
});
