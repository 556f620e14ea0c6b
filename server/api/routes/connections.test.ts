import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  ACCESS_KEY,
  BUCKET,
  REGION,
  SECRET_KEY,
  startS3,
} from '../../integrations/connections/testing/s3-server.ts';
import { startImap } from '../../integrations/connections/kinds/imap/testing/imap-server.ts';
import type { Scope } from '../../access/security/scopes.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { root } from '../../../tests/support/server.ts';
import { type Bed, signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

const PASSWORD = 'the-password-of-the-shop';

async function shop() {
  const url = new URL(await newDatabase());
  const settings = {
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: url.username,
    password: PASSWORD,
    tls: 'off',
  };
  return { kind: 'postgres', settings, grants: { flows: ['customers'] } };
}

const flow = {
  format: 1,
  id: 'customers',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/customers', methods: ['GET'], auth: 'none' } },
    make: {
      operator: 'sql.execute',
      params: { connection: 'shop', sql: 'CREATE TABLE IF NOT EXISTS customers (id INT, name TEXT)' },
    },
    add: {
      operator: 'sql.execute',
      params: {
        connection: 'shop',
        sql: 'INSERT INTO customers VALUES (:id, :name)',
        each: [
          { id: 1, name: 'Ada' },
          { id: 2, name: "Robert'); DROP TABLE customers; --" },
        ],
      },
    },
    read: {
      operator: 'sql.query',
      params: { connection: 'shop', sql: 'SELECT id, name FROM customers ORDER BY id' },
    },
  },
  edges: [
    { from: 'start.out', to: 'make.in' },
    { from: 'make.out', to: 'add.in' },
    { from: 'add.out', to: 'read.in' },
  ],
};

const params = { name: 'shop' };

test('a connection is made, tested, looked into, used by a flow, and deleted', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await save(bed, flow);
  expect(await problems(bed)).toEqual(['unknown-connection', 'unknown-connection', 'unknown-connection']);

  const { grants, ...body } = await shop();
  const made = (await call('PUT /api/v1/connections/:name', { params, body })) as object;
  const { password: _, ...shown } = body.settings;
  expect(made).toMatchObject({ name: 'shop', hidden: ['password'], grants: {}, usedBy: ['customers'] });
  expect((made as { settings: object }).settings).toEqual({
    ...shown,
    most: 10,
    proxy: '',
    proxyCredentials: '',
  });
  expect(await problems(bed)).toEqual(Array.from({ length: 3 }, () => 'connection-not-granted'));
  expect((await fetch(`${bed.url}/api/v1/awel/trigger/customers`)).status).toBe(500);

  await call('PUT /api/v1/connections/:name', { params, body: { ...body, grants } });
  expect(await problems(bed)).toEqual([]);
  expect(await call('POST /api/v1/connections/:name/test', { params })).toMatchObject({ ok: true });
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/customers`);
  expect(await answer.json()).toEqual([
    { id: 1, name: 'Ada' },
    { id: 2, name: "Robert'); DROP TABLE customers; --" },
  ]);
  const { tables } = await call('GET /api/v1/connections/:name/tables', { params });
  expect((tables as { name: string }[]).map(({ name }) => name)).toEqual(['customers']);

  const list = await call('GET /api/v1/connections');
  expect(list).toMatchObject([{ name: 'shop', grants }]);
  expect(JSON.stringify(list)).not.toContain(PASSWORD);
  await call('DELETE /api/v1/connections/:name', { params });
  expect(await call('GET /api/v1/connections')).toEqual([]);
});

test('the kinds come with the schema of their form', async () => {
  const { call } = await routeCaller(await startBed());
  const kinds = (await call('GET /api/v1/connections/kinds')) as {
    kind: string;
    settings: { properties: object };
  }[];
  expect(kinds.map(({ kind }) => kind)).toContain('postgres');
  const [postgres] = kinds.filter(({ kind }) => kind === 'postgres');
  expect(postgres?.settings.properties).toMatchObject({
    password: { format: 'password' },
    port: { default: 5432 },
  });
});

test('the author of a flow sees the tables and buckets that are granted to it, and no others', async () => {
  const inbox = await tempFolder();
  const bed = await startBed({ folders: { inbox } });
  const { call } = await routeCaller(bed);
  const granted = { flows: ['customers'], operators: ['sql.query', 'file.read'] };
  await call('PUT /api/v1/connections/:name', { params, body: { ...(await shop()), grants: granted } });
  const bucket = {
    endpoint: 'http://127.0.0.1:1',
    bucket: BUCKET,
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
  };
  for (const [name, flows] of [
    ['mine', ['customers']],
    ['theirs', ['others']],
  ] as const)
    await call('PUT /api/v1/connections/:name', {
      params: { name },
      body: { kind: 's3', settings: bucket, grants: { flows } },
    });
  const keyOf = async (...scopes: Scope[]) =>
    (await bed.ctx.keys.create({ name: scopes.join(' '), scopes })).key;
  const get = async (key: string, path: string) => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    const body = (await answer.json()) as { err_code?: string; data: unknown };
    return { status: answer.status, code: body.err_code, data: body.data };
  };
  const [writer, publisher, reader] = [
    await keyOf('flows:write'),
    await keyOf('flows:write', 'flows:publish'),
    await keyOf('flows:read'),
  ];
  const tables = '/connections/shop/tables';
  const use = '?flow=customers&operator=sql.query';
  expect(await get(publisher, `${tables}${use}`)).toMatchObject({ status: 200, data: { tables: [] } });
  expect(await get(writer, `${tables}${use}`)).toMatchObject({ status: 403, code: 'secret_draft' });
  for (const other of [
    '',
    '?flow=customers',
    '?flow=others&operator=sql.query',
    '?flow=customers&operator=sql.ask',
  ])
    expect(await get(publisher, `${tables}${other}`)).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
  expect(await get(publisher, `/connections/none/tables${use}`)).toMatchObject({
    status: 404,
    code: 'connection_not_found',
  });
  expect(await get(reader, `${tables}${use}`)).toMatchObject({ status: 403 });
  const all = await call('GET /api/v1/folders');
  const folder = { name: 'inbox', kind: 'folder' };
  expect(all).toEqual([folder, { name: 'mine', kind: 's3' }, { name: 'theirs', kind: 's3' }]);
  const stores = await get(writer, '/folders?flow=customers&operator=file.read');
  expect(stores.data).toEqual([folder, { name: 'mine', kind: 's3' }]);
  expect((await get(writer, '/folders')).data).toEqual([folder]);
  expect((await get(writer, '/folders?for=databases')).data).toEqual([
    { name: 'databases', kind: 'folder' },
    folder,
  ]);
  expect(await get(reader, '/folders')).toMatchObject({ status: 403 });
  writeFileSync(join(inbox, 'people.csv'), 'name');
  const files = '/folders/inbox/files';
  expect(await call('GET /api/v1/folders/:name/files', { params: { name: 'inbox' } })).toEqual([
    { path: 'people.csv', kind: 'file' },
  ]);
  const runner = await keyOf('flows:write', 'runs:write');
  expect((await get(runner, files)).data).toHaveLength(1);
  expect((await get(runner, '/folders/mine/files')).data).toEqual([]);
  expect(await get(runner, '/folders/nowhere/files')).toMatchObject({
    status: 404,
    code: 'connection_not_found',
  });
  // Whoever may not run what reads them does not see them either.
  expect(await get(writer, files)).toMatchObject({ status: 403 });
});

test('changes of a connection are in the audit, without the password', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await call('PUT /api/v1/connections/:name', { params, body: await shop() });
  await call('POST /api/v1/connections/:name/test', { params });
  await call('DELETE /api/v1/connections/:name', { params });
  const { entries } = await bed.ctx.auditLog.list({ limit: 10 });
  expect(entries.map(({ what }) => what).filter((what) => what.startsWith('connection'))).toEqual([
    'connection removed',
    'connection tested',
    'connection made',
  ]);
  expect(JSON.stringify(entries)).not.toContain(PASSWORD);
});

test.each([
  ['a name that no flow could write', 'Not-A-Name', {}, 'name of a connection is an id'],
  ['an unknown kind', 'shop', { kind: 'oracle' }, 'kind'],
  ['a setting that is none', 'shop', { settings: { sslmode: 'x' } }, 'settings'],
])('%s is refused', async (_, name, change, word) => {
  const bed = await startBed();
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const body = JSON.stringify({ ...(await shop()), ...change });
  const answer = await fetch(`${bed.url}/api/v1/connections/${name}`, { method: 'PUT', headers, body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(word);
});

test('a flow sends requests through a connection, and its records show no credentials', async () => {
  const service = createServer((request, response) => {
    // Returns the headers that it received.
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ url: request.url, credentials: request.headers.authorization }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const settings = { address, auth: 'basic', user: 'weft', secret: PASSWORD };
  await call('PUT /api/v1/connections/:name', {
    params: { name: 'crm' },
    body: { kind: 'http', settings, grants: { flows: ['contacts'] } },
  });
  await save(bed, {
    format: 1,
    id: 'contacts',
    nodes: {
      start: { operator: 'trigger.http', params: { path: '/contacts', methods: ['GET'], auth: 'none' } },
      ask: { operator: 'http.request', params: { connection: 'crm', url: '/contacts' } },
      wrong: {
        operator: 'sql.query',
        params: { connection: 'crm', sql: 'SELECT 1' },
        onError: 'continue',
        fallback: { out: [] },
      },
    },
    edges: [
      { from: 'start.out', to: 'ask.in' },
      { from: 'ask.body', to: 'wrong.in' },
    ],
  });
  expect((await bed.ctx.flows.get('contacts')).problems).toMatchObject([
    { code: 'unknown-connection', message: expect.stringContaining('of the kind http') },
  ]);
  const list = (await call('GET /api/v1/connections')) as { usedBy: string[] }[];
  expect(list[0]?.usedBy).toEqual(['contacts']);
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/contacts`);
  const run = answer.headers.get('x-weft-run') ?? '';
  expect(answer.status).toBe(200);
  const events = JSON.stringify(await bed.ctx.runs.events(run, 0));
  expect(events).toContain('/v1/contacts');
  const basic = Buffer.from(`weft:${PASSWORD}`).toString('base64');
  for (const word of [PASSWORD, basic.slice(10, 30)]) expect(events).not.toContain(word);
});

test('a package uses connections of the kinds that it declares, where they are granted', async () => {
  const service = createServer((request, response) => {
    response.end(JSON.stringify([request.url, request.headers.authorization]));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const folder = join(root, 'docs/examples/weft-sample');
  const other = await tempFolder();
  cpSync(folder, other, { recursive: true });
  const { weft, ...manifest } = JSON.parse(readFileSync(join(other, 'package.json'), 'utf8')) as {
    weft: { reach: object };
  };
  const undeclared = { ...manifest, weft: { ...weft, reach: { ...weft.reach, connections: ['s3'] } } };
  writeFileSync(join(other, 'package.json'), JSON.stringify(undeclared));
  for (const [packages, grants, word] of [
    [folder, { flows: ['people'] }, `["/v1/contacts?limit=5","Bearer ${PASSWORD}"]`],
    [folder, { flows: ['other'] }, 'connection_not_granted'],
    [other, { flows: ['people'] }, 'package_not_declared'],
  ] as const) {
    const bed = await startBed({ packages: [packages] });
    const { call } = await routeCaller(bed);
    const body = { kind: 'http', settings: { address, secret: PASSWORD }, grants };
    await call('PUT /api/v1/connections/:name', { params: { name: 'crm' }, body });
    await save(bed, {
      format: 1,
      id: 'people',
      nodes: {
        start: { operator: 'trigger.http', params: { path: '/people', methods: ['GET'], auth: 'none' } },
        read: { operator: 'sample.contacts', params: { connection: 'crm', limit: 5 } },
      },
      edges: [{ from: 'start.out', to: 'read.in' }],
    });
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/people`);
    expect(await answer.text()).toContain(word);
    await bed.stop();
  }
});

test('a flow stores a file in a bucket, finds it there and answers with it', async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const { endpoint } = s3;
  const settings = { endpoint, region: REGION, bucket: BUCKET, accessKey: ACCESS_KEY, secretKey: SECRET_KEY };
  await save(bed, {
    format: 1,
    id: 'stored',
    nodes: {
      start: { operator: 'trigger.http', params: { path: '/stored', methods: ['GET'], auth: 'none' } },
      text: { operator: 'text.template', params: { template: 'Hello' } },
      file: { operator: 'file.from-text', params: { name: 'a.txt' } },
      zip: { operator: 'file.zip', params: { name: 'a.zip' } },
      write: { operator: 'file.write', params: { folder: 'archive', path: '2026/a.zip' } },
      read: { operator: 'file.read', params: { folder: 'archive', path: '2026/a.zip' } },
      unzip: { operator: 'file.unzip' },
      first: { operator: 'core.map', params: { value: '{{ input[0].file }}' } },
    },
    edges: ['start', 'text', 'file', 'zip', 'write', 'read', 'unzip', 'first'].flatMap((id, i, all) =>
      i === 0 ? [] : [{ from: `${all[i - 1]}.out`, to: `${id}.in` }],
    ),
  });
  const ask = () => fetch(`${bed.url}/api/v1/awel/trigger/stored`);
  expect(await (await ask()).text()).toContain('folder_unknown');
  const body = { kind: 's3', settings };
  await call('PUT /api/v1/connections/:name', { params: { name: 'archive' }, body });
  expect((await bed.ctx.flows.get('stored')).problems).toMatchObject([
    { code: 'connection-not-granted' },
    { code: 'connection-not-granted' },
  ]);
  expect(await (await ask()).text()).toContain('connection_not_granted');
  await call('PUT /api/v1/connections/:name', {
    params: { name: 'archive' },
    body: { ...body, grants: { flows: ['stored'] } },
  });
  const answer = await ask();
  expect([answer.status, await answer.text()]).toEqual([200, 'Hello']);
  expect([...s3.objects.keys()]).toEqual(['2026/a.zip']);
  expect(await (await ask()).text()).toContain('folder_file_exists');
});

async function save(bed: Bed, made: object): Promise<void> {
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const answer = await fetch(`${bed.url}/api/v1/flows`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ flow: made }),
  });
  expect(answer.status).toBe(201);
}

async function problems(bed: Bed): Promise<string[]> {
  const { problems: found } = await bed.ctx.flows.get('customers');
  return found.map(({ code }) => code).filter((code) => code.includes('connection'));
}

test('a statement is described for who may write the flow, and its flow is checked again', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const read = (sql: string) => ({
    ...flow,
    nodes: {
      ...flow.nodes,
      read: { operator: 'sql.query', params: { connection: 'shop', sql } },
      say: { operator: 'text.template', params: { template: '{{ nodes.read[0].nmae }}' } },
    },
    edges: [...flow.edges, { from: 'read.out', to: 'say.in' }],
  });
  const sql = flow.nodes.read.params.sql;
  await call('PUT /api/v1/connections/:name', { params, body: await shop() });
  await save(bed, read(sql));
  // The run makes the table, and fails then.
  expect((await fetch(`${bed.url}/api/v1/awel/trigger/customers`)).status).toBe(422);
  const codes = async () => (await bed.ctx.flows.get('customers')).problems.map(({ code }) => code);
  expect(await codes()).toEqual([]);

  const body = { flow: 'customers', operator: 'sql.query', sql };
  expect(await call('POST /api/v1/connections/:name/describe', { params, body })).toEqual({
    is: 'rows',
    columns: [
      { name: 'id', type: 'integer', nullable: true, schema: { type: 'integer' } },
      { name: 'name', type: 'text', nullable: true, schema: { type: 'string' } },
    ],
  });
  // The flow is checked again when it is known, and keeps serving.
  await expect.poll(codes).toEqual(['missing-field']);
  const other = { params, body: { ...body, flow: 'other' } };
  expect(await call('POST /api/v1/connections/:name/describe', other)).toMatchObject({
    is: 'unknown',
    code: 'connection_not_granted',
  });
  const none = { params: { name: 'none' }, body };
  expect(await call('POST /api/v1/connections/:name/describe', none)).toMatchObject({
    is: 'unknown',
    code: 'connection_missing',
  });

  const checked = await call('POST /api/v1/flows/check', {
    body: { flow: read('SELECT nmae FROM customers') },
  });
  expect(checked).toMatchObject({
    problems: [
      {
        code: 'statement-refused',
        severity: 'warning',
        node: 'read',
        message: expect.stringContaining('nmae'),
      },
    ],
  });
});

test.each([
  ['none', 'The database refused a statement.'],
  ['api-key', 'The database reported: relation "a_table_nobody_should_know" does not exist'],
])('the caller of a trigger with auth %s reads: %s', async (auth, message) => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await call('PUT /api/v1/connections/:name', { params, body: await shop() });
  const query = (sql: string, operator: string) => ({ operator, params: { connection: 'shop', sql } });
  await save(bed, {
    ...flow,
    nodes: {
      start: { operator: 'trigger.http', params: { path: '/customers', methods: ['GET', 'POST'], auth } },
      read: query('SELECT secret_column FROM a_table_nobody_should_know', 'sql.query'),
    },
    edges: [{ from: 'start.out', to: 'read.in' }],
  });
  const { key } = (await bed.ctx.keys.create({ name: 'caller', scopes: ['triggers'] })) as { key: string };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const init of [{ headers }, { headers, method: 'POST', body: '{}' }]) {
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/customers`, init);
    expect(answer.status).toBe(502);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      err_code: 'sql_failed',
      err_msg: expect.stringContaining(message),
    });
    expect(text.includes('a_table_nobody')).toBe(auth !== 'none');
    const { error } = (await call('GET /api/v1/runs/:id', {
      params: { id: answer.headers.get('x-weft-run') as string },
    })) as { error: { message: string } };
    expect(error.message).toContain('a_table_nobody_should_know');
  }
});

test('the mailboxes behind a connection are listed and made over HTTP', async () => {
  const mails = await startImap([{ name: 'INBOX' }]);
  onTestFinished(() => mails.close());
  const { call } = await routeCaller(await startBed());
  const params = { name: 'box' };
  const settings = { host: '127.0.0.1', port: mails.port, user: 'ada', password: 'right', tls: 'off' };
  await call('PUT /api/v1/connections/:name', { params, body: { kind: 'imap', settings, grants: {} } });
  await call('POST /api/v1/connections/:name/names', { params, body: { of: 'mailbox', name: 'Orders' } });
  const query = '?of=mailbox';
  const { names } = (await call('GET /api/v1/connections/:name/names', { params, query })) as {
    names: { name: string }[];
  };
  expect(names.map(({ name }) => name).sort()).toEqual(['INBOX', 'Orders']);
});
