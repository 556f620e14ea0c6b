import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { fits } from '../server/flows/awel/mappings/fit.ts';
import { originalFlow, type ShortFlow } from '../server/flows/awel/testing/original-flow.ts';
import { alone, type Case, close, field, intoTwo, llm, two } from './awel-equal.cases.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** What the import table calls equal is imported, run, and compared with what the original's source says. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  owner = await signIn(server);
});
afterAll(() => discard(server));

const equal: Readonly<Record<string, Case>> = {
  agent_branch_join_operator: {
    nodes: { ...two, o: { name: 'agent_branch_join_operator' } },
    edges: intoTwo,
    answers: [[{ a: 'x', b: 'y' }, 'x']],
  },
  chunks_to_string_operator: alone('chunks_to_string_operator', { separator: ' | ' }, [
    [[{ content: 'a' }, { content: 'b' }], 'a | b'],
    [[], ''],
  ]),
  default_converter_integer_to_string: alone('default_converter_integer_to_string', {}, [
    [42, '42'],
    [-1, '-1'],
  ]),
  default_converter_string_to_boolean: alone(
    'default_converter_string_to_boolean',
    { true_values: 'true,1,y' },
    [
      ['Y', true],
      ['1', true],
      ['no', false],
    ],
  ),
  default_converter_string_to_float: alone('default_converter_string_to_float', {}, [
    ['1.5', 1.5],
    ['-2', -2],
  ]),
  default_converter_string_to_integer: alone('default_converter_string_to_integer', {}, [
    ['42', 42],
    ['-7', -7],
  ]),
  dict_http_trigger: {
    nodes: {},
    edges: [],
    answers: [
      [
        { z: 1, a: { b: null } },
        { z: 1, a: { b: null } },
      ],
      [{}, {}],
    ],
  },
  example_http_hello_operator: {
    nodes: { o: { name: 'example_http_hello_operator' } },
    edges: ['t.0 > o.0'],
    answers: [
      [
        { name: 'Ada', age: 1 },
        { server_res: 'Hello, Ada, your age is 1', request_body: { name: 'Ada', age: 1 } },
      ],
    ],
  },
  llm_branch_operator: {
    nodes: {
      t: { name: 'common_llm_http_trigger' },
      o: { name: 'llm_branch_operator', outputs: ['stream', 'whole'] },
      s: field('stream'),
      n: field('messages'),
    },
    edges: ['t.0 > o.0', 'o.0 > s.0', 'o.1 > n.0'],
    answers: [
      [{ ...llm, stream: true }, true],
      [{ ...llm, stream: false }, 'Hi'],
      [llm, 'Hi'],
    ],
  },
  merge_string_to_dict_operator: {
    nodes: { ...two, o: { name: 'merge_string_to_dict_operator', inputs: ['first', 'second'] } },
    edges: intoTwo,
    answers: [
      [
        { a: 'x', b: 'y' },
        { user_input: 'x', context: 'y' },
      ],
    ],
  },
  request_body_to_str__parsed_operator: {
    nodes: { t: { name: 'common_llm_http_trigger' }, o: field('messages') },
    edges: ['t.0 > o.0'],
    answers: [
      [llm, 'Hi'],
      [{ ...llm, zzz: 1 }, 'Hi'],
    ],
  },
  string_join_operator: {
    nodes: { ...two, o: { name: 'string_join_operator', values: { separator: '{{-}}' } } },
    edges: intoTwo,
    answers: [[{ a: 'x', b: 'y' }, 'x{{-}}y']],
  },
  user_input_parsed_operator: {
    nodes: {
      t: { name: 'common_llm_http_trigger' },
      o: { name: 'user_input_parsed_operator', values: { key: 'question' } },
    },
    edges: ['t.0 > o.0'],
    answers: [[llm, { question: 'Hi' }]],
  },
};

describe('close', () => {
  test.each(Object.entries(close))('%s', async (name, { original, ...one }) => {
    expect(fits[name]).toHaveProperty('differs');
    expect(one.answers.map(([, answer]) => answer)).not.toContainEqual(original);
    await compare(name, one);
  });
});

describe('equal', () => {
  it('is said of what is compared here, and of nothing else', () => {
    const said = Object.keys(fits).filter((name) => fits[name] === 'equal');
    expect(said.sort()).toEqual(Object.keys(equal).sort());
  });

  test.each(Object.entries(equal))('%s', compare);
});

/** Imports the flow, and asks it. */
async function compare(name: string, { nodes, edges, answers }: Case): Promise<void> {
  const endpoint = `/equal/${name}`;
  const trigger = { name: 'dict_http_trigger', ...nodes['t'], values: { endpoint } };
  const flow = originalFlow({
    nodes: { ...nodes, t: trigger },
    edges,
    more: { uid: `e_${name}` },
  } as ShortFlow);
  const made = await ask(`${server.url}/api/v2/serve/awel/flows?open_triggers=true`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...flow, state: 'deployed' }),
  });
  expect(made.status, made.text).toBe(200);
  for (const [body, answer] of answers) {
    const headers = { 'content-type': 'application/json' };
    const given = await call(server, endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
    expect([given.status, given.body]).toEqual([200, answer]);
  }
}
