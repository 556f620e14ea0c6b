import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import type { OpenApi, Operation } from '../../server/api/routes/openapi/openapi.ts';
import { type Bed, startBed, tempFolder } from '../../server/testing/platform-bed.ts';
import { nastyFlows } from '../support/nasty-flows.ts';
import { ask } from '../support/client.ts';
import { leaks } from '../support/leaks.ts';
import { root } from '../support/server.ts';
import { actorNamed } from '../../server/flows/service/testing/flow-fixture.ts';

const KEY = 'a-key-of-sixteen';
const bearer = { authorization: `Bearer ${KEY}` };

/** A server with the example flows, and with some that nobody would write. */
async function startFull(changes: Parameters<typeof startBed>[0] = {}): Promise<Bed> {
  const folder = await tempFolder();
  await cp(join(root, 'flows/examples'), folder, { recursive: true });
  await mkdir(join(folder, 'nasty'));
  for (const flow of nastyFlows)
    await writeFile(join(folder, 'nasty', `${flow.id}.json`), JSON.stringify(flow));
  const secrets = { hook: 'a-secret-of-a-hook', door: 'open-sesame' };
  return startBed({ flows: [folder], apiKeys: [KEY], secrets, grants: { hook: {}, door: {} }, ...changes });
}

async function documentOf(bed: Bed, path = '/openapi.json', headers: Record<string, string> = bearer) {
  const answer = await ask(bed.url + path, { headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  expect(leaks(answer.text)).toEqual([]);
  return answer.body as OpenApi;
}

/** Valid by the schema of OpenAPI, with references that lead somewhere, and each operation under one name. */
async function expectValid(document: OpenApi): Promise<void> {
  // Generators of types refuse a schema that is nothing but a union with itself.
  expect(JSON.stringify(document.components.schemas['Json'] ?? {})).not.toContain('$ref');
  const result = await new Validator().validate(structuredClone(document) as never);
  expect(result.errors ?? []).toEqual([]);
  const dangling = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].filter(
    ([, reference = '']) => target(document, reference) === undefined,
  );
  expect(dangling).toEqual([]);
  const ids = operations(document).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const operation of operations(document))
    for (const name of operation.security.flatMap((one) => Object.keys(one)))
      expect(document.components.securitySchemes).toHaveProperty([name]);
}

function target(document: OpenApi, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
}

function operations({ paths }: OpenApi): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item));
}

const trigger = (path: string): string => `/api/v1/awel/trigger${path}`;

test('the document of a server with example flows and odd ones is valid OpenAPI 3.1', async () => {
  const bed = await startFull();
  expect(bed.ctx.flows.list().filter(({ state }) => state !== 'live')).toEqual([]);
  const document = await documentOf(bed);
  await expectValid(document);
  expect(document.openapi).toBe('3.1.0');
  expect(operations(document).length).toBeGreaterThan(100);
});

test('the example is there as it is called: its query, its answer, and no key', async () => {
  const { paths, components } = await documentOf(await startFull());
  const hello = paths[trigger('/examples/hello')]?.['get'];
  expect(hello).toMatchObject({
    operationId: 'simple_dag_example.trigger.get',
    security: [],
    parameters: [
      { name: 'name', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'age', in: 'query', required: false, schema: { type: 'integer', default: 18 } },
    ],
  });
  expect(hello?.responses['200']?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/simple_dag_example_trigger_response' } },
  });
  expect(components.schemas['simple_dag_example_trigger_response']).toMatchObject({ type: 'string' });
});

test('each kind of authentication is told in the words that OpenAPI has for it', async () => {
  const { paths, components } = await documentOf(await startFull());
  const post = (path: string): Operation | undefined => paths[trigger(path)]?.['post'];
  expect(post('/auth/key')?.security).toEqual([{ apiKey: ['triggers'] }]);
  expect(post('/auth/basic')?.security).toEqual([{ basic: [] }]);
  expect(post('/auth/slack')?.security).toEqual([
    { 'header_x-slack-signature': [], 'header_x-slack-request-timestamp': [] },
  ]);
  expect(post('/auth/slack')?.description).toContain('x-slack-signature: v0=<hex of HMAC-SHA256');
  expect(components.securitySchemes['header_x-slack-signature']).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'x-slack-signature',
  });
});

test('what the schemas say of a field is there: of a query, a body and an answer', async () => {
  const { paths } = await documentOf(await startBed({ apiKeys: [KEY] }));
  const apps = paths['/api/v2/serve/apps'];
  expect(apps?.['get']?.parameters?.[0]).toMatchObject({ description: '0 and below mean page 1.' });
  expect(JSON.stringify(apps?.['post']?.requestBody)).toContain('"description":"Unique among apps."');
  const status = paths['/api/v1/run-status/{id}']?.['get']?.responses['200'];
  expect(JSON.stringify(status)).toContain('"description":"The result of the flow, once there is one."');
});

test('params of a path are in braces; paths that differ in their names only are one', async () => {
  const { paths } = await documentOf(await startFull());
  const item = paths[trigger('/shops/{shop}/{odd}/a.b~c-d_e')];
  expect(Object.keys(item ?? {}).sort()).toEqual(['delete', 'get', 'put']);
  for (const operation of Object.values(item ?? {}))
    expect(operation.parameters?.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual([
      'shop',
      'odd',
    ]);
  expect(item?.['put']?.requestBody?.content).toHaveProperty(
    ['application/json', 'schema', 'required'],
    ['name'],
  );
});

test('a streamed answer, one at once and several kinds of body are told', async () => {
  const { paths } = await documentOf(await startFull());
  const post = paths[trigger('/kinds')]?.['post'];
  expect(Object.keys(post?.requestBody?.content ?? {})).toEqual([
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
  ]);
  expect(Object.keys(post?.responses['201']?.content ?? {})).toEqual(['text/event-stream']);
  expect(Object.keys(paths[trigger('/later')]?.['get']?.responses ?? {})).toContain('202');
});

test('strangers and keys without `flows:read` see the platform only; a wrong key is refused', async () => {
  const bed = await startFull();
  const ownPaths = ({ paths }: OpenApi) => Object.keys(paths).filter((path) => path.startsWith(trigger('')));
  const open = await documentOf(bed, '/openapi.json', {});
  await expectValid(open);
  expect(ownPaths(open)).toEqual([]);
  expect(JSON.stringify(open)).not.toContain('simple_dag_example');
  expect(ownPaths(await documentOf(bed)).length).toBeGreaterThan(5);
  const wrong = await ask(`${bed.url}/openapi.json`, { headers: { authorization: 'Bearer of-nothing' } });
  expect([wrong.status, wrong.body]).toMatchObject([401, { err_code: 'unauthorized' }]);
});

test('a flow has a document of its own, with what it needs and nothing else', async () => {
  const bed = await startFull();
  const document = await documentOf(bed, '/api/v1/flows/simple_dag_example/openapi.json');
  await expectValid(document);
  expect(Object.keys(document.paths)).toEqual([trigger('/examples/hello')]);
  expect(document.components.securitySchemes).toEqual({});
  const missing = await ask(`${bed.url}/api/v1/flows/nothing/openapi.json`, { headers: bearer });
  expect([missing.status, missing.body]).toMatchObject([404, { err_code: 'flow_not_found' }]);
});

test('the document follows what is live', async () => {
  const bed = await startFull();
  const { flows } = bed.ctx;
  const text = (path: string) =>
    JSON.stringify({
      format: 1,
      id: 'late',
      nodes: { start: { operator: 'trigger.http', params: { path, auth: 'none' } } },
      edges: [],
    });
  const saved = await flows.save('late', text('/late/one'), {
    revision: undefined,
    actor: actorNamed('test'),
  });
  expect((await documentOf(bed)).paths).toHaveProperty([trigger('/late/one')]);
  const again = await flows.save('late', text('/late/two'), {
    revision: saved.revision,
    actor: actorNamed('test'),
  });
  const { paths } = await documentOf(bed);
  expect([trigger('/late/one') in paths, trigger('/late/two') in paths]).toEqual([false, true]);
  await flows.remove('late', { revision: again.revision });
  expect((await documentOf(bed)).paths).not.toHaveProperty([trigger('/late/two')]);
});

test('it tells where triggers are that have an origin of their own', async () => {
  const document = await documentOf(await startFull({ triggerOrigin: 'https://flows.example' }));
  await expectValid(document);
  const servers = [{ url: 'https://flows.example' }];
  expect(document.paths[trigger('/examples/hello')]).toMatchObject({ get: { servers } });
  expect(document.servers).toEqual([{ url: '/' }]);
});

test('without the editor it describes what is served, and where', async () => {
  const bed = await startFull({ editor: 'off', publicUrl: 'https://flows.example' });
  const document = await documentOf(bed);
  await expectValid(document);
  expect(document.servers).toEqual([{ url: 'https://flows.example' }]);
  expect(Object.keys(document.paths)).toContain('/api/v2/chat/completions');
  expect(Object.keys(document.paths)).toContain(trigger('/examples/hello'));
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/v1/flows'))).toEqual([]);
});
