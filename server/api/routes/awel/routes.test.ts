import { strToU8, zipSync } from 'fflate';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Scope } from '../../../access/security/scopes.ts';
import { type Bed, startBed } from '../../../testing/platform-bed.ts';
import { corpus, originalFlow } from '../../../flows/awel/testing/original-flow.ts';

interface Answer {
  readonly status: number;
  readonly body: { err_code: string | null; err_msg: string | null; detail?: unknown };
  readonly data: Record<string, unknown>;
  readonly headers: Headers;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

const V2 = '/api/v2/serve/awel';

async function caller(bed: Bed, scopes: Scope[]): Promise<Call> {
  const { key } = await bed.ctx.keys.create({ name: scopes.join('-'), scopes });
  return async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${bed.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer['body'] & { data: Answer['data'] };
    return { status: response.status, body: answer, data: answer.data, headers: response.headers };
  };
}

const publisher: Scope[] = ['flows:read', 'flows:write', 'flows:publish'];
const writer: Scope[] = ['flows:read', 'flows:write'];

function flowsFolder(bed: Bed): string {
  return bed.ctx.config.flows[0] as string;
}

it('a flow of DB-GPT is made, read, changed, listed and removed, in its own shapes', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  const given = corpus('hello_flow');
  const made = await call('POST', `${V2}/flows?open_triggers=true`, given);
  expect(made).toMatchObject({ status: 200, body: { success: true, err_code: null } });
  expect(made.data).toMatchObject({
    uid: 'hello_flow',
    name: 'hello_flow',
    label: 'Hello Flow',
    state: 'running',
  });

  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/flow/hello`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ada","age":36}',
  });
  expect(await answer.json()).toEqual({
    server_res: 'Hello, Ada, your age is 36',
    request_body: { name: 'Ada', age: 36 },
  });

  const read = await call('GET', `${V2}/flows/hello_flow`);
  const nodes = (read.data['flow_data'] as { nodes: { id: string; position: object }[] }).nodes;
  expect(nodes.map(({ id }) => id)).toEqual(['dict_http_trigger', 'example_http_hello_operator']);
  expect(nodes[1]?.position).toEqual({ x: 600, y: 100, zoom: 0 });
  // Its first id leads to it too.
  expect((await call('GET', `${V2}/flows/${String(given['uid'])}`)).data).toEqual(read.data);

  const changed = await call('PUT', `${V2}/flows/hello_flow`, { ...read.data, label: 'Hello again' });
  expect(changed.data).toMatchObject({ label: 'Hello again', state: 'running' });

  const list = await call('GET', `${V2}/flows?page_size=1&name=hello_flow`);
  expect(list.data).toMatchObject({ total_count: 1, total_pages: 1, page: 1, page_size: 1 });
  expect(list.data['items']).toEqual([(await call('GET', `${V2}/flows/hello_flow`)).data]);

  const removed = await call('DELETE', `${V2}/flows/hello_flow`);
  expect(removed.data).toMatchObject({ uid: 'hello_flow', label: 'Hello again' });
  const gone = await call('GET', `${V2}/flows/hello_flow`);
  expect(gone).toMatchObject({
    status: 404,
    body: { success: false, err_code: 'flow_not_found', data: null },
  });
});

it('both addresses answer alike, and nothing but health without a key', async () => {
  const bed = await startBed();
  const call = await caller(bed, writer);
  for (const prefix of [V2, '/api/v1/serve/awel']) {
    expect(await (await fetch(`${bed.url}${prefix}/health`)).json()).toEqual({ status: 'ok' });
    expect((await call('GET', `${prefix}/test_auth`)).body).toEqual({ status: 'ok' });
    for (const path of ['/test_auth', '/flows', '/flows/x', '/nodes', '/flow/export/x'])
      expect((await fetch(`${bed.url}${prefix}${path}`)).status).toBe(401);
    expect((await call('GET', `${prefix}/flows`)).data).toEqual({
      items: [],
      total_count: 0,
      total_pages: 0,
      page: 1,
      page_size: 20,
    });
  }
});

it('positions go to the layout file, and leave the flow as it is', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  await call('POST', `${V2}/flows`, { ...corpus('hello_flow'), uid: 'hello' });
  const file = join(flowsFolder(bed), 'hello.json');
  const before = readFileSync(file, 'utf8');
  const { data } = await call('GET', `${V2}/flows/hello`);
  const { nodes, ...rest } = data['flow_data'] as { nodes: object[] };
  const moved = nodes.map((node) => ({ ...node, position: { x: 7, y: 8, zoom: 0 } }));
  const answer = await call('PUT', `${V2}/flows/hello`, { ...data, flow_data: { ...rest, nodes: moved } });
  expect(answer.status).toBe(200);
  expect(readFileSync(file, 'utf8')).toBe(before);
  const layout = JSON.parse(readFileSync(join(flowsFolder(bed), 'hello.layout.json'), 'utf8')) as unknown;
  expect(layout).toMatchObject({ nodes: { dict_http_trigger: { x: 7, y: 8 } } });
  const bare = moved.map(({ position: _position, ...node }) => node);
  await call('PUT', `${V2}/flows/hello`, { ...data, flow_data: { ...rest, nodes: bare } });
  expect(JSON.parse(readFileSync(join(flowsFolder(bed), 'hello.layout.json'), 'utf8'))).toEqual(layout);
});

it('a value that a client changes is taken as what it is, whether or not it keeps what is ours', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  const flow = originalFlow({
    nodes: {
      t: { name: 'dict_http_trigger', values: { endpoint: '/x', status_code: 201 } },
      j: { name: 'string_join_operator', values: { separator: '-' } },
    },
    edges: ['t.0 > j.0'],
  });
  await call('POST', `${V2}/flows`, { ...flow, uid: 'joins' });
  const { data } = await call('GET', `${V2}/flows/joins`);
  const setTo = (separator: unknown, keep: boolean) => {
    const { nodes, ...rest } = data['flow_data'] as {
      nodes: { id: string; data: { parameters: { name: string }[] } }[];
    };
    const changed = nodes.map((node) => ({
      ...node,
      data: {
        ...node.data,
        ...(!keep && { weft: undefined }),
        parameters: node.data.parameters.map((one) =>
          one.name === 'separator' ? { ...one, value: separator } : one,
        ),
      },
    }));
    return { ...data, ...(!keep && { weft: undefined }), flow_data: { ...rest, nodes: changed } };
  };
  const nodesNow = async () => (await bed.ctx.flows.get('joins')).flow?.nodes;
  await call('PUT', `${V2}/flows/joins`, setTo('+', true));
  expect((await nodesNow())?.['j']?.params).toEqual({ separator: '+' });
  await call('PUT', `${V2}/flows/joins`, setTo('*', false));
  expect((await nodesNow())?.['j']?.params).toEqual({ separator: '*' });
  expect((await nodesNow())?.['t']?.params).toMatchObject({ response: { status: 201 } });
  await call('PUT', `${V2}/flows/joins`, setTo(null, false));
  expect((await nodesNow())?.['j']?.params).toBeUndefined();
});

it('an import is a draft with a sheet of what it wants; a trigger stays open only after a yes', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  const nodes = {
    t: { name: 'dict_http_trigger', values: { endpoint: '/x' } },
    s: { name: 'awel_dict_http_sender', values: { address: 'https://api.example.com/a', token: 'abc' } },
    p: { name: 'agent_branch_operator', values: { space_name: 'mine' } },
  };
  const flow = {
    flow: originalFlow({ nodes, edges: ['t.0 > s.0', 's.0 > p.0'], more: { state: 'running' } }),
  };
  const shown = await call('POST', `${V2}/flow/import`, flow);
  expect(shown.data).toMatchObject({
    uid: 'some_flow',
    state: 'developing',
    import: {
      sheet: {
        triggers: [{ node: 't', path: '/x', methods: ['POST'], auth: 'api-key', closed: true }],
        hosts: ['api.example.com'],
        secrets: ['some_flow_token'],
        placeholders: ['p'],
      },
    },
  });
  expect(bed.ctx.flows.list()).toEqual([]);
  const problems = (shown.data['import'] as { problems: { code: string; node?: string }[] }).problems;
  expect(problems.filter(({ code }) => code === 'unknown-operator')).toMatchObject([{ node: 'p' }]);

  const form = new FormData();
  form.set('file', new Blob([JSON.stringify(flow)], { type: 'application/json' }), 'flow.json');
  const saved = await call('POST', `${V2}/flow/import?save_flow=true&open_triggers=true`, form);
  expect(saved.data).toMatchObject({
    uid: 'some_flow',
    state: 'developing',
    import: { sheet: { triggers: [{ auth: 'none', closed: false }] } },
  });
  expect(bed.ctx.flows.live('some_flow')).toBeUndefined();
  expect(existsSync(join(flowsFolder(bed), 'some_flow.json'))).toBe(false);
  const again = await call('POST', `${V2}/flow/import?save_flow=true`, flow);
  expect(again).toMatchObject({ status: 409, body: { err_code: 'conflict' } });
});

it('an export is a file of DB-GPT, which imports as the same flow', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  await call('POST', `${V2}/flows?open_triggers=true`, corpus('simple_streaming_chat'));
  const id = 'simple_streaming_chat_workflow';
  const before = await bed.ctx.flows.get(id);
  const file = await call('GET', `${V2}/flow/export/${id}`);
  expect(file.headers.get('content-disposition')).toBe(
    'attachment;filename=simple-streaming-chat-workflow.json',
  );
  const bare = await call('GET', `${V2}/flow/export/${id}?format=json`);
  expect(bare.body).toEqual(file.body);
  expect(Object.keys(bare.body)).toEqual(['flow']);
  await call('DELETE', `${V2}/flows/${id}`);
  await call('POST', `${V2}/flow/import?save_flow=true&open_triggers=true`, file.body);
  const after = await bed.ctx.flows.get(id);
  expect(after).toMatchObject({ state: 'draft', text: before.text, layout: before.layout });
  expect(await call('GET', `${V2}/flow/export/${id}?export_type=dbgpts`)).toMatchObject({
    status: 400,
    body: { err_code: 'invalid_request' },
  });
});

it('a caller who may not publish makes drafts and takes nothing down', async () => {
  const bed = await startBed();
  const [owner, call] = [await caller(bed, publisher), await caller(bed, writer)];
  const made = await call('POST', `${V2}/flows`, { ...corpus('hello_flow'), uid: 'mine' });
  expect(made.data['state']).toBe('developing');
  const live = await owner('PUT', `${V2}/flows/mine`, { ...made.data, state: 'deployed' });
  expect(live.data['state']).toBe('running');
  const text = (await bed.ctx.flows.get('mine')).text;
  await call('PUT', `${V2}/flows/mine`, { ...live.data, label: 'Other' });
  expect(bed.ctx.flows.live('mine')?.flow.name).toBe('Hello Flow');
  expect((await bed.ctx.flows.get('mine')).text).not.toBe(text);
  expect(await call('DELETE', `${V2}/flows/mine`)).toMatchObject({
    status: 403,
    body: { err_code: 'forbidden' },
  });
});

it('a flow that cannot go live as requested is not created', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  const broken = originalFlow({
    nodes: { p: { name: 'agent_branch_operator' } },
    more: { state: 'deployed' },
  });
  expect(await call('POST', `${V2}/flows`, broken)).toMatchObject({
    status: 422,
    body: { err_code: 'flow_invalid' },
  });
  expect(bed.ctx.flows.list()).toEqual([]);
  await call('POST', `${V2}/flows`, { ...corpus('hello_flow'), uid: 'one' });
  const twin = { ...corpus('hello_flow'), uid: 'two' };
  expect(await call('POST', `${V2}/flows`, twin)).toMatchObject({
    status: 409,
    body: { err_code: 'publish_conflict' },
  });
  expect(bed.ctx.flows.list().map(({ id }) => id)).toEqual(['one']);
});

it('bad input is refused with all that is wrong with it', async () => {
  const bed = await startBed();
  const call = await caller(bed, publisher);
  await call('POST', `${V2}/flows`, { ...corpus('hello_flow'), uid: 'mine' });
  const twice = originalFlow({ nodes: { a: { name: 'x' } } });
  const data = twice['flow_data'] as { nodes: object[] };
  const requests: [string, string, unknown][] = [
    ['POST', `${V2}/flows`, {}],
    ['POST', `${V2}/flows`, []],
    ['POST', `${V2}/flows`, { flow: 'x' }],
    ['POST', `${V2}/flows`, { ...twice, state: 'odd' }],
    ['POST', `${V2}/flows`, { ...twice, flow_data: { nodes: [...data.nodes, ...data.nodes], edges: [] } }],
    ['POST', `${V2}/flows?open_triggers=perhaps`, twice],
    ['PUT', `${V2}/flows/mine`, { ...corpus('hello_flow'), uid: 'other' }],
    ['POST', `${V2}/flow/import`, new FormData()],
    ['GET', `${V2}/flows?page=0&page_size=1000`, undefined],
    ['GET', `${V2}/flow/export/mine?format=pdf`, undefined],
  ];
  for (const [method, path, body] of requests) {
    const answer = await call(method, path, body);
    expect([method, path, answer.status, answer.body.err_code]).toEqual([
      method,
      path,
      400,
      'invalid_request',
    ]);
  }
  const zip = new FormData();
  zip.set('file', new Blob(['PK\u0003\u0004rest']), 'flow.zip');
  expect(await call('POST', `${V2}/flow/import`, zip)).toMatchObject({
    status: 400,
    body: { err_code: 'invalid_request', err_msg: expect.stringContaining('damaged') as string },
  });
  const bad = new FormData();
  bad.set('file', '{"flow": ');
  expect(await call('POST', `${V2}/flow/import`, bad)).toMatchObject({
    status: 400,
    body: { err_code: 'invalid_json' },
  });
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await call(method, `${V2}/flows/nope`, method === 'PUT' ? twice : undefined)).toMatchObject({
      status: 404,
      body: { err_code: 'flow_not_found' },
    });
});

it('archives are imported with all of their flows, and the answer lists the other files', async () => {
  const bed = await startBed();
  const call = await caller(bed, writer);
  const upload = (files: Record<string, unknown>, query = '') => {
    const packed = Object.entries(files).map(([path, json]) => [path, strToU8(JSON.stringify(json))]);
    const form = new FormData();
    form.set('file', new Blob([zipSync(Object.fromEntries(packed))]), 'flows.zip');
    return call('POST', `${V2}/flow/import${query}`, form);
  };
  const [one, other] = ['one', 'other'].map((name) =>
    originalFlow({ nodes: { t: { name: 'agent_trigger' } }, more: { uid: null, name, label: null } }),
  );
  expect(await upload({ 'a/one.json': { flow: one } })).toMatchObject({ status: 200, data: { uid: 'one' } });
  const both = { 'one.json': one, 'bare.json': (other as { flow_data: object }).flow_data, 'note.json': {} };
  expect(await upload(both, '?save_flow=true')).toMatchObject({
    status: 200,
    data: {
      flows: [
        { uid: 'bare', state: 'developing' },
        { uid: 'one', state: 'developing' },
      ],
      left: [{ file: 'note.json', message: expect.stringContaining('no flow') as string }],
    },
  });
  expect(await upload({ 'note.json': {} })).toMatchObject({
    status: 400,
    body: { err_code: 'invalid_request', err_msg: expect.stringContaining('note.json') as string },
  });
});

it('the nodes and edges alone are a flow, in a file and as a body', async () => {
  const bed = await startBed();
  const call = await caller(bed, writer);
  const { flow_data } = originalFlow({ nodes: { t: { name: 'agent_trigger' } } });
  const form = new FormData();
  form.set('file', new File([JSON.stringify(flow_data)], 'my-chat.json'));
  expect(await call('POST', `${V2}/flow/import`, form)).toMatchObject({
    status: 200,
    data: { uid: 'my_chat' },
  });
  expect(await call('POST', `${V2}/flows`, flow_data)).toMatchObject({
    status: 200,
    data: { uid: 'imported_flow', flow_data: { nodes: [{ id: 't' }] } },
  });
});

it('the operators are described in the shape of DB-GPT', async () => {
  const bed = await startBed();
  const call = await caller(bed, writer);
  const nodes = (await call('GET', `${V2}/nodes`)).data as unknown as Record<string, unknown>[];
  expect(nodes.length).toBe(Object.keys(bed.ctx.catalog.operators).length);
  const keys =
    'label custom_label name description category category_label flow_type icon documentation_url id tags parameters operator_type inputs outputs version type_name type_cls';
  for (const node of nodes) expect(Object.keys(node).join(' ')).toBe(keys);
  const join = nodes.find(({ name }) => name === 'text.join');
  expect(join).toMatchObject({
    id: 'operator_text.join___$$___common___$$___v1',
    flow_type: 'operator',
    operator_type: 'join',
    type_cls: 'weft.text.join',
    parameters: [{ name: 'separator', type_cls: 'builtins.str', optional: true, default: '\n', value: null }],
    outputs: [{ name: 'out', type_name: 'str', is_list: false }],
  });
});
