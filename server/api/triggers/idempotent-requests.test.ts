import { afterEach, describe, expect, test } from 'vitest';
import type { RunAnswer } from '#engine';
import { createMemoryIdempotency } from '../../storage/idempotency/memory-idempotency.ts';
import { type Evaluate, failure, value } from './testing/fake-runs.ts';
import { liveFlow } from './testing/live-flow.ts';
import { fakeGate, serveTriggers, type TriggerServer } from './testing/trigger-server.ts';

let server: TriggerServer;
afterEach(() => server.close());

const store = () => createMemoryIdempotency(Date.now);

async function serve(evaluate: Evaluate, params: object = {}, kept = store()): Promise<TriggerServer> {
  const flow = liveFlow('f', { path: '/f', methods: ['GET', 'POST', 'DELETE'], auth: 'none', ...params });
  server = await serveTriggers([flow], evaluate, fakeGate, kept);
  return server;
}

function send(
  key: string,
  body?: unknown,
  more: Record<string, string> = {},
): ReturnType<TriggerServer['call']> {
  const headers = { 'idempotency-key': key, 'content-type': 'application/json', ...more };
  return server.call('/f', { method: 'POST', body: JSON.stringify(body ?? null), headers });
}

const codeOf = ({ text }: { text: string }) => (JSON.parse(text) as { err_code: string }).err_code;
const seen = (answer: Awaited<ReturnType<typeof send>>) => ({
  status: answer.status,
  text: answer.text,
  run: answer.headers.get('x-weft-run'),
  type: answer.headers.get('content-type'),
  own: answer.headers.get('x-own'),
});

describe('a repeat with the same Idempotency-Key', () => {
  test('gets the stored answer, marked, and starts no run', async () => {
    await serve(() => value({ made: Math.random() }, 201, { 'X-Own': 'ä' }));
    const first = await send('k', { n: 1 });
    const second = await send('k', { n: 1 });
    expect(seen(second)).toEqual(seen(first));
    expect(seen(first)).toMatchObject({ status: 201, run: 'run-1', own: 'ä' });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(server.runs.started).toHaveLength(1);
    await send('other', { n: 1 });
    expect(server.runs.started).toHaveLength(2);
  });

  test('gets a page in the same sandbox', async () => {
    const own = { 'content-type': ' text/html', 'content-security-policy': 'img-src *' };
    await serve(() => value('<p>', 200, own));
    for (const answer of [await send('k'), await send('k')]) {
      expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox .*, img-src \*$/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('gets what the first got, in every form', async () => {
    const forms: [RunAnswer, object][] = [
      [{ kind: 'empty' }, {}],
      [failure('stopped', 'No more.'), {}],
      [value(new Date(0)), {}],
      [value('text'), { response: { as: 'text' } }],
      [value(''), { response: { as: 'text' } }],
      [value({ n: 1 }), { response: { as: 'ndjson' } }],
      [value(new Uint8Array([0, 255, 7])), { response: { as: 'bytes' } }],
      [value('x', 304), {}],
      [value({}, 42), {}],
      [value(1), { answer: 'immediately' }],
    ];
    for (const [answer, params] of forms) {
      await serve(() => answer, params);
      const plain = await server.call('/f', { method: 'POST' });
      const first = await send('k');
      const second = await send('k');
      expect(seen(second)).toEqual(seen(first));
      const number = (text: string) => text.replaceAll(/run-\d/g, 'run');
      expect([first.status, number(first.text), seen(first).type]).toEqual([
        plain.status,
        number(plain.text),
        seen(plain).type,
      ]);
      expect([...second.headers.keys()].sort()).toEqual(
        [...first.headers.keys(), 'idempotent-replayed'].sort(),
      );
      expect(server.runs.started).toHaveLength(2);
      await server.close();
    }
    await serve(() => value(1));
  });

  test('is one of GET and DELETE too', async () => {
    await serve(() => value(Math.random()));
    for (const method of ['GET', 'DELETE']) {
      const once = () => server.call(`/f?n=${method}`, { method, headers: { 'idempotency-key': method } });
      expect((await once()).text).toBe((await once()).text);
    }
    expect(server.runs.started).toHaveLength(2);
  });

  test('that is another request is refused with idempotency_mismatch', async () => {
    await serve((run) => value(run.output));
    await send('k', { n: 1 });
    const others = [
      await send('k', { n: 2 }),
      await server.call('/f?n=1', { headers: { 'idempotency-key': 'k' } }),
      await server.call('/f', { method: 'DELETE', headers: { 'idempotency-key': 'k' } }),
    ];
    expect(others.map(codeOf)).toEqual(Array.from({ length: 3 }, () => 'idempotency_mismatch'));
    expect(others[0]?.status).toBe(422);
    expect(server.runs.started).toHaveLength(1);
  });

  test('of another caller is no repeat', async () => {
    await serve(() => value(Math.random()));
    const mine = await send('k', 1, { authorization: 'Bearer good' });
    const other = await send('k', 1);
    expect(mine.text).not.toBe(other.text);
    expect((await send('k', 1, { authorization: 'Bearer good' })).text).toBe(mine.text);
  });

  test('waits for the first one, however many come', async () => {
    const { promise, resolve } = Promise.withResolvers<RunAnswer>();
    await serve(() => promise);
    const all = Promise.all(Array.from({ length: 10 }, () => send('k')));
    while (server.runs.started.length === 0) await new Promise((next) => setImmediate(next));
    const wrong = await send('k', 'another');
    expect(codeOf(wrong)).toBe('idempotency_mismatch');
    resolve(value('done'));
    const answers = await all;
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, () => '"done"'));
    expect(answers.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(9);
    expect(server.runs.started).toHaveLength(1);
  });

  test('finds a run that goes on when the first caller has gone', async () => {
    const { promise, resolve } = Promise.withResolvers<RunAnswer>();
    await serve(() => promise);
    const gone = new AbortController();
    const left = server.call('/f', { headers: { 'idempotency-key': 'k' }, signal: gone.signal });
    while (server.runs.started.length === 0) await new Promise((next) => setImmediate(next));
    const closed = server.nextHangUp();
    gone.abort();
    await expect(left).rejects.toThrow();
    void closed;
    const again = server.call('/f', { headers: { 'idempotency-key': 'k' } });
    resolve(value('done'));
    expect((await again).text).toBe('"done"');
    expect(server.runs.started).toHaveLength(1);
    expect(server.runs.cancelled).toEqual([]);
  });

  test('of a streamed answer reports that it is not kept', async () => {
    async function* items() {
      yield 1;
      yield 2;
    }
    await serve(() => value(items()), { response: { as: 'ndjson' } });
    expect((await send('k')).text).toBe('1\n2\n');
    const again = await send('k');
    expect([again.status, codeOf(again)]).toEqual([409, 'idempotency_not_kept']);
    expect(again.text).toContain('run-1');
  });

  test('of a long run gets the id of the run, if the process does not survive it', async () => {
    const { promise, resolve } = Promise.withResolvers<RunAnswer>();
    const kept = store();
    await serve(() => promise, {}, kept);
    const first = send('k');
    const id = { trigger: 'f trigger', caller: 'anyone', key: 'k' };
    await expect.poll(() => server.runs.started.length).toBe(1);
    await expect.poll(async () => (await kept.claim(id, '')).run).toBe('run-1');
    resolve(value('done'));
    expect((await first).text).toBe('"done"');
    expect(await kept.claim(id, '')).toMatchObject({ state: 'answered', run: 'run-1' });
  });

  test('of a run that the process did not survive gets an error that names it', async () => {
    const kept = store();
    const id = { trigger: 'f trigger', caller: 'anyone', key: 'k' };
    await serve(() => value(1), {}, kept);
    await send('k');
    const known = await kept.claim(id, '');
    await kept.release(id);
    await kept.claim(id, known.fingerprint);
    await kept.started(id, 'run-9');
    const again = await send('k');
    expect([again.status, codeOf(again)]).toEqual([409, 'idempotency_run_lost']);
    expect(again.text).toContain('run-9');
    expect(server.runs.started).toHaveLength(1);
  });
});

describe('an Idempotency-Key', () => {
  test('is free again when the request was refused before a run began', async () => {
    await serve(() => value(1), { request: { type: 'object', properties: { n: { type: 'integer' } } } });
    expect((await send('k', { n: 'x' })).status).toBe(400);
    expect((await send('k', { n: 1 })).status).toBe(200);
  });

  test('is refused when it is none', async () => {
    await serve(() => value(1));
    for (const key of ['', 'x'.repeat(256), 'ä']) {
      const answer = await send(key);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'idempotency_key_invalid']);
    }
  });

  test('does not answer a caller who may not call the trigger', async () => {
    await serve(() => value(1), { auth: 'api-key' });
    await send('k', 1, { authorization: 'Bearer good' });
    expect((await send('k', 1)).status).toBe(401);
  });
});
