import { afterEach, describe, expect, it } from 'vitest';
import type { Catalog } from '#shared/catalog.ts';
import type { Context } from './context.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type Evaluate, type FakeRuns, failure, fakeRuns, value } from '../triggers/testing/fake-runs.ts';
import { liveFlow } from '../triggers/testing/live-flow.ts';
import { fakeAccess, fakeGate, listen, newApp } from '../triggers/testing/trigger-server.ts';
import testTriggers from './test-triggers.ts';

const editor = { authorization: 'Bearer good' };
const catalog = { operators: { 'trigger.http': { trigger: true } } } as unknown as Catalog;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Setup {
  readonly runs: FakeRuns;
  readonly timers: (() => void)[];
  call(path: string, init?: RequestInit): Promise<Answer>;
  /** Starts to listen, and resolves with the future answer once the server listens. */
  listen(id: string, body?: unknown): Promise<{ answer: Promise<Answer> }>;
  close(): Promise<void>;
}

let setup: Setup;
afterEach(() => setup.close());

/** Drafts by id; timers run only on the test's request. */
async function serve(
  drafts: readonly LiveFlow[],
  evaluate: Evaluate = (run) => value(run.output),
): Promise<Setup> {
  const runs = fakeRuns(evaluate);
  const timers: (() => void)[] = [];
  let onTimer: (() => void) | undefined;
  const known = (id: string): LiveFlow => {
    const found = drafts.find((draft) => draft.id === id);
    if (!found) throw new ServiceError('flow_not_found');
    return found;
  };
  const host = {
    now: () => 0,
    timer(_ms: number, fn: () => void) {
      timers.push(fn);
      onTimer?.();
      return () => timers.splice(timers.indexOf(fn), 1);
    },
  };
  const flows = { draft: async (id: string) => known(id), get: async (id: string) => known(id) };
  const app = newApp();
  await app.register((scope) =>
    testTriggers(scope, {
      flows,
      runs,
      host,
      catalog,
      // No trigger of these drafts is called by a service.
      deliveries: { registry: { operators: new Map(), catalog: { operators: {} } } },
      access: fakeAccess,
      gate: fakeGate,
    } as unknown as Context),
  );
  const { url, close } = await listen(app);
  const call = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1/flows/${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const startToListen = async (id: string, body: unknown = {}): Promise<{ answer: Promise<Answer> }> => {
    const begun = new Promise<void>((resolve) => {
      onTimer = resolve;
    });
    const headers = { ...editor, 'content-type': 'application/json' };
    const answer = call(`${id}/listen`, { method: 'POST', headers, body: JSON.stringify(body) });
    await begun;
    return { answer };
  };
  setup = { runs, timers, call, listen: startToListen, close };
  return setup;
}

const draft = (params: Record<string, unknown> = {}): LiveFlow =>
  liveFlow('f', { path: '/items/:id', methods: ['GET', 'POST'], auth: 'none', ...params });

describe('the test address of a draft', () => {
  it('answers as the live trigger would, recorded in full', async () => {
    await serve([draft()]);
    const answer = await setup.call('f/test/items/7?x=1', { headers: editor });
    expect([answer.status, answer.text]).toEqual([200, '{"x":"1","id":"7"}']);
    expect(answer.headers.get('x-weft-run')).toBe('run-1');
    expect(setup.runs.started[0]).toMatchObject({ source: 'test', record: 'full', trigger: 'trigger' });
    const posted = await setup.call('f/test/items/7', {
      method: 'POST',
      body: '[1]',
      headers: { ...editor, 'content-type': 'application/json' },
    });
    expect(posted.text).toBe('[1]');
  });

  it('needs credentials that may edit, before it reveals anything about the flow', async () => {
    await serve([draft()]);
    for (const path of ['f/test/items/7', 'unknown/test/x'])
      expect((await setup.call(path)).status).toBe(401);
    expect((await setup.call('f/test/items/7', { headers: { authorization: 'Bearer other' } })).status).toBe(
      403,
    );
    expect(setup.runs.started).toEqual([]);
  });

  it('answers unknown flows, paths and methods as such', async () => {
    await serve([draft()]);
    const code = async (path: string, method = 'GET'): Promise<unknown> => {
      const answer = await setup.call(path, { method, headers: editor });
      return [answer.status, answer.headers.get('allow'), answer.text && JSON.parse(answer.text).err_code];
    };
    expect(await code('g/test/items/7')).toEqual([404, null, 'flow_not_found']);
    expect(await code('f/test/other')).toEqual([404, null, 'trigger_not_found']);
    expect(await code('f/test')).toEqual([404, null, 'trigger_not_found']);
    expect(await code('f/test/items/7', 'PUT')).toEqual([
      405,
      'GET, POST, HEAD, OPTIONS',
      'method_not_allowed',
    ]);
    expect(await code('f/test/items/7', 'OPTIONS')).toEqual([204, 'GET, POST, HEAD, OPTIONS', '']);
    expect(await code('f/test/items/7', 'HEAD')).toEqual([200, null, '']);
    expect(setup.runs.started).toEqual([]);
  });

  it('refuses a body of the wrong type before it reads it', async () => {
    await serve([draft()]);
    const headers = { ...editor, 'content-type': 'text/plain' };
    expect((await setup.call('f/test/items/7', { method: 'POST', body: 'x', headers })).status).toBe(415);
  });
});

describe('listening', () => {
  const parsed = async (answer: Promise<Answer>) => JSON.parse((await answer).text);

  it('reports the next request and its run, and lets it in without a key meanwhile', async () => {
    await serve([draft()]);
    const { answer } = await setup.listen('f');
    expect((await setup.call('f/test/items/7?x=1')).status).toBe(200);
    expect((await parsed(answer)).data).toEqual({
      run: 'run-1',
      request: { method: 'GET', path: '/items/7', query: 'x=1' },
    });
    expect((await setup.call('f/test/items/7')).status).toBe(401);
    expect(setup.timers).toEqual([]);
  });

  it('reports a failed run too', async () => {
    await serve([draft()], () => failure('stopped', 'no'));
    const { answer } = await setup.listen('f');
    expect((await setup.call('f/test/items/7')).status).toBe(422);
    expect((await parsed(answer)).data.run).toBe('run-1');
  });

  it('asks for what the trigger asks for', async () => {
    await serve([draft({ auth: 'api-key' })]);
    await setup.listen('f');
    expect((await setup.call('f/test/items/7')).status).toBe(401);
    expect(setup.runs.started).toEqual([]);
  });

  it('is told as such from when it accepts calls until it ends', async () => {
    await serve([draft()]);
    const listens = async (): Promise<unknown> =>
      (await parsed(setup.call('f/listen', { headers: editor }))).data;
    expect(await listens()).toEqual({ listening: false });
    const { answer } = await setup.listen('f', { timeoutMs: 5 });
    expect(await listens()).toEqual({ listening: true });
    setup.timers[0]?.();
    await answer;
    expect(await listens()).toEqual({ listening: false });
  });

  it('ends with nothing when the time is over', async () => {
    await serve([draft()]);
    const { answer } = await setup.listen('f', { timeoutMs: 5 });
    setup.timers[0]?.();
    expect((await parsed(answer)).data).toEqual({ run: null, request: null });
  });

  it('gives way to a newer listener', async () => {
    await serve([draft()]);
    const older = await setup.listen('f');
    const newer = await setup.listen('f');
    expect((await older.answer).status).toBe(409);
    await setup.call('f/test/items/7');
    expect((await parsed(newer.answer)).data.run).toBe('run-1');
  });

  it('ends when the server closes', async () => {
    await serve([draft()]);
    const { answer } = await setup.listen('f');
    const closing = setup.close();
    expect((await answer).status).toBe(503);
    await closing;
  });

  it('refuses unknown flows, long times and callers that may not edit', async () => {
    await serve([draft()]);
    const post = (path: string, body: string) =>
      setup.call(path, { method: 'POST', body, headers: { ...editor, 'content-type': 'application/json' } });
    expect((await post('g/listen', '{}')).status).toBe(404);
    expect((await post('f/listen', '{"timeoutMs":300001}')).status).toBe(400);
  });
});
