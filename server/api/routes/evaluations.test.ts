import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CaseResult, EvaluationInfo, EvaluationResult, EvaluationSummary } from '#shared/evaluation.ts';
import { sendChunks, startOpenAi } from '../../integrations/models/testing/openai-server.ts';
import { type Bed, startBed } from '../../testing/platform-bed.ts';
import { type RouteCaller, routeCaller } from '../../testing/route-caller.ts';
import { eventually } from '../../../tests/support/eventually.ts';

const trigger = (path: string) => ({
  operator: 'trigger.http',
  params: { path, methods: ['POST'], auth: 'none' },
});

/** Answers a question with its capital letters. */
const SHOUT = {
  format: 1,
  id: 'shout',
  nodes: {
    start: trigger('/shout'),
    out: { operator: 'core.map', params: { value: '{{ input.question.toUpperCase() }}' } },
  },
  edges: [{ from: 'start.out', to: 'out.in' }],
};

async function bedWith(...flows: { id: string }[]): Promise<{ bed: Bed; call: RouteCaller['call'] }> {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  for (const flow of flows) await call('POST /api/v1/flows', { body: { id: flow.id, flow } });
  return { bed, call };
}

async function evaluated(
  call: RouteCaller['call'],
  set: string,
  body: object = {},
): Promise<EvaluationResult> {
  const begun = (await call('POST /api/v1/evaluations/:set/run', {
    params: { set },
    body,
  })) as EvaluationSummary;
  return eventually(async () => {
    const params = { set, result: begun.id };
    const result = (await call('GET /api/v1/evaluations/:set/results/:result', {
      params,
    })) as EvaluationResult;
    expect(result.status).not.toBe('running');
    return result;
  });
}

const scoresOf = ({ results }: EvaluationResult): [string, Record<string, number | null>][] =>
  results.map(({ name, scores }) => [
    name,
    Object.fromEntries(Object.entries(scores).map(([scorer, { score }]) => [scorer, score])),
  ]);

describe('/api/v1/evaluations', () => {
  test('a flow is scored case by case, and the table of versions follows its versions', async () => {
    const { bed, call } = await bedWith(SHOUT);
    const body = {
      format: 1,
      target: { flow: 'shout' },
      scorers: [{ kind: 'exact' }, { kind: 'contains' }],
      threshold: 0.8,
      cases: [
        { name: 'tea', input: { question: 'tea?' }, expect: { answer: 'TEA?', contains: ['tea'] } },
        { name: 'milk', input: { question: 'milk' }, expect: { answer: 'Milk', contains: ['MILK', 'no'] } },
        { name: 'nothing', input: { question: 'x' } },
        { name: 'fails', input: {}, expect: { contains: ['x'] } },
      ],
    };
    const params = { set: 'loud' };
    await call('PUT /api/v1/evaluations/:set', { params, body });
    const result = await evaluated(call, 'loud');
    expect(result).toMatchObject({
      status: 'done',
      target: 'flow shout',
      cases: 4,
      done: 4,
      failed: 1,
      passed: false,
    });
    expect(scoresOf(result)).toEqual([
      ['tea', { exact: 1, contains: 1 }],
      ['milk', { exact: 0, contains: 0.5 }],
      ['nothing', { exact: null, contains: null }],
      ['fails', { exact: null, contains: 0 }],
    ]);
    expect(result.scores).toEqual({ exact: 0.5, contains: 0.5 });
    expect(result.results[1]).toMatchObject({ answer: 'MILK', scores: { contains: { why: 'Missing: no' } } });
    const failed = result.results[3] as CaseResult;
    expect(failed.error?.code).toBe('missing_field');
    expect(await call('GET /api/v1/runs/:id', { params: { id: failed.run ?? '' } })).toMatchObject({
      status: 'failed',
    });

    const { revision } = (await call('GET /api/v1/flows/:id', { params: { id: 'shout' } })) as {
      revision: string;
    };
    const better = structuredClone(SHOUT);
    better.nodes.out.params.value =
      "{{ input.question === 'milk' ? 'Milk, no' : input.question.toUpperCase() }}";
    await call('PUT /api/v1/flows/:id', { params: { id: 'shout' }, body: { flow: better, revision } });
    await evaluated(call, 'loud');
    const all = (await call('GET /api/v1/evaluations/:set/results', { params })) as EvaluationSummary[];
    expect(all.map(({ scores }) => scores)).toEqual([
      { exact: 0.5, contains: 2 / 3 },
      { exact: 0.5, contains: 0.5 },
    ]);
    expect(new Set(all.map(({ version }) => version)).size).toBe(2);
    const [info] = (await call('GET /api/v1/evaluations')) as EvaluationInfo[];
    expect(info).toMatchObject({ id: 'loud', file: 'loud.eval.json', latest: { id: all[0]?.id } });
    expect(JSON.parse(readFileSync(join(bed.ctx.config.flows[0] ?? '', 'loud.eval.json'), 'utf8'))).toEqual(
      body,
    );
    expect((await call('GET /api/v1/flows')) as object[]).toHaveLength(1);

    await call('DELETE /api/v1/evaluations/:set', { params });
    expect(await call('GET /api/v1/evaluations')).toEqual([]);
    await call('PUT /api/v1/evaluations/:set', { params, body });
    expect(await call('GET /api/v1/evaluations/:set/results', { params })).toEqual([]);
  });

  test('a space is scored by what it finds, and a threshold decides', async () => {
    const { bed, call } = await bedWith();
    const knowledge = await bed.ctx.knowledge.opened();
    const { id } = await knowledge.addSpace({ name: 'Tea' });
    for (const [name, text] of [
      ['green', 'Green tea steeps two minutes.'],
      ['black', 'Black tea takes milk.'],
    ] as const) {
      await knowledge.put(id, {
        name,
        kind: 'text',
        content: new TextEncoder().encode(text),
        type: 'text/plain',
      });
    }
    await eventually(async () => {
      const { items } = await knowledge.documents(id, { offset: 0, limit: 9 });
      expect(items.map(({ status }) => status)).toEqual(['ready', 'ready']);
    });
    const body = {
      format: 1,
      target: { space: 'Tea' },
      scorers: [
        { kind: 'recall', k: 1 },
        { kind: 'recall', k: 2 },
      ],
      cases: [
        { name: 'one', input: 'How long does green tea steep?', expect: { documents: ['green'] } },
        { name: 'both', input: 'tea', expect: { documents: ['green', 'black'] } },
        { name: 'lost', input: 'coffee', expect: { documents: ['green'] } },
      ],
    };
    await call('PUT /api/v1/evaluations/:set', { params: { set: 'finds' }, body });
    const result = await evaluated(call, 'finds', { threshold: 0.6 });
    expect(result).toMatchObject({
      target: 'space Tea',
      version: 'words, headings 1000/150',
      scores: { 'recall@1': 0.5, 'recall@2': 2 / 3 },
      failed: 0,
      passed: false,
    });
    expect((await evaluated(call, 'finds', { threshold: 0.5 })).passed).toBe(true);
    expect((await evaluated(call, 'finds')).passed).toBeNull();
  });

  test('a model and a flow judge, and one that gives no score fails its case and not the others', async () => {
    const asked: string[] = [];
    const provider = await startOpenAi((response, { body }) => {
      const messages = body['messages'] as { content: string }[];
      asked.push(messages.map(({ content }) => content).join('\n'));
      const text = asked.at(-1)?.includes('TEA')
        ? '```json\n{"score": 0.75, "why": "Nearly."}\n```'
        : 'Well, 10/10!';
      sendChunks(response, [{ content: text }], 'stop');
    });
    const judge = {
      format: 1,
      id: 'short',
      nodes: {
        start: trigger('/short'),
        out: { operator: 'core.map', params: { value: "{{ input.answer === 'TEA' ? 0.25 : 'long' }}" } },
      },
      edges: [{ from: 'start.out', to: 'out.in' }],
    };
    const { bed, call } = await bedWith(SHOUT, judge);
    await bed.ctx.providers.put('own', {
      type: 'openai-compatible',
      baseUrl: provider.url,
      allow: new URL(provider.url).host,
      models: [{ name: 'judge', use: 'chat' }],
    } as never);
    const body = {
      format: 1,
      target: { flow: 'shout' },
      scorers: [
        { kind: 'judge', model: 'own/judge', instructions: 'Be kind.' },
        { kind: 'flow', flow: 'short' },
      ],
      threshold: 0.1,
      cases: [
        { name: 'good', input: { question: 'tea' }, expect: { answer: 'tea' } },
        { name: 'bad', input: { question: 'milk' } },
      ],
    };
    await call('PUT /api/v1/evaluations/:set', { params: { set: 'judged' }, body });
    const result = await evaluated(call, 'judged');
    expect(result.results.map(({ scores }) => scores)).toEqual([
      { judge: { score: 0.75, why: 'Nearly.' }, 'flow short': { score: 0.25 } },
      {
        judge: {
          score: null,
          error: { code: 'model_bad_answer', message: expect.stringContaining('10/10') },
        },
        'flow short': { score: null, error: { code: 'evaluation_bad_score', message: expect.any(String) } },
      },
    ]);
    expect(result).toMatchObject({ scores: { judge: 0.75, 'flow short': 0.25 }, failed: 1, passed: false });
    expect(asked[0]).toContain('Be kind.');
  });

  test('a run is kept as a case: its input, its answer and what it retrieved', async () => {
    const asks = {
      format: 1,
      id: 'asks',
      nodes: {
        start: trigger('/asks'),
        find: { operator: 'knowledge.retrieve', params: { spaces: ['Tea'] } },
        out: { operator: 'core.map', params: { value: '{{ ({ text: input[0].quote }) }}' } },
      },
      edges: [
        { from: 'start.out', to: 'find.in' },
        { from: 'find.out', to: 'out.in' },
      ],
    };
    const { bed, call } = await bedWith(asks);
    const knowledge = await bed.ctx.knowledge.opened();
    const by = { flow: 'f', version: '', run: 'r', node: 'n', operator: 'knowledge.load' };
    await knowledge.load(
      { space: 'Tea', name: 'green', content: 'Green tea steeps two minutes.' } as never,
      by,
      AbortSignal.timeout(60_000),
    );
    const started = (await call('POST /api/v1/flows/:id/run', {
      params: { id: 'asks' },
      body: { input: 'green tea' },
    })) as { run: string };
    const params = { set: 'kept' };
    const set = {
      format: 1,
      target: { flow: 'asks', answer: 'text' },
      scorers: [{ kind: 'exact' }, { kind: 'recall' }],
      cases: [],
    };
    await call('PUT /api/v1/evaluations/:set', { params, body: set });
    const kept = await call('POST /api/v1/runs/:id/evaluation', {
      params: { id: started.run },
      body: { set: 'kept', name: 'green' },
    });
    expect(kept).toEqual({
      name: 'green',
      input: 'green tea',
      expect: { answer: 'Green tea steeps two minutes.', documents: ['green'] },
      run: started.run,
    });
    const result = await evaluated(call, 'kept');
    expect(result.scores).toEqual({ exact: 1, 'recall@5': 1 });
    await call('DELETE /api/v1/evaluations/:set/cases/:name', { params: { ...params, name: 'green' } });
    await call('POST /api/v1/evaluations/:set/cases', {
      params,
      body: { name: 'typed', input: 'black tea' },
    });
    await call('DELETE /api/v1/evaluations/:set/cases/:name', { params: { ...params, name: 'typed' } });
    expect(await call('GET /api/v1/evaluations/:set', { params })).toMatchObject({ set: { cases: [] } });
  });

  test('an evaluation in progress can be stopped, and its results so far are stored', async () => {
    const provider = await startOpenAi(() => new Promise(() => {}));
    const { bed, call } = await bedWith(SHOUT);
    await bed.ctx.providers.put('own', {
      type: 'openai-compatible',
      baseUrl: provider.url,
      allow: new URL(provider.url).host,
      models: [{ name: 'judge', use: 'chat' }],
    } as never);
    const cases = [{ name: 'one', input: { question: 'tea' } }];
    const params = { set: 'slowly' };
    const scorers = [{ kind: 'judge', model: 'own/judge' }];
    const body = { format: 1, target: { flow: 'shout' }, scorers, cases };
    await call('PUT /api/v1/evaluations/:set', { params, body });
    const begun = (await call('POST /api/v1/evaluations/:set/run', { params })) as EvaluationSummary;
    expect(begun).toMatchObject({ status: 'running', done: 0, cases: 1 });
    expect(await call('GET /api/v1/evaluations/:set/results', { params })).toMatchObject([
      { status: 'running' },
    ]);
    const which = { ...params, result: begun.id };
    expect(await call('POST /api/v1/evaluations/:set/results/:result/stop', { params: which })).toMatchObject(
      {
        status: 'stopped',
        passed: null,
        results: [],
      },
    );
    expect(await call('GET /api/v1/evaluations/:set/results', { params })).toMatchObject([
      { status: 'stopped' },
    ]);
  });

  test('files that cannot be used say why, and stay as they are', async () => {
    const { bed, call } = await bedWith();
    const folder = join(bed.ctx.config.flows[0] ?? '', 'deep');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'broken.eval.json'), '{"format": 1, "scorers": []}');
    const [info] = (await call('GET /api/v1/evaluations')) as EvaluationInfo[];
    expect(info).toMatchObject({ id: 'broken', file: 'deep/broken.eval.json', set: null });
    expect(info?.problem).toMatch(/^deep\/broken\.eval\.json: target/);
    const { key } = await bed.ctx.keys.create({
      name: 'k',
      scopes: ['flows:write', 'runs:write', 'flows:read'],
    });
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${bed.url}/api/v1/evaluations${path}`, {
        method,
        headers,
        body: JSON.stringify(body ?? {}),
      });
      const { err_code } = (await answer.json()) as { err_code: string };
      return [answer.status, err_code];
    };
    expect(await send('POST', '/broken/run')).toEqual([409, 'evaluation_broken']);
    expect(await send('POST', '/broken/cases', { name: 'a', input: 1 })).toEqual([409, 'evaluation_broken']);
    expect(await send('POST', '/none/run')).toEqual([404, 'evaluation_not_found']);
    const set = { format: 1, target: { flow: 'none' }, scorers: [{ kind: 'exact' }], cases: [] };
    expect(await send('PUT', '/Bad-Name', set)).toEqual([400, 'invalid_request']);
    expect(await send('PUT', '/twice', { ...set, scorers: [{ kind: 'exact' }, { kind: 'exact' }] })).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await send('PUT', '/fine', set)).toEqual([200, null]);
    expect(await send('POST', '/fine/run')).toEqual([404, 'flow_not_found']);
    expect(await send('POST', '/fine/cases', { name: 'a', input: 1 })).toEqual([201, null]);
    expect(await send('POST', '/fine/cases', { name: 'a', input: 1 })).toEqual([409, 'conflict']);
    expect(readFileSync(join(folder, 'broken.eval.json'), 'utf8')).toBe('{"format": 1, "scorers": []}');
  });
});
