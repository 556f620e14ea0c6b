import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDb } from '../../base/adapters/db.ts';
import type { Context } from './context.ts';
import { handleError } from '../../access/http/error-handler.ts';
import {
  builtInRegistry,
  flowFixture,
  type FlowFixture,
  helloFlow,
} from '../../flows/service/testing/flow-fixture.ts';
import { createVariableStore } from '../../flows/service/variable-store.ts';
import { createCallRates } from '../../base/rates/call-rates.ts';
import { createAccess } from '../../access/security/access.ts';
import { guardRoutes } from '../../access/security/guard.ts';
import type { Scope } from '../../access/security/scopes.ts';
import { sha256 } from '../../access/security/secrets.ts';
import { testConfig, testContext } from '../../testing/fake-context.ts';
import { addRoutes } from './define-route.ts';
import flowRoutes from './flows.ts';
import operatorRoutes from './operators.ts';
import variableRoutes from './variables.ts';

let f: FlowFixture;
let app: FastifyInstance;
let url: string;

const keys: Record<string, Scope[]> = {
  reader: ['flows:read'],
  writer: ['flows:read', 'flows:write'],
  publisher: ['flows:read', 'flows:write', 'flows:publish'],
  admin: ['flows:read', 'admin'],
};

beforeEach(async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  app = fastify();
  app.setErrorHandler(handleError);
  app.decorate('rates', createCallRates(Date.now));
  const ctx = await contextOf(f);
  guardRoutes(app, ctx);
  addRoutes(app, ctx, [...flowRoutes, ...operatorRoutes, ...variableRoutes]);
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await app.close();
  await f.end();
});

async function contextOf(fixture: FlowFixture): Promise<Context> {
  const registry = await builtInRegistry();
  const records = Object.entries(keys).map(([name, scopes]) => {
    return { id: name, name, hash: sha256(name), scopes, createdAt: '2025-01-01T00:00:00Z' };
  });
  return testContext({
    flows: fixture.service,
    registry,
    catalog: registry.catalog,
    variables: createVariableStore(await openDb(`${fixture.data}/db.json`)),
    access: createAccess(testConfig(), records),
  });
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly code: string | null;
  readonly detail: unknown;
  readonly data: unknown;
}

async function call(key: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { err_code: string | null; data: unknown; detail?: unknown };
  return {
    status: response.status,
    location: response.headers.get('location'),
    code: answer.err_code,
    detail: answer.detail,
    data: answer.data,
  };
}

const revisionOf = async (id: string) => (await f.service.get(id)).revision;

it('flows are listed, found by part of their name, and filtered by state', async () => {
  await call('writer', 'POST', '/flows', { text: '{', id: 'half' });
  const idsAt = async (path: string) =>
    ((await call('reader', 'GET', path)).data as { id: string }[]).map((r) => r.id);
  expect(await idsAt('/flows')).toEqual(['a', 'half']);
  expect(await idsAt('/flows?q=HAL')).toEqual(['half']);
  expect(await idsAt('/flows?state=live')).toEqual(['a']);
  expect(await call('reader', 'GET', '/flows?state=odd&x=1')).toMatchObject({
    status: 400,
    code: 'invalid_request',
    detail: [
      { type: 'literal_error', loc: ['query', 'state'], input: 'odd' },
      { type: 'extra_forbidden', loc: ['query', 'x'] },
    ],
  });
});

it('a large flow is answered like a small one', async () => {
  const many = Array.from({ length: 1000 }, (_, i) => [
    `n${i}`,
    { operator: 'trigger.manual', name: 'é'.repeat(90) },
  ]);
  const flow = { format: 1, id: 'big', nodes: Object.fromEntries(many), edges: [] };
  const made = await call('writer', 'POST', '/flows', { flow });
  expect(made).toMatchObject({ status: 201, code: null, data: { id: 'big', flow } });
  const read = await fetch(`${url}/api/v1/flows/big`, { headers: { authorization: 'Bearer reader' } });
  expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { data } = (await read.json()) as { data: { text: string } };
  expect(data).toEqual(made.data);
  expect(JSON.parse(data.text)).toEqual(flow);
});

it('flows are listed with what they take and give, where that is asked for', async () => {
  await call('writer', 'POST', '/flows', { text: '{', id: 'half' });
  const [plain] = (await call('reader', 'GET', '/flows')).data as object[];
  expect(plain).not.toHaveProperty('schemas');
  // Its trigger accepts anything, even nothing, which then has no output.
  const gives = { type: ['string', 'null'] };
  expect((await call('reader', 'GET', '/flows?schemas=true')).data).toEqual([
    { ...plain, schemas: { trigger: { gives, givesItems: gives } } },
    expect.not.objectContaining({ schemas: expect.anything() }),
  ]);
});

it('a flow is created from an object, read, saved as text, and removed', async () => {
  const created = await call('publisher', 'POST', '/flows', { flow: JSON.parse(helloFlow('b')) });
  expect(created).toMatchObject({
    status: 201,
    location: '/api/v1/flows/b',
    data: { id: 'b', state: 'live', text: helloFlow('b') },
  });
  expect((await call('reader', 'GET', '/flows/b')).data).toEqual(created.data);
  const { revision } = created.data as { revision: string };
  const text = helloFlow('b', { says: 'Two' });
  const saved = await call('publisher', 'PUT', '/flows/b', { text, revision });
  expect(saved).toMatchObject({ status: 200, data: { text, state: 'live' } });
  expect(await call('publisher', 'PUT', '/flows/b', { text, revision })).toMatchObject({
    status: 409,
    code: 'revision_conflict',
    detail: [{ revision: await revisionOf('b') }],
  });
  expect(await call('publisher', 'DELETE', '/flows/b')).toMatchObject({
    status: 400,
    code: 'invalid_request',
  });
  const removed = await call('publisher', 'DELETE', `/flows/b?revision=${await revisionOf('b')}`);
  expect(removed.status).toBe(200);
  expect(await call('reader', 'GET', '/flows/b')).toMatchObject({ status: 404, code: 'flow_not_found' });
});

it('a caller who may write but not publish makes drafts, and takes nothing down', async () => {
  const revision = await revisionOf('a');
  const text = helloFlow('a', { says: 'Two' });
  const saved = await call('writer', 'PUT', '/flows/a', { text, revision });
  expect(saved).toMatchObject({ status: 200, data: { hasDraft: true, text } });
  expect(f.read('a.json')).toBe(helloFlow('a'));
  const current = { revision: await revisionOf('a') };
  expect((await call('writer', 'POST', '/flows/a/publish', current)).code).toBe('forbidden');
  expect((await call('writer', 'DELETE', `/flows/a?revision=${current.revision}`)).code).toBe('forbidden');
  const published = await call('publisher', 'POST', '/flows/a/publish', { ...current, label: 'two' });
  expect(published).toMatchObject({ status: 200, data: { hasDraft: false } });
  expect((await call('reader', 'GET', '/flows/a/versions')).data).toMatchObject([
    { author: 'key publisher', actor: { kind: 'key', name: 'key publisher' }, label: 'two', live: true },
    {},
  ]);
});

it('a draft is discarded, a version read and restored', async () => {
  const first = f.service.live('a')?.version ?? '';
  await call('publisher', 'PUT', '/flows/a', {
    text: helloFlow('a', { says: 'Two' }),
    revision: await revisionOf('a'),
  });
  await call('publisher', 'PUT', '/flows/a', { text: '{', revision: await revisionOf('a') });
  const discarded = await call('writer', 'POST', '/flows/a/discard', { revision: await revisionOf('a') });
  expect(discarded).toMatchObject({ status: 200, data: { hasDraft: false } });
  expect((await call('reader', 'GET', `/flows/a/versions/${first}`)).data).toEqual({
    version: first,
    text: helloFlow('a'),
  });
  const back = { revision: await revisionOf('a') };
  expect((await call('writer', 'POST', `/flows/a/versions/${first}/restore`, back)).code).toBe('forbidden');
  expect(await call('publisher', 'POST', `/flows/a/versions/${first}/restore`, back)).toMatchObject({
    status: 200,
    data: { version: first, text: helloFlow('a') },
  });
  const nowhere = await call('reader', 'GET', '/flows/a/versions/0000000000000000');
  expect(nowhere).toMatchObject({ status: 404, code: 'version_not_found' });
});

it('a version is named by who may change flows, and one that was never kept is not', async () => {
  const text = helloFlow('a', { says: 'Two' });
  const saved = await call('publisher', 'PUT', '/flows/a', { text, revision: await revisionOf('a') });
  const { version } = saved.data as { version: string };
  const at = `/flows/a/versions/${version}/label`;
  expect((await call('reader', 'PUT', at, { label: 'v2' })).code).toBe('forbidden');
  expect((await call('writer', 'PUT', at, { label: '' })).code).toBe('invalid_request');
  expect(await call('writer', 'PUT', at, { label: 'v2' })).toMatchObject({ status: 200 });
  const labels = async () => (await call('reader', 'GET', '/flows/a/versions')).data;
  expect(await labels()).toContainEqual(expect.objectContaining({ version, label: 'v2' }));
  await call('writer', 'PUT', at, { label: null });
  expect(await labels()).not.toContainEqual(expect.objectContaining({ label: 'v2' }));
  const nowhere = await call('writer', 'PUT', '/flows/a/versions/0000000000000000/label', { label: 'x' });
  expect(nowhere).toMatchObject({ status: 404, code: 'version_not_found' });
});

it('a flow with errors is not published, and the answer lists its problems', async () => {
  await call('writer', 'PUT', '/flows/a', {
    text: helloFlow('a').replace('text.template', 'text.temple'),
    revision: await revisionOf('a'),
  });
  const answer = await call('publisher', 'POST', '/flows/a/publish', { revision: await revisionOf('a') });
  expect(answer).toMatchObject({ status: 422, code: 'flow_invalid', detail: [{ code: 'unknown-operator' }] });
});

it('a layout is read and written', async () => {
  expect((await call('reader', 'GET', '/flows/a/layout')).data).toBeNull();
  const layout = { format: 1, nodes: { trigger: { x: 1, y: 2 } } };
  expect((await call('writer', 'PUT', '/flows/a/layout', layout)).status).toBe(200);
  expect((await call('reader', 'GET', '/flows/a/layout')).data).toEqual(layout);
  const bad = await call('writer', 'PUT', '/flows/a/layout', {
    format: 1,
    nodes: { trigger: { x: 'left' } },
  });
  expect(bad).toMatchObject({
    code: 'invalid_request',
    detail: [{ loc: ['body', 'nodes', 'trigger', 'x'] }, { loc: ['body', 'nodes', 'trigger', 'y'] }],
  });
});

it('a text is checked without being kept', async () => {
  const answer = await call('reader', 'POST', '/flows/check', {
    text: helloFlow('x').replace('in"', 'inn"'),
  });
  expect(answer).toMatchObject({ status: 200, data: { flow: { id: 'x' } } });
  const codes = (answer.data as { problems: { code: string }[] }).problems.map((p) => p.code);
  expect(codes).toContain('unknown-port');
  expect(f.service.list()).toHaveLength(1);
});

it('a body that gives both forms, neither, or an unknown field is refused with every problem', async () => {
  const both = await call('writer', 'POST', '/flows', { text: '{}', flow: {}, extra: 1 });
  expect(both).toMatchObject({
    status: 400,
    detail: [{ type: 'extra_forbidden', loc: ['body', 'extra'] }, { loc: ['body', 'text'] }],
  });
  const neither = await call('writer', 'PUT', '/flows/a', { revision: 'x' });
  expect(neither).toMatchObject({ status: 400, detail: [{ loc: ['body', 'text'] }] });
  const nameless = await call('writer', 'POST', '/flows', { text: '{' });
  expect(nameless).toMatchObject({ status: 400, code: 'invalid_request' });
  expect((await call('writer', 'POST', '/flows')).status).toBe(400);
});

it('a path that leads out of the folder finds nothing', async () => {
  for (const id of ['..%2F..%2Fetc%2Fpasswd', '%2e%2e', '.drafts', 'a.json']) {
    expect((await call('publisher', 'GET', `/flows/${id}`)).status).toBe(404);
    const saved = await call('publisher', 'PUT', `/flows/${id}`, { text: helloFlow('a'), revision: 'x' });
    expect(saved.status).toBeGreaterThanOrEqual(400);
  }
  expect(f.service.list().map((record) => record.file)).toEqual(['a.json']);
});

it('the catalog describes every operator', async () => {
  const { operators } = (await call('reader', 'GET', '/operators')).data as {
    operators: Record<string, object>;
  };
  expect(operators['trigger.http']).toMatchObject({ type: 'trigger.http', trigger: true });
});

it('variables are read by who reads flows and written by admins', async () => {
  expect((await call('writer', 'PUT', '/variables/city', { value: 'Oslo' })).code).toBe('forbidden');
  expect((await call('admin', 'PUT', '/variables/city', { value: ['Oslo'] })).status).toBe(200);
  expect((await call('reader', 'GET', '/variables')).data).toEqual([{ name: 'city', value: ['Oslo'] }]);
  expect(await call('admin', 'PUT', '/variables/City', { value: 1 })).toMatchObject({
    code: 'invalid_request',
  });
  expect(await call('admin', 'PUT', '/variables/city', {})).toMatchObject({
    detail: [{ loc: ['body', 'value'] }],
  });
  expect((await call('admin', 'DELETE', '/variables/city')).status).toBe(200);
  expect((await call('admin', 'DELETE', '/variables/city')).code).toBe('variable_not_found');
});

it('without a key there is nothing to see', async () => {
  for (const path of ['/flows', '/flows/a', '/operators', '/variables']) {
    expect(await call(undefined, 'GET', path)).toMatchObject({
      status: 401,
      code: 'unauthorized',
      data: null,
    });
  }
});
