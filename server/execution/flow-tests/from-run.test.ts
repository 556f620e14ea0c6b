import { expect, onTestFinished, test } from 'vitest';
import type { TriggerRequest } from '#engine';
import type { RunSummary } from '#shared/run-event.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { createCode } from '../../integrations/sandbox/create-code.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { createFlowBed, endOf, rowFlow } from '../runs/testing/flow-bed.ts';
import { judgeCase } from './run-case.ts';
import { testFromRun } from './from-run.ts';

/** Runs the flow by hand and keeps the run as a test. */
async function keep(flow: Flow, input: unknown, request: TriggerRequest = {}) {
  const code = createCode({ code: 'on', codeHost: undefined }, { services: () => ({}), warn: () => {} });
  onTestFinished(() => code?.close());
  const bed = await createFlowBed([flow], { services: () => ({ ...(code && { code }) }) });
  const live = bed.live(flow.id);
  const run = bed.hub.start({
    flow: live,
    trigger: 'trigger',
    request,
    output: input,
    source: 'manual',
    record: 'full',
  });
  await endOf(run);
  const events = (await bed.hub.events(run.id, 0)) ?? [];
  const summary = (await bed.hub.get(run.id)) as RunSummary;
  const kept = testFromRun({ summary, events, request }, { flow, registry: bed.registry, name: 'kept' });
  const judged = await judgeCase(live, kept, { code, redactor: createRedactor(), vars: {} });
  return { kept, run, differences: judged.differences };
}

const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });

test('a kept run whose nodes read facts of the run passes', async () => {
  const flow = rowFlow('facts', {
    id: map('{{ run.id }}'),
    more: map('{{ [input, run.version, run.startedAt, run.flow, run.trigger] }}'),
  });
  const { kept, run, differences } = await keep(flow, 1);
  expect(kept.run).toEqual({ id: run.id, version: 'v1' });
  expect(kept.expect.outputs).toMatchObject({ id: { out: run.id } });
  expect(differences).toEqual([]);
});

test('a kept run whose nodes read the request passes, without its credentials', async () => {
  const flow = rowFlow('asked', {
    type: map('{{ trigger.headers["x-event"] ?? "none" }}'),
    at: map('{{ [input, trigger.method, trigger.query.page, trigger.params] }}'),
  });
  const headers = { 'x-event': 'push', authorization: '***' };
  const request = { method: 'PUT', query: { page: '2' }, params: {}, headers, body: 'opened' };
  const { kept, differences } = await keep(flow, 'opened', request);
  expect(kept.request).toEqual({ method: 'PUT', query: { page: '2' }, headers: { 'x-event': 'push' } });
  expect(kept.expect.outputs).toMatchObject({ type: { out: 'push' } });
  expect(differences).toEqual([]);
});

const stream = (source: string): Flow =>
  rowFlow('streams', {
    items: { operator: 'code.stream', params: { source } },
    all: { operator: 'core.unstreamify' },
  });

test('a run whose stream came from code that may contact the outside is refused', async () => {
  const source = "if (input) yield 1; else yield (await ctx.fetch('https://a.example/')).status;";
  await expect(keep(stream(source), true)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('items cannot be replaced by an answer: its output was a stream'),
  });
});

test('a run whose stream came from other code is kept', async () => {
  const { kept, differences } = await keep(stream('for (const i of [1, 2]) yield i * input;'), 3);
  expect(kept.expect.outputs).toMatchObject({ all: { out: [3, 6] } });
  expect(differences).toEqual([]);
});

const loopOver = (nodes: Record<string, FlowNode>, more: Partial<FlowNode> = {}): Flow => {
  const names = ['item', ...Object.keys(nodes)];
  const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` }));
  const loop = { operator: 'data.for-each', body: { start: 'item', nodes, edges }, ...more };
  return { ...rowFlow('loops', { loop, last: map('{{ input }}') }), format: 2 };
};

test('a body runs again in a kept test if its nodes only compute, and is replaced by its answer otherwise', async () => {
  const pure = await keep(loopOver({ twice: map('{{ input * 2 }}') }), [1, 2]);
  expect(pure.kept.outputs).toEqual({});
  expect(pure.kept.expect.outputs).toEqual({ loop: { out: [2, 4] }, last: { out: [2, 4] } });
  expect(pure.differences).toEqual([]);
  const state = { operator: 'state.get', params: { key: 'x' } };
  const failing = loopOver({ state }, { onError: 'continue', fallback: { out: 'none' } });
  const outside = await keep(failing, [1]);
  expect(outside.kept.errors).not.toHaveProperty('state');
  expect(Object.keys({ ...outside.kept.outputs, ...outside.kept.errors })).toEqual(['loop']);
  expect(outside.differences).toEqual([]);
});
