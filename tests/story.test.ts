import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FlowDetail, FlowSummary, StartedRun } from '#shared/api.ts';
import { ask, call, keyHeaders, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { copyOfExamples, edit, flowText, httpTrigger, sayFlow, write } from './support/flows.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** What somebody does in the first hour: one server, the shipped examples, files that are edited while it runs. */
let server: TestServer;
let owner: Owner;
let hello: string;

beforeAll(async () => {
  server = await startServer({ flows: copyOfExamples() });
  owner = await signIn(server);
  hello = join(server.flows, 'examples/simple_dag_example.json');
});
afterAll(() => discard(server));

const json = { 'content-type': 'application/json' };
const order = (amount: number) =>
  call(server, '/examples/orders', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ customer: 'Ada', amount, items: ['pen'] }),
  });
const greeting = async () => (await call(server, '/examples/hello?name=Ada')).body;
const flow = (id: string) => owner.data<FlowDetail>('GET', `/flows/${id}`);

test('the first example answers exactly what the docs say', async () => {
  const answer = await call(server, '/examples/hello?name=Ada');
  expect(answer).toMatchObject({ status: 200, text: '"Hello, Ada, your age is 18"' });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect((await call(server, '/examples/hello?name=Bo&age=7')).body).toBe('Hello, Bo, your age is 7');
});

test('the second example sends an order by its amount and answers 201', async () => {
  expect(await order(120)).toMatchObject({
    status: 201,
    body: {
      customer: 'Ada',
      amount: 120,
      items: ['pen'],
      decision: 'approved',
      note: 'Thank you, Ada: 1 item(s) on their way.',
    },
  });
  expect((await order(5000)).body).toMatchObject({ decision: 'review' });
  expect((await order(50_000)).body).toMatchObject({
    decision: 'refused',
    note: 'Orders above 10000 need a contract.',
  });
});

test('the third example joins what three branches found', async () => {
  const answer = await call(server, '/examples/words?text=to+be+or+not+to+be');
  expect(answer).toMatchObject({
    status: 200,
    text: '{"count":6,"longest":"not","shout":"TO BE OR NOT TO BE!"}',
  });
});

test('a bad request gets every problem at once', async () => {
  expect(await call(server, '/examples/hello?age=old')).toMatchObject({
    status: 400,
    body: {
      err_code: 'invalid_request',
      detail: [
        { type: 'missing', loc: ['query', 'name'], msg: 'Field required' },
        { type: 'int_parsing', loc: ['query', 'age'], input: 'old' },
      ],
    },
  });
  const answer = await call(server, '/examples/orders', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ amount: -1, items: 'pen' }),
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      detail: [
        { loc: ['body', 'customer'] },
        { loc: ['body', 'amount'], input: -1 },
        { loc: ['body', 'items'], input: 'pen' },
      ],
    },
  });
});

test('OPTIONS and HEAD run nothing, and other methods are told which ones there are', async () => {
  const options = await call(server, '/examples/hello', { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow'), options.text]).toEqual([
    204,
    'GET, HEAD, OPTIONS',
    '',
  ]);
  const head = await call(server, '/examples/hello', { method: 'HEAD' });
  expect([head.status, head.headers.get('x-weft-run'), head.text]).toEqual([200, null, '']);
  const put = await call(server, '/examples/orders', { method: 'PUT' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  expect(put.body).toMatchObject({ err_code: 'method_not_allowed' });
  const wrong = await ask(`${server.url}/api/v1/flows`, { method: 'PATCH' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

test('a typo in an expression fails the run with its code, its node and the nearest name', async () => {
  const before = await flow('simple_dag_example');
  edit(hello, (text) => text.replace('input.name', 'input.nmae'));
  const failed = await eventually(async () => {
    const answer = await call(server, '/examples/hello?name=Ada');
    expect(answer.status).not.toBe(200);
    return answer;
  });
  expect(failed).toMatchObject({ status: 422, body: { err_code: 'missing_field', success: false } });
  expect((failed.body as { err_msg: string }).err_msg).toContain('did you mean `input.name`?');
  const run = failed.headers.get('x-weft-run');
  expect(await owner.data('GET', `/runs/${run}`)).toMatchObject({
    flow: 'simple_dag_example',
    status: 'failed',
    error: { code: 'missing_field', node: 'handler', field: 'params.template' },
  });
  expect((await flow('simple_dag_example')).version).not.toBe(before.version);
});

test('a file that is no JSON leaves the last good version serving and says line and column', async () => {
  edit(hello, (text) => text.replace('input.nmae', 'input.name'));
  await eventually(async () => expect(await greeting()).toBe('Hello, Ada, your age is 18'));
  const { version } = await flow('simple_dag_example');
  edit(hello, (text) => text.replace('"format"', '"format').replace('"Hello, {{', '"Never, {{'));
  const broken = await eventually(async () => {
    const seen = await flow('simple_dag_example');
    expect(seen.state).toBe('broken');
    return seen;
  });
  expect(broken).toMatchObject({ version, problems: [{ code: 'json-syntax', line: 2, column: 3 }, {}] });
  expect(broken.text).toContain('Never, ');
  expect(await greeting()).toBe('Hello, Ada, your age is 18');
  expect((await order(120)).status).toBe(201);
});

test('mending the file puts it live without a restart', async () => {
  edit(hello, (text) => text.replace('"format', '"format"').replace('"Never, {{', '"Welcome, {{'));
  await eventually(async () => expect(await greeting()).toBe('Welcome, Ada, your age is 18'));
  expect(await flow('simple_dag_example')).toMatchObject({ state: 'live', problems: [] });
  const shipped = readFileSync(hello, 'utf8').replace('Welcome, ', 'Hello, ');
  write(server.flows, 'examples/simple_dag_example.json', shipped);
  await eventually(async () => expect(await greeting()).toBe('Hello, Ada, your age is 18'));
});

test('a fourth flow written by hand is live at once, listed, and gone when its file is removed', async () => {
  const ids = async () => (await owner.data<FlowSummary[]>('GET', '/flows')).map(({ id }) => id);
  const shipped = await ids();
  const file = write(
    server.flows,
    'mine/fourth.json',
    sayFlow('fourth', '{{ upper(input.word) }}', httpTrigger('/fourth/:word')),
  );
  await eventually(async () => expect((await call(server, '/fourth/ho')).body).toBe('HO'));
  expect(await ids()).toEqual([...shipped, 'fourth'].sort());
  expect(await flow('fourth')).toMatchObject({ file: 'mine/fourth.json', state: 'live' });
  rmSync(file);
  await eventually(async () =>
    expect(await call(server, '/fourth/ho')).toMatchObject({
      status: 404,
      body: { err_code: 'trigger_not_found' },
    }),
  );
  expect(await ids()).not.toContain('fourth');
  expect((await owner.api('GET', '/flows/fourth')).status).toBe(404);
});

test('a save through the API is the file, and one that was based on an older state is refused', async () => {
  const first = sayFlow('saved', 'one');
  const created = await owner.data<FlowDetail>('POST', '/flows', { flow: first });
  expect(readFileSync(join(server.flows, 'saved.json'), 'utf8')).toBe(created.text);
  const { revision } = created;
  const save = (says: string) =>
    owner.api('PUT', '/flows/saved', { text: flowText(sayFlow('saved', says)), revision });
  expect((await save('two')).status).toBe(200);
  const stale = await save('three');
  expect(stale).toMatchObject({ status: 409, body: { err_code: 'revision_conflict' } });
  const current = (stale.body as { detail: { revision: string }[] }).detail[0]?.revision;
  expect(current).toBe((await flow('saved')).revision);
  expect((await call(server, '/saved')).body).toBe('two');
  expect(readFileSync(join(server.flows, 'saved.json'), 'utf8')).toContain('two');
});

test('a save in the editor does not overwrite a change that was made in the file', async () => {
  const { revision } = await flow('saved');
  write(server.flows, 'saved.json', sayFlow('saved', 'by hand'));
  const text = flowText(sayFlow('saved', 'by editor'));
  const saved = await owner.api('PUT', '/flows/saved', { text, revision });
  expect(saved).toMatchObject({ status: 409, body: { err_code: 'revision_conflict' } });
  expect((await call(server, '/saved')).body).toBe('by hand');
});

test('a save with errors stays a draft, which cannot be tried; the live version goes on', async () => {
  const { revision } = await flow('saved');
  const draft = { ...sayFlow('saved', 'unconnected'), edges: [] };
  const kept = await owner.data<FlowDetail>('PUT', '/flows/saved', { flow: draft, revision });
  expect(kept).toMatchObject({ hasDraft: true, state: 'live' });
  expect(kept.problems.map(({ severity }) => severity)).toContain('error');
  const tried = await owner.api('GET', '/flows/saved/test/saved');
  expect(tried).toMatchObject({ status: 422, body: { err_code: 'flow_invalid' } });
  await owner.data('POST', '/flows/saved/discard', { revision: kept.revision });
  expect((await call(server, '/saved')).body).toBe('by hand');
});

test('with WEFT_DEPLOY=manual a save is a draft, tried at its own address until it is published', async () => {
  const manual = await startServer({ env: { WEFT_DEPLOY: 'manual' } });
  onTestFinished(() => discard(manual));
  const editor = await signIn(manual);
  const draft = await editor.data<FlowDetail>('POST', '/flows', { flow: sayFlow('fresh', '{{ input.x }}') });
  expect(draft).toMatchObject({ state: 'draft', hasDraft: true });
  expect((await call(manual, '/fresh?x=1')).status).toBe(404);
  expect(await editor.api('GET', '/flows/fresh/test/fresh?x=1')).toMatchObject({ status: 200, body: '1' });
  const asKey = await ask(`${manual.url}/api/v1/flows/fresh/test/fresh?x=1`, { headers: keyHeaders(manual) });
  expect(asKey).toMatchObject({ status: 403, body: { err_code: 'forbidden' } });
  await editor.data('POST', '/flows/fresh/publish', { revision: draft.revision, label: 'v1' });
  expect((await call(manual, '/fresh?x=1')).body).toBe('1');
  expect(await editor.data('GET', '/flows/fresh/versions')).toMatchObject([{ label: 'v1', live: true }]);
});

test('while somebody listens, a request to the test address becomes the run that they are told of', async () => {
  const listening = owner.data<{ run: string; request: unknown }>('POST', '/flows/saved/listen', {
    timeoutMs: 20_000,
  });
  // Strangers are let in as soon as the listener is there.
  const tested = await eventually(async () => {
    const answer = await ask(`${server.url}/api/v1/flows/saved/test/saved?a=1`);
    expect(answer.status).toBe(200);
    return answer;
  });
  expect(tested.body).toBe('by hand');
  const heard = await listening;
  expect(heard).toEqual({
    run: tested.headers.get('x-weft-run'),
    request: { method: 'GET', path: '/saved', query: 'a=1' },
  });
  expect(await owner.data('GET', `/runs/${heard.run}`)).toMatchObject({ source: 'test', recorded: true });
});

test('a flow is run by hand with an input of choice', async () => {
  const started = await owner.data<StartedRun>('POST', '/flows/simple_dag_example/run', {
    input: { name: 'Cy', age: 3 },
  });
  expect(started).toMatchObject({
    status: 'ok',
    answer: { kind: 'value', status: 200, body: 'Hello, Cy, your age is 3' },
  });
});

test('expressions read variables, which are set over the API and counted from the next run on', async () => {
  await owner.data('PUT', '/variables/shop', { value: { name: 'Weavers' } });
  write(server.flows, 'shop.json', sayFlow('shop', 'Welcome to {{ vars.shop.name }}'));
  await eventually(async () => expect((await call(server, '/shop')).body).toBe('Welcome to Weavers'));
  await owner.data('PUT', '/variables/shop', { value: { name: 'Spinners' } });
  expect((await call(server, '/shop')).body).toBe('Welcome to Spinners');
  expect(await owner.data('GET', '/variables')).toEqual([{ name: 'shop', value: { name: 'Spinners' } }]);
  await owner.data('DELETE', '/variables/shop');
  expect(await call(server, '/shop')).toMatchObject({ status: 422, body: { success: false } });
  const asKey = await ask(`${server.url}/api/v1/variables/shop`, {
    method: 'PUT',
    headers: { ...keyHeaders(server), ...json },
    body: '{"value":1}',
  });
  expect(asKey).toMatchObject({ status: 403, body: { err_code: 'forbidden' } });
});

test('every version that went live is kept, and an older one is put back', async () => {
  const versions = await eventually(async () => {
    const found = await owner.data<{ version: string; live: boolean }[]>('GET', '/flows/saved/versions');
    expect(found).toHaveLength(3);
    return found;
  });
  const oldest = versions.at(-1)?.version ?? '';
  const { revision } = await flow('saved');
  await owner.data('POST', `/flows/saved/versions/${oldest}/restore`, { revision });
  expect((await call(server, '/saved')).body).toBe('one');
});

test('a trigger without `auth` asks for a key', async () => {
  write(
    server.flows,
    'locked.json',
    sayFlow('locked', 'in', { operator: 'trigger.http', params: { path: '/locked' } }),
  );
  const refused = await eventually(async () => {
    const answer = await call(server, '/locked');
    expect(answer.status).not.toBe(404);
    return answer;
  });
  expect(refused).toMatchObject({ status: 401, body: { err_code: 'unauthorized' } });
  expect((refused.body as { err_msg: string }).err_msg).toContain('Authorization: Bearer');
  expect((await call(server, '/locked', { headers: keyHeaders(server) })).body).toBe('in');
  const wrong = await call(server, '/locked', { headers: { authorization: 'Bearer wrong' } });
  expect(wrong.status).toBe(401);
});
