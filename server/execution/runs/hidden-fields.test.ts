import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { judgeCase } from '../flow-tests/run-case.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';

const PASSWORD = 'PWCANARY-swordfish';
const PIN = 'P1NX';
const CODE = 90_417;
const input = { user: 'ada', password: PASSWORD, deep: [{ pin: PIN, code: CODE }] };
const hidden = [PASSWORD, PIN, String(CODE), PASSWORD.split('').reverse().join('')];

const trigger = (path: string) => ({
  operator: 'trigger.http',
  params: {
    path,
    methods: ['POST'],
    auth: 'none',
    request: {
      type: 'object',
      required: ['user', 'password'],
      properties: {
        user: { type: 'string' },
        password: { type: 'string', format: 'password' },
        deep: { type: 'array', items: { $ref: '#/$defs/card' } },
      },
      $defs: {
        card: {
          type: 'object',
          properties: {
            pin: { type: 'string', writeOnly: true },
            code: { type: 'integer', writeOnly: true },
          },
        },
      },
    },
  },
});

/** Passes on its input in several forms, also to another flow. */
const login = {
  format: 1,
  id: 'login',
  settings: { record: 'full' },
  nodes: {
    start: trigger('/login'),
    text: {
      operator: 'text.template',
      params: { template: 'user {{ input.user }} with {{ input.password }}' },
    },
    whole: {
      operator: 'code.run',
      params: {
        source: 'ctx.log(input.password); return { input, back: [...input.password].reverse().join("") };',
      },
    },
    part: { operator: 'flow.call', params: { flow: 'part' } },
    answer: { operator: 'core.respond', params: { status: 201 } },
  },
  edges: [
    { from: 'start.out', to: 'text.in' },
    { from: 'start.out', to: 'whole.in' },
    { from: 'whole.out', to: 'part.in' },
    { from: 'text.out', to: 'answer.in' },
  ],
};

const part = {
  format: 1,
  id: 'part',
  settings: { record: 'full' },
  nodes: {
    start: { operator: 'trigger.manual' },
    same: { operator: 'data.set', params: { fields: { all: '{{ input }}' } } },
  },
  edges: [{ from: 'start.out', to: 'same.in' }],
};

/** Outlives its process: it waits for a person, and then fails with its input. */
const durable = {
  format: 1,
  id: 'asks',
  settings: { durable: true, record: 'full' },
  nodes: {
    start: trigger('/asks'),
    effect: { operator: 'state.set', params: { key: 'user', value: '{{ input.user }}' } },
    ask: {
      operator: 'human.approval',
      params: { title: 'May {{ trigger.body.password }} in?', data: '{{ trigger.body }}' },
    },
    fail: { operator: 'logic.stop', params: { message: 'No {{ trigger.body.password }}' } },
  },
  edges: [
    { from: 'start.out', to: 'effect.in' },
    { from: 'effect.out', to: 'ask.in' },
    { from: 'ask.approved', to: 'fail.in' },
  ],
};

type Headers = Record<string, string>;

interface Body {
  readonly err_code?: string;
  readonly data: {
    readonly status?: string;
    readonly run?: string;
    readonly id?: string;
    readonly answer?: { readonly body: unknown };
    readonly runs?: readonly { readonly run: string }[];
    readonly waits?: readonly { readonly id: string }[];
  };
}

async function ask(bed: Bed, who: Headers, method: string, path: string, body?: object) {
  const answer = await fetch(`${bed.url}/api/v1${path}`, {
    method,
    headers: { ...who, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) as Body };
}

/** Calls the trigger and waits until its run is over, which continues after its answer. */
async function callLogin(bed: Bed, owner: Headers) {
  const called = await ask(bed, {}, 'POST', '/awel/trigger/login', input);
  const run = called.headers.get('x-weft-run') as string;
  const status = async () => JSON.stringify((await ask(bed, owner, 'GET', `/runs/${run}`)).body.data);
  await expect.poll(status, { timeout: PATIENCE_MS }).toContain('"status":"ok"');
  return { called, run };
}

const found = (text: string): string[] => hidden.filter((value) => text.includes(value));

function filesWith(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => found(readFileSync(file, 'latin1')).length > 0);
}

async function served() {
  const bed = await startBed();
  const owner = await signIn(bed);
  for (const flow of [part, login, durable]) {
    const saved = await ask(bed, owner, 'POST', '/flows', { flow });
    expect(saved.body.data).toMatchObject({ state: 'live', problems: [] });
  }
  return { bed, owner };
}

test('hidden fields of a request are in no shown or stored data of a run, and the flow gets them', async () => {
  const { bed, owner } = await served();
  const fed: string[] = [];
  bed.ctx.runs.watchAll(undefined, undefined, (_item, json) => fed.push(json));
  const { called, run } = await callLogin(bed, owner);
  expect([called.status, called.body]).toEqual([201, `user ada with ${PASSWORD}`]);
  for (const path of ['', '/events', '/export', '/recording', '/timeline'])
    expect(found((await ask(bed, owner, 'GET', `/runs/${run}${path}`)).text), path).toEqual([]);
  const events = (await ask(bed, owner, 'GET', `/runs/${run}/events`)).text;
  expect(events).toContain('"user":"ada"');
  expect(events).toContain('user ada with ***');
  const parts = await ask(bed, owner, 'GET', `/runs?parent=${run}`);
  const below = parts.body.data.runs?.[0]?.run;
  expect(found((await ask(bed, owner, 'GET', `/runs/${below}/events`)).text)).toEqual([]);
  expect(fed.join()).toContain(run);
  expect(found(fed.join())).toEqual([]);
  const byHand = await ask(bed, owner, 'POST', '/flows/login/run', { input, wait: true });
  expect(byHand.body.data.answer?.body).toBe('user ada with ***');
  await bed.stop();
  expect(filesWith(bed.ctx.config.data)).toEqual([]);
});

test('a fork, a run and a stored test without the values ask for them', async () => {
  const { bed, owner } = await served();
  const { run } = await callLogin(bed, owner);
  const fork = (body: object) => ask(bed, owner, 'POST', `/runs/${run}/fork`, { wait: true, ...body });
  expect(await fork({})).toMatchObject({ status: 409, body: { err_code: 'hidden_input' } });
  expect((await fork({ input })).body.data).toMatchObject({ status: 'ok' });
  const test = { name: 'kept', outputs: {}, errors: {}, expect: { status: 'ok' as const, outputs: {} } };
  const live = bed.ctx.flows.live('login') as LiveFlow;
  const judged = await judgeCase(
    live,
    { ...test, input: { ...input, password: '***' } },
    { code: undefined, redactor: bed.ctx.redactor, vars: {} },
  );
  expect(judged).toMatchObject({ actual: { error: 'hidden_input' }, differences: [{ place: 'input' }] });
  const masked = { ...input, password: '***' };
  const byHand = await ask(bed, owner, 'POST', '/flows/login/run', { input: masked, wait: true });
  expect(byHand).toMatchObject({ status: 409, body: { err_code: 'hidden_input' } });
  expect(byHand.text).toContain('send it whole as `input`');
});

test('a durable run seals them, continues with them after a restart, and never shows them', async () => {
  const { bed } = await served();
  const { config } = bed.ctx;
  const called = await ask(bed, {}, 'POST', '/awel/trigger/asks', input);
  const run = called.headers.get('x-weft-run') as string;
  await bed.ctx.durable.settled(run);
  await bed.stop();
  expect(filesWith(config.data)).toEqual([]);
  const again = await startBed(config);
  const owner = await signIn(again);
  const waits = await ask(again, owner, 'GET', '/waits');
  expect(found(waits.text)).toEqual([]);
  const id = waits.body.data.waits?.[0]?.id;
  await ask(again, owner, 'POST', `/waits/${id}/decide`, { decision: 'approved' });
  await again.ctx.durable.ended(run);
  for (const path of ['', '/events', '/export', '/recording'])
    expect(found((await ask(again, owner, 'GET', `/runs/${run}${path}`)).text), path).toEqual([]);
  const letters = await ask(again, owner, 'GET', '/dead-letters');
  expect(letters.text).toContain('No ***');
  expect(found(letters.text)).toEqual([]);
  await again.stop();
  expect(filesWith(config.data)).toEqual([]);
});

test('an answer for an Idempotency-Key is returned to the caller, and stored nowhere in clear text', async () => {
  const { bed } = await served();
  const call = () =>
    fetch(`${bed.url}/api/v1/awel/trigger/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify(input),
    });
  const first = await call();
  const text = await first.text();
  expect([first.status, text]).toEqual([201, `"user ada with ${PASSWORD}"`]);
  const again = await call();
  expect([again.status, await again.text()]).toEqual([201, text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await bed.stop();
  expect(filesWith(bed.ctx.config.data)).toEqual([]);
});

/** The stored input of a durable run, and the files of its large values. */
function keptOf(data: string, run: string): { input: string; told: unknown; files: string[] } {
  const db = new DatabaseSync(join(data, 'durable.db'), { readOnly: true, timeout: 5000 });
  const row = db.prepare('SELECT input, told FROM weft_runs WHERE run = ?').get(run) ?? {};
  db.close();
  const folder = join(data, 'durable-values', run);
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const names = files.filter((file) => file.isFile()).map(({ name }) => name);
  return { input: String(row['input']), told: row['told'], files: names };
}

const short = { user: 'ada', password: PASSWORD };

test.each([
  ['short', short],
  ['long', { ...short, more: 'x'.repeat(100_000) }],
])('the sealed input of a durable run (%s) is deleted when the run is over', async (_, body) => {
  const { bed, owner } = await served();
  const { data } = bed.ctx.config;
  const well = { ...durable, id: 'well', nodes: { ...durable.nodes, start: trigger('/well') } };
  const flow = { ...well, edges: well.edges.slice(0, 2), nodes: { ...well.nodes, fail: undefined } };
  expect((await ask(bed, owner, 'POST', '/flows', { flow })).body.data).toMatchObject({ problems: [] });
  const called = await ask(bed, {}, 'POST', '/awel/trigger/well', body);
  const run = called.headers.get('x-weft-run') as string;
  await bed.ctx.durable.settled(run);
  const before = keptOf(data, run);
  expect(before.input).toMatch(/^\{"(sealed|blob)":/);
  const [wait] = (await ask(bed, owner, 'GET', '/waits')).body.data.waits ?? [];
  await ask(bed, owner, 'POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
  await expect.poll(() => keptOf(data, run).told, { timeout: PATIENCE_MS }).toBe(1);
  const after = keptOf(data, run);
  expect(JSON.parse(after.input)).toMatchObject({ v: { trigger: 'start', output: null, request: {} } });
  const blob = (JSON.parse(before.input) as { readonly blob?: string }).blob;
  await expect.poll(() => keptOf(data, run).files.filter((name) => name.includes(blob ?? '-'))).toEqual([]);
  expect(await bed.ctx.durable.get(run)).toMatchObject({ status: 'ok', trigger: 'start' });
});
