import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunPage } from '#shared/api.ts';
import type { CreatedKey } from '#shared/key.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunTimeline } from '#shared/run-timeline.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { ask, call, keyHeaders } from '../support/client.ts';
import { type Node, publish, SECRETS_KEY, startNode, startPair } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { chainFlow, type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { discard, startServer } from '../support/server.ts';
import { followRun } from '../support/sockets.ts';

describe('a signed request that was used', () => {
  const secret = 'the shared secret';
  const sign = (at: number, body: string): string =>
    createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const signed = (body: string, at = Math.floor(Date.now() / 1000)): RequestInit => ({
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-time': String(at),
      'x-signature': sign(at, body),
    },
  });

  test('is refused by the other servers too, and of many at once one starts a run', async () => {
    const { a, b } = await startPair();
    await a.owner.data('PUT', '/secrets/hook', {
      value: secret,
      grants: { operators: ['trigger.http'] },
    });
    const auth = { type: 'hmac', secret: { $secret: 'hook' }, timestampHeader: 'x-time' };
    const flow = { ...sayFlow('hook', 'taken', httpTrigger('/hook', { methods: ['POST'], auth })) };
    await publish(a, flow);
    const once = signed('{"a":1}');
    expect((await call(a, '/hook', once)).status).toBe(200);
    for (const node of [a, b, b]) {
      const again = await call(node, '/hook', once);
      expect([again.status, again.body]).toMatchObject([401, { err_code: 'signature_invalid' }]);
      expect(again.text).toContain('came before');
    }
    const many = signed('{"a":2}');
    const answers = await Promise.all([a, b, a, b, b, a].map((node) => call(node, '/hook', many)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  });
});

/** Answers at once, waits, then executes `count` nodes. */
function slowFlow(id: string, ms: number, count = 1): FlowJson {
  const chain = chainFlow(id, count);
  return {
    ...chain,
    nodes: {
      ...chain.nodes,
      trigger: httpTrigger(`/${id}`, { answer: 'immediately' }),
      pause: { operator: 'logic.delay', params: { ms } },
    },
    edges: [
      { from: 'trigger.out', to: 'pause.in' },
      { from: 'pause.out', to: 'n0.in' },
      ...chain.edges.slice(1),
    ],
    settings: { durable: false, record: 'full' },
  };
}

async function begin(node: Node, path: string): Promise<string> {
  const { status, body } = await call(node, path);
  expect(status).toBe(202);
  return (body as { run: string }).run;
}

/** The key of the first server opens all. */
const withKey = (node: Node, { key }: Node): Node => ({ ...node, key });

describe('a run that another server executes', () => {
  test('is listed, read, followed and stopped through any server', async () => {
    const { a, b } = await startPair();
    await publish(a, slowFlow('slow', 60_000));
    const run = await begin(b, '/slow');
    const listed = await a.owner.data<RunPage>('GET', '/runs?flow=slow');
    expect(listed.runs).toMatchObject([
      { run, status: 'running', server: expect.stringMatching(new RegExp(`/${b.process.pid}$`)) },
    ]);
    expect((await b.owner.data<RunPage>('GET', '/runs?flow=slow')).runs).toEqual([
      expect.not.objectContaining({ server: expect.anything() }),
    ]);
    expect(await a.owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({ run, status: 'running' });
    const events = (node: Node) => node.owner.data('GET', `/runs/${run}/events`);
    // The first question is what makes the run tell.
    await eventually(async () => expect(await events(a)).toMatchObject({ events: { length: 5 } }));
    expect(await events(a)).toEqual(await events(b));
    expect(await a.owner.data<RunTimeline>('GET', `/runs/${run}/timeline`)).toMatchObject({
      summary: { run },
    });
    const deleted = await a.owner.api('DELETE', `/runs/${run}`);
    expect([deleted.status, deleted.body]).toMatchObject([409, { err_code: 'conflict' }]);
    const follower = await followRun(withKey(a, a.key === '' ? b : a), run);
    expect((await a.owner.api('POST', `/runs/${run}/cancel`)).status).toBe(202);
    const seen = await follower.until((items) => items.some(({ kind }) => kind === 'run-finished'));
    expect(seen.at(-1)).toMatchObject({ kind: 'run-finished', status: 'cancelled' });
    expect((await follower.closed).code).toBe(1000);
    // Who stopped it stands in the audit as if the request had come to that server.
    await eventually(async () =>
      expect(await a.owner.data('GET', `/runs/${run}`)).toMatchObject({ status: 'cancelled' }),
    );
    expect((await a.owner.api('GET', `/runs/${run.slice(0, -10)}0123456789`)).status).toBe(404);
  });

  test('is told to each of many followers whole, in order and once', async () => {
    const { a, b } = await startPair();
    await publish(a, slowFlow('slow', 3000, 60));
    const key = withKey(a, a.key === '' ? b : a);
    const run = await begin(b, '/slow');
    const followers = await Promise.all(Array.from({ length: 60 }, () => followRun(key, run)));
    const direct = await followRun({ ...b, key: key.key }, run);
    await Promise.all([...followers, direct].map(({ closed }) => closed));
    expect(direct.items.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
    expect(direct.items.map((item) => ('seq' in item ? item.seq : 'gap'))).toEqual(
      direct.items.map((_, at) => at + 1),
    );
    for (const { items } of followers) expect(items).toEqual(direct.items);
    // One that was cut off goes on where it stood, from the history now.
    const rest = await followRun(key, run, 5);
    await rest.closed;
    expect(rest.items).toEqual(direct.items.slice(5));
  });

  test('is an error with a code when its server has died, and in the history if it had ended', async () => {
    const { a, b } = await startPair();
    await publish(a, slowFlow('slow', 60_000));
    await publish(a, { ...slowFlow('quick', 1), id: 'quick' });
    const ended = await begin(b, '/quick');
    const lost = await begin(b, '/slow');
    await eventually(async () =>
      expect(await a.owner.data('GET', `/runs/${ended}`)).toMatchObject({ status: 'ok' }),
    );
    const follower = await followRun(withKey(a, a.key === '' ? b : a), lost);
    b.process.kill('SIGKILL');
    expect((await follower.closed).code).toBe(1006);
    const first = await a.owner.api('POST', `/runs/${lost}/cancel`);
    expect([first.status, first.body]).toMatchObject([503, { err_code: 'run_server_unreachable' }]);
    await eventually(async () => {
      const later = await a.owner.api('GET', `/runs/${lost}`);
      expect([later.status, later.body]).toMatchObject([410, { err_code: 'run_server_gone' }]);
    });
    expect(await a.owner.data('GET', `/runs/${ended}`)).toMatchObject({ status: 'ok' });
    expect((await a.owner.data<RunPage>('GET', '/runs?flow=slow')).runs).toEqual([]);
  });

  test('is reached on a server without an editor, which answers other servers only', async () => {
    const url = await newDatabase();
    const a = await startNode(url);
    const env = { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY, WEFT_EDITOR: 'off' };
    const b = await startServer({ env });
    onTestFinished(() => discard(b));
    await publish(a, slowFlow('slow', 60_000));
    const run = ((await call(b, '/slow')).body as { run: string }).run;
    expect(await a.owner.data('GET', `/runs/${run}`)).toMatchObject({ status: 'running' });
    const follower = await followRun(a, run);
    expect((await ask(`${b.url}/api/v1/runs/${run}`, { headers: keyHeaders(a) })).status).toBe(404);
    await expect(followRun({ ...b, key: a.key }, run)).rejects.toMatchObject({ status: 404 });
    expect((await a.owner.api('POST', `/runs/${run}/cancel`)).status).toBe(202);
    expect((await follower.closed).code).toBe(1000);
  });

  test('keeps its chat stream for a client that comes back through another server, and is stopped from there', async () => {
    const { a, b } = await startPair();
    const owner = a.key === '' ? b : a;
    const headers = { ...keyHeaders(owner), 'content-type': 'application/json', 'x-weft-resume': '30' };
    const flow: FlowJson = {
      format: 1,
      id: 'talk',
      nodes: {
        ask: { operator: 'trigger.chat' },
        pause: { operator: 'logic.delay', params: { ms: 2000 } },
        say: { operator: 'text.template', params: { template: 'here I am' } },
      },
      edges: [
        { from: 'ask.out', to: 'pause.in' },
        { from: 'pause.out', to: 'say.in' },
      ],
    };
    await publish(a, flow);
    const chat = async (conversation: string, signal: AbortSignal): Promise<string> => {
      const asked = {
        model: 'talk',
        chat_mode: 'chat_flow',
        chat_param: 'talk',
        messages: 'Hi',
        stream: true,
      };
      const body = JSON.stringify({ ...asked, conv_uid: conversation });
      const answer = await fetch(`${b.url}/api/v2/chat/completions`, {
        method: 'POST',
        headers,
        body,
        signal,
      });
      expect(answer.status).toBe(200);
      return answer.headers.get('x-weft-run') ?? '';
    };
    const leave = new AbortController();
    const run = await chat('c1', leave.signal);
    leave.abort();
    const rest = await ask(`${a.url}/api/v2/chat/completions/${run}`, { headers: keyHeaders(owner) });
    expect(rest.headers.get('content-type')).toContain('text/event-stream');
    expect(rest.text).toContain('here I am');
    expect(rest.text).toContain('[DONE]');
    const stay = new AbortController();
    const second = chat('c2', stay.signal);
    const stop = `${a.url}/api/v1/chat/c2/stop`;
    await eventually(async () => {
      const stopped = await ask(stop, { method: 'POST', headers: keyHeaders(owner) });
      expect(stopped.body).toMatchObject({ data: { stopped: 1 } });
    });
    await second;
    stay.abort();
  });

  test('is asked for by servers with proof only', async () => {
    const { a } = await startPair();
    const refused = await ask(`${a.url}/api/v1/runs`, { headers: { 'x-weft-peer': 'e30.e30' } });
    expect([refused.status, refused.body]).toMatchObject([401, { err_code: 'peer_refused' }]);
  });
});

describe('wrong passwords and keys', () => {
  test('are counted by all servers together', async () => {
    const { a, b } = await startPair({ WEFT_ADMIN_PASSWORD: 'open sesame' });
    const enter = (node: Node, password: string) =>
      ask(`${node.url}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: node.url },
        body: JSON.stringify({ password }),
      });
    for (const node of [a, b, a, b, a]) expect((await enter(node, 'wrong one')).status).toBe(401);
    for (const node of [a, b])
      await eventually(async () => expect((await enter(node, 'open sesame')).status).toBe(429));
    await publish(a, sayFlow('guarded', 'in', { operator: 'trigger.http', params: { path: '/guarded' } }));
    const guess = (node: Node): Promise<number> =>
      call(node, '/guarded', { headers: { authorization: 'Bearer no' } }).then(({ status }) => status);
    for (let i = 0; i < 100; i++) await guess(i % 2 === 0 ? a : b);
    for (const node of [a, b]) await eventually(async () => expect(await guess(node)).toBe(429));
  });
});

describe('the limits of a flow', () => {
  test('C8: of calls on two servers never more are at work than `maxRuns`, and those that may wait all come', async () => {
    const { a, b } = await startPair();
    const limited = { durable: false, maxRuns: 2, whenFull: 'queue', record: 'full' };
    await publish(a, { ...lateFlow('late', 'done', 150), settings: limited });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => call(i % 2 === 0 ? a : b, '/late')),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array(16).fill('"done"'));
    await eventually(async () => {
      const { runs } = await a.owner.data<RunPage>('GET', '/runs?flow=late&limit=50');
      expect(runs.length).toBe(16);
      const steps = runs.flatMap(({ startedAt, ms = 0 }) => [
        [startedAt, 1],
        [startedAt + ms, -1],
      ]) as [number, number][];
      let atWork = 0;
      for (const [, step] of steps.sort((x, y) => x[0] - y[0] || x[1] - y[1]))
        expect((atWork += step)).toBeLessThanOrEqual(2);
    });
  });

  test('C8: a flow that refuses what is too much refuses it on the other server', async () => {
    const { a, b } = await startPair();
    await publish(a, { ...slowFlow('slow', 60_000), settings: { durable: false, maxRuns: 1 } });
    const run = await begin(a, '/slow');
    const refused = await call(b, '/slow');
    expect([refused.status, refused.body]).toMatchObject([429, { err_code: 'too_many_runs' }]);
    await b.owner.data('POST', `/runs/${run}/cancel`);
    await eventually(async () => expect((await call(b, '/slow')).status).toBe(202));
    expect((await call(a, '/slow')).status).toBe(429);
  });

  test('rates of triggers and keys are those of one server, on whichever calls arrive', async () => {
    const { a, b } = await startPair();
    const rate = { limit: 6, per: 'hour', by: 'all' };
    await publish(a, sayFlow('few', 'one', httpTrigger('/few', { rate })));
    const statuses = async (path: string, init?: RequestInit): Promise<number[]> => {
      const all = Array.from({ length: 12 }, (_, i) => call(i % 2 === 0 ? a : b, path, init));
      return (await Promise.all(all)).map(({ status }) => status).sort();
    };
    const six = [...Array<number>(6).fill(200), ...Array<number>(6).fill(429)];
    expect(await statuses('/few')).toEqual(six);
    await publish(a, sayFlow('mine', 'one', { operator: 'trigger.http', params: { path: '/mine' } }));
    const made = await a.owner.data<CreatedKey>('POST', '/keys', {
      name: 'ci',
      scopes: ['triggers'],
      perMinute: 6,
    });
    const used = await statuses('/mine', { headers: { authorization: `Bearer ${made.key}` } });
    expect(used.filter((status) => status === 200).length).toBeLessThanOrEqual(7);
    expect(used.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  });

  test('the budget of a day is that of one server, on whichever agents are asked', async () => {
    const { a, b } = await startPair();
    const trigger = { operator: 'trigger.http', params: { path: '/agent', methods: ['POST'] } };
    const agent = { operator: 'agent.run', params: { agent: { name: 'Echo' } } };
    const edges = [{ from: 'trigger.out', to: 'agent.in' }];
    await publish(a, { format: 1, id: 'agent', nodes: { trigger, agent }, edges });
    const { key } = await a.owner.data<CreatedKey>('POST', '/keys', { name: 'ci', scopes: ['triggers'] });
    await a.owner.data('PUT', '/budgets', { answer: {}, apps: {}, keys: { ci: { steps: 30 } } });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const asked = { method: 'POST', headers, body: JSON.stringify({ text: 'Hi' }) };
    const all = Array.from({ length: 48 }, (_, i) => call(i % 2 === 0 ? a : b, '/agent', asked));
    const refused = (await Promise.all(all)).filter(({ text }) => text.includes('agent_budget'));
    expect(refused).toHaveLength(18);
    expect((await call(b, '/agent', asked)).text).toContain('at most 30 calls of models; 30 were used');
  });
});
