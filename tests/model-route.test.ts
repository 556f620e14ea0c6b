import { testTools } from '../engine/expr/testing/test-tools.ts';
import { describe, expect, test } from 'vitest';
import { compile, type Plan, type RunRecord, startRecorded } from '#engine';
import { replayRun } from '#engine/workbench';
import { createHost } from '../server/base/adapters/node-host.ts';
import { loadOperators } from '../server/base/authored/load-operators.ts';
import {
  type Reply,
  sendChunks,
  sendError,
  startOpenAi,
} from '../server/integrations/models/testing/openai-server.ts';
import { testModels } from '../server/integrations/models/testing/test-models.ts';

/** `model.route` before a provider over HTTP, which answers as a test says. */

const { registry } = await loadOperators({ builtIn: true });

const cases = [
  { name: 'billing', description: 'Invoices and\nrefunds.' },
  { name: 'technical', description: 'Something does not work.' },
];

function planOf(params: Record<string, unknown>): Plan {
  const nodes = {
    trigger: { operator: 'trigger.manual' },
    route: { operator: 'model.route', params: { model: 'local/m', cases, ...params } },
  };
  const edges = [{ from: 'trigger.out', to: 'route.in' }];
  const flow = { format: 1 as const, id: 'example', nodes, edges };
  return [...compile(flow, 'v', registry, testTools).plans.values()][0] as Plan;
}

interface Routed {
  readonly outputs: unknown;
  readonly error: string | undefined;
  readonly log: readonly unknown[];
  readonly asked: readonly { readonly [field: string]: unknown }[];
  readonly plan: Plan;
  readonly record: RunRecord;
}

/** Runs the flow; the outputs of the node with a value are the result of the run. */
async function routed(
  reply: Reply,
  params: Record<string, unknown> = {},
  input: unknown = 'Help',
): Promise<Routed> {
  const provider = await startOpenAi(reply);
  const plan = planOf(params);
  const models = testModels({ local: { baseUrl: provider.url } });
  const start = { id: 'r', request: {}, output: input, vars: {} };
  const run = startRecorded(plan, start, createHost({ models }));
  const answer = new Promise<{ outputs: unknown; error: string | undefined }>((resolve) => {
    run.onAnswer((given) => {
      if (given.kind === 'value') resolve({ outputs: given.body, error: undefined });
      else resolve({ outputs: undefined, error: given.kind === 'error' ? given.error.code : given.kind });
    });
  });
  await new Promise((resolve) => run.onEnd(resolve));
  const record = run.record() as RunRecord;
  const log = record.events
    .filter(({ kind }) => kind === 'log')
    .map((event) => (event as { data?: unknown }).data);
  return { ...(await answer), log, asked: provider.asked.map(({ body }) => body), plan, record };
}

/** Answers with a text, in pieces. */
const says =
  (text: string, finish = 'stop'): Reply =>
  (response) =>
    sendChunks(response, [{ content: text.slice(0, 4) }, { content: text.slice(4) }], finish);

const json = (value: object): Reply => says(JSON.stringify(value));

test('the input goes on at the case that the model names, and the reason is in the log', async () => {
  const input = {
    messages: 'Charged twice',
    tools: [{ name: 't', description: '', parameters: {} }],
    maxTokens: 1,
  };
  const { outputs, log, asked } = await routed(
    json({ reason: 'It is about money.', case: 'billing' }),
    { system: 'Be fair.' },
    input,
  );
  expect(outputs).toEqual({ billing: input });
  expect(log).toContainEqual({ cases: ['billing'], reason: 'It is about money.' });
  const [request] = asked;
  expect(request).not.toHaveProperty('tools');
  expect(request).not.toHaveProperty('max_tokens');
  expect(request).toMatchObject({
    messages: [
      { role: 'system', content: 'Be fair.' },
      { role: 'system', content: expect.stringContaining('- billing: Invoices and refunds.\n') as string },
      { role: 'user', content: 'Charged twice' },
    ],
    response_format: {
      json_schema: { schema: { properties: { case: { enum: ['billing', 'technical', 'else'] } } } },
    },
  });
});

test.each<[string, Record<string, unknown>, string, readonly string[]]>([
  ['names none', {}, '{"reason": "No case.", "case": "else"}', ['else']],
  ['names a case that does not exist', {}, '{"reason": "", "case": "sales"}', ['else']],
  ['answers in prose', {}, 'That is billing, I would say.', ['else']],
  ['answers nothing', {}, '', ['else']],
  ['gives a list where one is asked for', {}, '{"reason": "", "case": ["billing"]}', ['else']],
  ['gives the name alone though a schema was sent', {}, 'technical', ['technical']],
  [
    'is asked in words and gives a code block',
    { structured: false },
    '```json\n{"case": "technical"}\n```',
    ['technical'],
  ],
  ['is asked in words and quotes the name', { structured: false }, ' **billing**\n', ['billing']],
  ['gives broken JSON', { structured: false }, '{"case": "billing"', ['else']],
  [
    'chooses several',
    { many: true },
    '{"reason": "Both.", "cases": ["technical", "billing", "billing"]}',
    ['technical', 'billing'],
  ],
  [
    'chooses several in words',
    { many: true, structured: false },
    'billing, technical',
    ['billing', 'technical'],
  ],
  ['chooses no case of several', { many: true }, '{"reason": "", "cases": []}', ['else']],
  [
    'names one of several that does not exist',
    { many: true },
    '{"reason": "", "cases": ["billing", "sales"]}',
    ['else'],
  ],
  ['names a case and none', { many: true }, '{"reason": "", "cases": ["billing", "else"]}', ['else']],
  ['gives one where a list is asked for', { many: true }, '{"reason": "", "cases": "billing"}', ['else']],
])('a model that %s', async (_, params, text, names) => {
  const { outputs } = await routed(says(text), params);
  expect(outputs).toEqual(Object.fromEntries(names.map((name) => [name, 'Help'])));
});

test('a wrong answer is in the log as a warning', async () => {
  const { log } = await routed(says('Who knows?'));
  expect(log).toContainEqual({ cases: ['else'], answer: 'Who knows?' });
});

test('a provider that refuses schemas is asked again in words', async () => {
  const { outputs, asked } = await routed((response, { body }) =>
    body['response_format'] === undefined
      ? says('billing')(response, { body } as never)
      : sendError(response, 400),
  );
  expect(outputs).toEqual({ billing: 'Help' });
  expect(asked).toHaveLength(2);
});

describe('a failure is not taken for a choice', () => {
  test.each<[string, Reply, string]>([
    ['a full provider', (response) => sendError(response, 429), 'model_rate_limited'],
    ['a request that is refused in words too', (response) => sendError(response, 400), 'model_bad_request'],
    ['an answer that was cut off', says('{"case": "billing"}', 'length'), 'model_bad_answer'],
    [
      'an answer that breaks off',
      (response) => {
        sendChunks(response, [{ content: 'billing' }]);
        response.end();
      },
      'model_bad_answer',
    ],
  ])('%s', async (_, reply, code) => {
    expect(await routed(reply)).toMatchObject({ outputs: undefined, error: code });
  });
});

test('a recorded run chooses the same without a model', async () => {
  const { plan, record } = await routed(says('no case at all'));
  const { divergence, difference } = await replayRun(plan, record, (fn) => void setImmediate(fn));
  expect({ divergence, difference }).toEqual({ divergence: undefined, difference: undefined });
});
