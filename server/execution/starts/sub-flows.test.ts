import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Call,
  defineOperator,
  type HttpService,
  input,
  type Operator,
  output,
  type Run,
  type RunAnswer,
} from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { MAX_DEPTH } from './sub-flows.ts';
import { callNode, createFlowBed, endOf, mapFlow, rowFlow } from '../runs/testing/flow-bed.ts';

const double = mapFlow('double', '{{ input * 2 }}');
const slow = rowFlow('slow', { wait: { operator: 'logic.delay', params: { ms: 60_000 } } });
const caller = (flow: string, params: Record<string, unknown> = {}, more: object = {}): Flow =>
  rowFlow('caller', { call: { ...callNode(flow, params), ...more } });

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

describe('calling a flow', () => {
  test('gives its result in the same turn if it needs no other turn', async () => {
    const { start } = await createFlowBed([double, caller('double', { input: '{{ input + 1 }}' })]);
    const run = start('caller', 20);
    expect(run.outcome).toMatchObject({ status: 'ok' });
    expect(run.answer).toMatchObject({ body: 42 });
  });

  test('is a run of its own, found under its caller and not in the list of all', async () => {
    const { hub, start } = await createFlowBed([double, caller('double')]);
    const { id } = start('caller', 1);
    expect((await hub.list({ limit: 10 })).map(({ run }) => run)).toEqual([id]);
    const below = await hub.list({ limit: 10, parent: id });
    expect(below).toMatchObject([{ flow: 'double', parent: id, source: 'flow', status: 'ok' }]);
    expect(await hub.list({ limit: 10, nested: true })).toHaveLength(2);
    const events = await hub.events(below[0]?.run ?? '', 0);
    expect(events?.[0]).toMatchObject({ kind: 'run-started', parent: id });
  });

  test('that has no result gives null', async () => {
    const silent = rowFlow('silent', { log: { operator: 'core.log' } });
    const { result } = await createFlowBed([silent, caller('silent')]);
    expect(await result('caller', 1)).toBeNull();
  });

  test('fails with the error of the flow, which names the place', async () => {
    const refuse = rowFlow('refuse', { stop: { operator: 'logic.stop', params: { message: 'No.' } } });
    const { hub, start } = await createFlowBed([refuse, caller('refuse')]);
    const run = start('caller', 1);
    const [below] = await hub.list({ limit: 1, parent: run.id });
    expect(run.outcome?.error).toEqual({
      code: 'stopped',
      message: 'The flow `refuse` failed at `stop`: No.',
      node: 'call',
      operator: 'flow.call',
      attempt: 1,
      data: { flow: 'refuse', run: below?.run, node: 'stop' },
    });
  });

  test.each([
    [503, 2, undefined],
    [404, 1, 'http_status'],
  ])('is retried after a transient failure, through two flows: %i', async (status, asked, code) => {
    const answers = [status, 200];
    const sent: string[] = [];
    const http: HttpService = {
      async send({ method }) {
        sent.push(method);
        return { status: answers.shift() ?? 200, headers: {}, url: 'https://a.example/', body: emptyBody() };
      },
    };
    const request = { operator: 'http.request', params: { url: 'https://a.example/', response: 'text' } };
    const retry = { attempts: 2, backoffMs: 0, factor: 1, jitter: 0 };
    const bed = await createFlowBed(
      [
        rowFlow('inner', { request }),
        rowFlow('middle', { call: callNode('inner') }),
        caller('middle', {}, { retry }),
      ],
      { services: () => ({ http }) },
    );
    const run = bed.start('caller', 1);
    await endOf(run).catch(() => undefined);
    expect(run.outcome?.error?.code).toBe(code);
    expect(sent).toHaveLength(asked);
  });

  test('waits as long as the server behind a nested flow requested', async () => {
    const answers = [
      { status: 503, headers: { 'retry-after': '7' } },
      { status: 200, headers: {} },
    ];
    const http: HttpService = {
      send: async () => ({
        ...(answers.shift() ?? { status: 200, headers: {} }),
        url: 'https://a.example/',
        body: emptyBody(),
      }),
    };
    const request = { operator: 'http.request', params: { url: 'https://a.example/', response: 'text' } };
    const retry = { attempts: 2, backoffMs: 0, factor: 1, jitter: 0 };
    const bed = await createFlowBed(
      [
        rowFlow('inner', { request }),
        rowFlow('middle', { call: callNode('inner') }),
        caller('middle', {}, { retry }),
      ],
      { services: () => ({ http }) },
    );
    const run = bed.start('caller', 1);
    const seen: RunEvent[] = [];
    run.observe((event) => seen.push(event));
    const waiting = await eventually(() => {
      const found = seen.find(({ kind }) => kind === 'node-retrying');
      expect(found).toBeDefined();
      return found;
    });
    expect(waiting).toMatchObject({ delayMs: 7000 });
    run.cancel('stop');
  });

  test('takes the first answer; the rest of the flow does not affect it', async () => {
    const eager: Flow = {
      ...rowFlow('eager', { answer: { operator: 'core.respond', params: { body: 'early' } } }),
    };
    eager.nodes['wait'] = { operator: 'logic.delay', params: { ms: 20 } };
    eager.edges.push({ from: 'trigger.out', to: 'wait.in' });
    const { hub, start } = await createFlowBed([eager, caller('eager')]);
    const run = start('caller', 1);
    expect(run.answer).toMatchObject({ body: 'early' });
    const below = () => hub.list({ limit: 1, parent: run.id });
    expect(await below()).toMatchObject([{ status: 'running' }]);
    await eventually(async () => expect(await below()).toMatchObject([{ status: 'ok' }]));
  });

  test('an answer with an error status is an error that holds status and body', async () => {
    const teapot = rowFlow('teapot', {
      answer: { operator: 'core.respond', params: { status: 418, body: { short: true } } },
    });
    const { start } = await createFlowBed([teapot, caller('teapot')]);
    expect(start('caller', 1).outcome?.error).toMatchObject({
      code: 'sub_flow_refused',
      data: { status: 418, body: { short: true } },
    });
  });

  test('a flow that is not live, and a trigger that is unknown or ambiguous, are reported', async () => {
    const two: Flow = {
      ...double,
      id: 'two',
      nodes: { ...double.nodes, other: { operator: 'trigger.manual' } },
    };
    const flows = [two, { ...caller('gone'), id: 'a' }, { ...caller('two'), id: 'b' }];
    const named = { ...caller('two', { trigger: 'trigger' }), id: 'c' };
    const wrong = { ...caller('two', { trigger: 'map' }), id: 'd' };
    const { start } = await createFlowBed([...flows, named, wrong]);
    const errorOf = (flow: string) => start(flow, 4).outcome?.error;
    expect(errorOf('a')).toMatchObject({
      code: 'sub_flow_missing',
      message: expect.stringContaining('`gone`'),
    });
    expect(errorOf('b')).toMatchObject({
      code: 'sub_flow_trigger',
      message: expect.stringContaining('`other`, `trigger`'),
    });
    expect(errorOf('d')).toMatchObject({ code: 'sub_flow_trigger', field: 'params.trigger' });
    expect(start('c', 4).answer).toMatchObject({ body: 8 });
  });
});

describe('the input of a called flow', () => {
  const request = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
  };
  const http: Flow = {
    ...mapFlow('http', '{{ trigger.query.name + "/" + input.age + "/" + trigger.params.id }}'),
  };
  http.nodes['trigger'] = {
    operator: 'trigger.http',
    params: {
      path: '/people/:id',
      request: { ...request, properties: { ...request.properties, id: { type: 'integer' } } },
    },
  };

  test('is checked and completed by its request schema, and the caller’s value stays as it was', async () => {
    const { start } = await createFlowBed([http, caller('http')]);
    const given = Object.freeze({ name: 'Ada', id: 7 });
    expect(start('caller', given).answer).toMatchObject({ body: 'Ada/18/7' });
  });

  test('is the input of a manual trigger, where that has a schema', async () => {
    const manual = mapFlow('manual', '{{ input.age }}');
    manual.nodes['trigger'] = { operator: 'trigger.manual', params: { input: request } };
    const { start } = await createFlowBed([manual, caller('manual')]);
    expect(start('caller', { name: 'Ada' }).answer).toMatchObject({ body: 18 });
    expect(start('caller', {}).outcome?.error).toMatchObject({ code: 'bad_input' });
  });

  test('is otherwise refused with every problem', async () => {
    const { start } = await createFlowBed([http, caller('http')]);
    expect(start('caller', { age: 'old' }).outcome?.error).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('`http` does not take this input: body.name: Field required'),
      data: { detail: [{ loc: ['body', 'name'] }, { loc: ['body', 'age'] }] },
    });
  });
});

describe('flows that call themselves', () => {
  const down: Flow = {
    format: 1,
    id: 'down',
    nodes: {
      trigger: { operator: 'trigger.manual' },
      more: { operator: 'logic.if', params: { condition: '{{ input > 0 }}' } },
      call: callNode('down', { input: '{{ input - 1 }}' }),
      end: { operator: 'core.map', params: { value: 'bottom' } },
      out: { operator: 'core.merge' },
    },
    edges: [
      { from: 'trigger.out', to: 'more.in' },
      { from: 'more.then', to: 'call.in' },
      { from: 'more.else', to: 'end.in' },
      { from: 'call.out', to: 'out.in' },
      { from: 'end.out', to: 'out.in' },
    ],
  };

  test(`reach ${MAX_DEPTH} levels, and the next one is the error sub_flow_depth`, async () => {
    const { start } = await createFlowBed([down]);
    expect(start('down', MAX_DEPTH).answer).toMatchObject({ body: 'bottom' });
    expect(start('down', MAX_DEPTH + 1).outcome?.error).toMatchObject({
      code: 'sub_flow_depth',
      node: 'call',
    });
  });

  test('cannot hide how deep they are', async () => {
    const forged = forger((call) => ({ ...call.asker, run: 'another' }));
    const { start } = await createFlowBed(
      [double, rowFlow('forging', { forge: { operator: 'test.forge' } })],
      {
        operators: { 'test.forge': forged },
      },
    );
    const run = start('forging', 1);
    expect(run.outcome?.error).toMatchObject({
      code: 'bad_operator',
      message: expect.stringContaining('call.asker'),
    });
  });

  test('run the version that called them while it is held, and the live one otherwise', async () => {
    const { hub, subFlows, live, result } = await createFlowBed([down]);
    const draft = { ...live('down'), version: 'v2' };
    const edited = await createFlowBed([
      { ...down, nodes: { ...down.nodes, end: { operator: 'core.map', params: { value: 'draft' } } } },
    ]);
    const flow = {
      ...draft,
      compiled: { ...edited.live('down').compiled, plans: plansOf(edited.live('down'), 'v2') },
    };
    const start = (output: unknown) => (): Run =>
      hub.start({ flow, trigger: 'trigger', request: {}, output, source: 'test' });
    expect(subFlows.hold(flow, start(3)).answer).toMatchObject({ body: 'draft' });
    const refused = () => {
      throw new Error('no place');
    };
    expect(() => subFlows.hold(flow, refused)).toThrow('no place');
    expect(start(3)().answer).toMatchObject({ body: 'bottom' });
    expect(await result('down', 1)).toBe('bottom');
  });

  const plansOf = ({ compiled }: { compiled: { plans: ReadonlyMap<string, object> } }, version: string) =>
    new Map([...compiled.plans].map(([id, plan]) => [id, { ...plan, version } as never]));
});

describe('the life of a called run', () => {
  test('ends with the caller’s run, at every level', async () => {
    const middle = { ...caller('slow'), id: 'middle' };
    const { hub, start } = await createFlowBed([slow, middle, caller('middle')]);
    const run = start('caller', 1);
    expect(hub.inFlight).toBe(3);
    run.cancel('stop');
    await eventually(() => expect(hub.inFlight).toBe(0));
    expect((await hub.list({ limit: 9, nested: true })).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'cancelled'),
    );
  });

  test('ends with the time limit of the calling node, and of its own flow', async () => {
    const limited = { ...slow, id: 'limited', settings: { timeoutMs: 20 } };
    const outer = { ...caller('limited'), id: 'outer' };
    const { hub, start } = await createFlowBed([slow, caller('slow', {}, { timeoutMs: 20 }), limited, outer]);
    await expect(endOf(start('caller', 1))).rejects.toMatchObject({ code: 'node_timeout' });
    await expect(endOf(start('outer', 1))).rejects.toMatchObject({ code: 'run_timeout' });
    await eventually(() => expect(hub.inFlight).toBe(0));
  });

  test('is admitted when no other run is, within a limit of its own', async () => {
    const waiting = rowFlow('waiting', { wait: { operator: 'logic.delay', params: { ms: 5 } } });
    const each = rowFlow('caller', {
      each: { operator: 'data.for-each', params: { flow: 'waiting', concurrency: 10 } },
    });
    const wide = rowFlow('wide', {
      each: { operator: 'data.for-each', params: { flow: 'slow', concurrency: 100 } },
    });
    const { hub, start } = await createFlowBed([waiting, slow, each, wide], { maxRuns: 1 });
    const list = Array.from({ length: 30 }, (_, i) => i);
    const run = start('caller', list);
    expect(() => start('caller', list)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    const drained = hub.drain(5000);
    expect((await endOf(run)).body).toEqual(list);
    await drained;
    const other = await createFlowBed([slow, wide], { maxRuns: 1 });
    await expect(endOf(other.start('wide', list))).rejects.toMatchObject({ code: 'overloaded' });
    await eventually(() => expect(other.hub.inFlight).toBe(0));
  });

  test('gives its writing nodes keys that are the same for each attempt of the call', async () => {
    const keys: string[] = [];
    const shaky: Operator = defineOperator({
      title: 'Shaky',
      doc: 'Fails the first time.',
      icon: 'circle',
      params: z.object({}),
      inputs: { in: input() },
      outputs: { out: output() },
      effects: 'write',
      idempotent: true,
      examples: [],
      run(call) {
        keys.push(call.idempotencyKey);
        if (keys.length === 1) throw new Error('at first');
        return 'done';
      },
    });
    const retry = { attempts: 2, backoffMs: 0, factor: 1, jitter: 0 };
    const { start } = await createFlowBed(
      [rowFlow('shaky', { write: { operator: 'test.shaky' } }), caller('shaky', {}, { retry })],
      { operators: { 'test.shaky': shaky } },
    );
    const run = start('caller', 1);
    expect((await endOf(run)).body).toBe('done');
    expect(keys).toEqual([`${run.id}:call:write`, `${run.id}:call:write`]);
  });
});

describe('streams', () => {
  const letters = rowFlow('letters', { stream: { operator: 'core.streamify' } });
  const passing = rowFlow('passing', { pass: { operator: 'flow.stream', params: { flow: 'letters' } } });
  const slowly = rowFlow('slowly', {
    stream: { operator: 'core.streamify' },
    wait: { operator: 'logic.delay', params: { ms: 30_000 } },
  });

  test('come as a list from a call, and item by item from a stream node', async () => {
    const { start, result } = await createFlowBed([letters, passing, caller('letters')]);
    expect(await result('caller', ['a', 'b'])).toEqual(['a', 'b']);
    expect(await Array.fromAsync(await streamOf(start('passing', ['a', 'b'])))).toEqual(['a', 'b']);
  });

  test('end at their source when their reader leaves', async () => {
    const endless = Array.from({ length: 5000 }, (_, i) => i);
    const { hub, start } = await createFlowBed([letters, passing]);
    const run = start('passing', endless);
    for await (const item of await streamOf(run)) if (item === 3) break;
    await eventually(() => expect(hub.inFlight).toBe(0));
  });

  test('end with the run that asked for them', async () => {
    const asking = rowFlow('asking', { pass: { operator: 'flow.stream', params: { flow: 'slowly' } } });
    const { hub, start } = await createFlowBed([slowly, asking]);
    const run = start('asking', ['a']);
    await eventually(() => expect(hub.inFlight).toBe(2));
    run.cancel('stop');
    await eventually(() => expect(hub.inFlight).toBe(0));
  });

  async function streamOf(run: Run): Promise<AsyncIterable<unknown>> {
    const answer = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
    return (answer as { body: AsyncIterable<unknown> }).body;
  }
});

/** An operator that pretends to be another caller. */
function forger(asker: (call: Call) => Call['asker']): Operator {
  return defineOperator({
    title: 'Forge',
    doc: 'Asks as someone else.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'write',
    examples: [],
    run: (call) =>
      call.service('flows').run({ flow: 'double', input: 1, key: 'k' }, asker(call as Call), call.signal),
  });
}
