import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus } from '../../server/flows/awel/testing/original-flow.ts';
import { startOriginalClient, type OriginalClient } from './support/original-client.ts';
import { startWorld, type World } from './support/world.ts';

/** The original's flows API and its example trigger, as its client uses them. */
let world: World;
let writer: OriginalClient;

/** Values that the client's classes would turn into something else, or fail at. */
const hard = {
  format: 1,
  id: 'hard_values',
  nodes: {
    trigger: { operator: 'trigger.http', params: { path: '/hard', status: '{{ 200 }}' } },
    wait: { operator: 'logic.delay', params: { ms: '{{ input.ms }}' } },
    pick: { operator: 'data.pick', params: { fields: ['a', 'b'] } },
    say: { operator: 'core.map', params: { value: { deep: ['{{ input }}', 1.5, true] } } },
  },
  edges: [
    { from: 'trigger.out', to: 'wait.in' },
    { from: 'wait.out', to: 'pick.in' },
    { from: 'pick.out', to: 'say.in' },
  ],
};

beforeAll(async () => {
  world = await startWorld([hard]);
  const scopes = ['flows:read', 'flows:write', 'flows:publish', 'triggers'];
  const { key } = await world.owner.data<{ key: string }>('POST', '/keys', { name: 'writer', scopes });
  writer = startOriginalClient(world.server.url, key);
});
afterAll(async () => {
  writer.close();
  await world.close();
});

interface Flow {
  readonly uid: string;
  readonly name: string;
  readonly label: string;
  readonly editable: boolean;
}

describe('flows', () => {
  test('are listed and read, whichever operators and values they have', async () => {
    const { rejected, data } = await world.original.play('list_flows');
    expect(rejected).toBeUndefined();
    const { items } = data as { items: Flow[] };
    expect(items.map(({ uid }) => uid)).toEqual(
      expect.arrayContaining(['simple_dag_example', 'hard_values']),
    );
    for (const flow of items) {
      const one = await world.original.play('get_flow', { flow: flow.uid });
      expect(one).toMatchObject({ status: 200, data: flow });
    }
    const [only] = (
      (await world.original.play('list_flows', { name: 'simple_dag_example' })).data as { items: Flow[] }
    ).items;
    expect(only).toMatchObject({ uid: 'simple_dag_example', label: 'Say hello', state: 'running' });
  });

  test('of every example come back from the client as they were, but those that are code', async () => {
    const { items } = (await writer.play('list_flows')).data as { items: Flow[] };
    for (const flow of items) {
      const before = await fileOf(flow.uid);
      const saved = await writer.play('update_flow', { flow });
      expect([flow.uid, saved.status]).toEqual([flow.uid, flow.editable ? 200 : 403]);
      expect(await fileOf(flow.uid)).toEqual(before);
    }
  });

  test('are made, changed and removed', async () => {
    const made = await writer.play('create_flow', { flow: corpus('hello_flow') });
    expect(made).toMatchObject({ status: 200, data: { name: 'hello_flow', state: 'running' } });
    const { data } = await writer.play('get_flow', { flow: 'hello_flow' });
    const changed = await writer.play('update_flow', { flow: { ...(data as Flow), label: 'Hello again' } });
    expect(changed).toMatchObject({ status: 200, data: { label: 'Hello again', state: 'running' } });
    const ran = await writer.play('run_flow', { name: 'hello_flow', data: { name: 'Ada', age: 3 } });
    expect(ran).toMatchObject({ status: 200, text: expect.stringContaining('Hello, Ada, your age is 3') });
    const removed = await writer.play('delete_flow', { flow: 'hello_flow' });
    expect(removed).toMatchObject({ status: 200, data: { label: 'Hello again' } });
    const gone = await writer.play('get_flow', { flow: 'hello_flow' });
    expect(gone).toMatchObject({ status: 404, error: { err_code: 'flow_not_found' } });
  });

  test('that chat are run from the command line of the original', async () => {
    await writer.play('create_flow', { flow: { ...corpus('simple_streaming_chat'), state: 'deployed' } });
    const ran = await writer.play('run_flow', {
      name: 'simple_streaming_chat_workflow',
      data: { model: 'demo/echo', messages: 'Hello\u2028 there', stream: true },
    });
    expect(ran).toEqual({ status: 200, text: 'Hello\u2028 there' });
    const { uid } = corpus('simple_streaming_chat') as { uid: string };
    expect(await writer.play('get_flow', { flow: uid })).toMatchObject({ status: 200 });
    const fields = { model: 'demo/echo', messages: 'Hi', chat_mode: 'chat_flow', chat_param: uid };
    const chatted = await world.original.play('chat', { fields: { ...fields, stream: false } });
    expect(chatted).toMatchObject({ answer: { choices: [{ message: { content: 'Hi' } }] } });
  });

  test('of ours are run by it, too, whether they stream or not', async () => {
    const chat = { name: 'openai_chat_example', data: { messages: 'Count to 3', stream: true } };
    expect((await writer.play('run_flow', chat)).text).toMatch(/1 2 3$/);
    const hello = { name: 'simple_dag_example', data: { name: 'Ada' } };
    expect(await writer.play('run_flow', hello)).toEqual({
      status: 200,
      text: '"Hello, Ada, your age is 18"',
    });
  });

  test('are not changed by a key that may only read them', async () => {
    const refused = await world.original.play('delete_flow', { flow: 'hard_values' });
    expect(refused).toMatchObject({ status: 403, error: { err_code: 'forbidden' } });
  });
});

async function fileOf(id: string): Promise<unknown> {
  const { flow } = await world.owner.data<{ flow: unknown }>('GET', `/flows/${id}`);
  return flow;
}

test('each operator is described as the original describes its own', async () => {
  const { rejected, data } = await world.original.play('list_nodes');
  expect(rejected).toBeUndefined();
  expect((data as { name: string }[]).map(({ name }) => name)).toContain('data.for-each');
});

describe('the example trigger', () => {
  test('says hello to anyone, with the age where it is given', async () => {
    const hello = (query: object) => world.original.play('trigger', { path: '/examples/hello', query });
    expect(await hello({ name: 'Ada' })).toEqual({ status: 200, body: 'Hello, Ada, your age is 18' });
    expect(await hello({ name: 'Zoë', age: 7 })).toEqual({ status: 200, body: 'Hello, Zoë, your age is 7' });
    const problem = { type: 'missing', loc: ['query', 'name'], msg: 'Field required', input: null };
    expect(await hello({})).toMatchObject({ status: 400, body: { success: false, detail: [problem] } });
  });
});
