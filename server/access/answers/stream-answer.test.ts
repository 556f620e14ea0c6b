import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WeftError } from '#engine';
import type { FlowSettings } from '#shared/flow.ts';
import { handleError } from '../http/error-handler.ts';
import { PING_MS } from '../http/stream-limits.ts';
import { sendStream, type StreamSetup } from './stream-answer.ts';
import { streamFormats } from './stream-format.ts';
import { type StreamBed, startStreamBed } from '../../api/triggers/testing/stream-bed.ts';

async function* items(...list: readonly unknown[]): AsyncGenerator<unknown> {
  for (const item of list) yield await Promise.resolve(item);
}

async function* failing(...list: readonly unknown[]): AsyncGenerator<unknown> {
  yield* items(...list);
  throw new WeftError('bad_input', 'No more of that.');
}

/** Endless numbers; reports how many were requested, and whether it was asked to stop. */
function endless(every?: () => Promise<unknown>) {
  const seen = { count: 0, stopped: Promise.withResolvers<void>() };
  async function* generate(): AsyncGenerator<unknown> {
    try {
      for (;;) {
        await every?.();
        yield seen.count++;
      }
    } finally {
      seen.stopped.resolve();
    }
  }
  return { seen, generate };
}

describe('a stream as the result', () => {
  const mixed = ['two\nlines', { a: 1 }, null, 7];

  test('is one server-sent event per item: text as it is, other values as JSON', async () => {
    const bed = await startStreamBed(() => items(...mixed));
    const answer = await bed.open('sse');
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-weft-run')).toBeTruthy();
    expect(answer.headers.get('x-weft-version')).toBeTruthy();
    expect(await answer.text()).toBe('data: two\ndata: lines\n\ndata: {"a":1}\n\ndata: null\n\ndata: 7\n\n');
  });

  test('is one line of JSON per item', async () => {
    const bed = await startStreamBed(() => items(...mixed));
    const answer = await bed.open('ndjson');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(await answer.text()).toBe('"two\\nlines"\n{"a":1}\nnull\n7\n');
  });

  test('is text after text', async () => {
    const bed = await startStreamBed(() => items(...mixed));
    const answer = await bed.open('text');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe('two\nlines{"a":1}7');
  });

  test('is bytes after bytes, empty ones among them', async () => {
    const bytes = [Uint8Array.of(0, 255), Uint8Array.of(), 'é', Uint8Array.of(1)];
    const bed = await startStreamBed(() => items(...bytes));
    const answer = await bed.open('bytes');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 0xc3, 0xa9, 1]);
  });

  test('is one list where the trigger answers with JSON', async () => {
    const bed = await startStreamBed(() => items(...mixed));
    const answer = await bed.open('json');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual(mixed);
  });

  test.each(['sse', 'ndjson', 'text', 'bytes'])('without items is an empty answer of %s', async (as) => {
    const bed = await startStreamBed(() => items());
    const answer = await bed.open(as);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('comes in order, all 1,000 items of it', async () => {
    const list = Array.from({ length: 1000 }, (_, i) => i);
    const bed = await startStreamBed(() => items(...list));
    const text = await (await bed.open('ndjson')).text();
    expect(text.trimEnd().split('\n').map(Number)).toEqual(list);
  });

  test('is not read for HEAD', async () => {
    let started = 0;
    const bed = await startStreamBed(() => items(++started));
    const answer = await bed.open('sse', { method: 'HEAD' });
    expect([answer.status, await answer.text(), started]).toEqual([200, '', 0]);
  });

  test('reaches the client item by item, the first one while the second is still awaited', async () => {
    const gate = Promise.withResolvers<void>();
    const bed = await startStreamBed(async function* () {
      yield 'first';
      await gate.promise;
      yield 'second';
    });
    const reader = (await bed.open('sse')).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: first\n\n');
    gate.resolve();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: second\n\n');
    expect((await reader.read()).done).toBe(true);
  });

  test('is sent while another branch is still at work', async () => {
    const bed = await startStreamBed(() => items('first'));
    const answer = await bed.open('beside_slow');
    expect(await answer.text()).toBe('data: first\n\n');
    expect(bed.ctx.runs.inFlight).toBe(1);
  });

  test('ends at the flow’s time limit, even after its first item', async () => {
    const { seen, generate } = endless(() => pause(20));
    const bed = await startStreamBed(generate, { timeoutMs: 300 });
    const text = await (await bed.open('sse')).text();
    expect(text).toMatch(/^data: 0\n\n.*event: error\ndata: .*"err_code":"run_timeout".*300 ms/s);
    await seen.stopped.promise;
  });

  test('may take longer than the server’s limits, within that of its flow', async () => {
    const bed = await startStreamBed(
      async function* () {
        yield 1;
        await pause(1300);
        yield 2;
      },
      { timeoutMs: 60_000 },
      { streamIdleMs: 1000, streamMs: 1000 },
    );
    expect(await (await bed.open('ndjson')).text()).toBe('1\n2\n');
  });

  test('that is silent for longer than the server allows ends', async () => {
    const bed = await startStreamBed(() => endless(() => pause(1200)).generate(), {}, { streamIdleMs: 1000 });
    expect(await (await bed.open('sse')).text()).toContain('WEFT_STREAM_IDLE_MS');
  });

  test('that gives no first item in time is a time-out', async () => {
    const bed = await startStreamBed(() => endless(() => pause(10_000)).generate(), { timeoutMs: 100 });
    const answer = await bed.open('sse');
    expect([answer.status, (await answer.json()).err_code]).toEqual([504, 'run_timeout']);
  });
});

describe('a respond node', () => {
  test('sends a stream with its own status, and the run ends with the stream', async () => {
    const bed = await startStreamBed(() => items(1, 2));
    const answer = await bed.open('sent_ndjson');
    expect([answer.status, await answer.text()]).toEqual([201, '1\n2\n']);
    await expect.poll(() => bed.ctx.runs.inFlight).toBe(0);
    const run = await bed.ctx.runs.get(answer.headers.get('x-weft-run') ?? '');
    expect(run?.status).toBe('ok');
  });

  test('chooses the format by its content type', async () => {
    const bed = await startStreamBed(() => items('a', 'b'));
    const answer = await bed.open('sent_event');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toBe('data: a\n\ndata: b\n\n');
  });

  test('that streams a page keeps its scripts in a sandbox', async () => {
    const bed = await startStreamBed(() => items('<p>', '</p>'));
    const answer = await bed.open('sent_page');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(await answer.text()).toBe('<p></p>');
  });

  test('whose stream fails in the middle reports it to the client, and fails', async () => {
    const bed = await startStreamBed(() => failing(1));
    const answer = await bed.open('sent_ndjson');
    expect((await answer.text()).split('\n')).toEqual(['1', expect.stringContaining('"bad_input"'), '']);
    await expect.poll(() => bed.ctx.runs.inFlight).toBe(0);
    const run = await bed.ctx.runs.get(answer.headers.get('x-weft-run') ?? '');
    expect(run).toMatchObject({ status: 'failed', error: { code: 'bad_input', node: 'end' } });
  });

  test('stops its stream when the client leaves', async () => {
    const { seen, generate } = endless(() => pause(5));
    const bed = await startStreamBed(generate);
    await leaveAfterFirst(bed, 'sent_sse');
    await seen.stopped.promise;
    await expect.poll(() => bed.ctx.runs.inFlight).toBe(0);
  });
});

describe('a value', () => {
  test('is one event, one line, or the bytes of a text', async () => {
    const bed = await startStreamBed(() => items());
    const url = (as: string): string => `${bed.url}${bed.path(`value_${as}`)}?a=1`;
    expect(await (await fetch(url('sse'))).text()).toBe('data: {"a":"1"}\n\n');
    expect(await (await fetch(url('ndjson'))).text()).toBe('{"a":"1"}\n');
    const bytes = await fetch(url('bytes'));
    expect([bytes.status, (await bytes.json()).err_code]).toEqual([500, 'bad_response']);
  });
});

describe('a failure', () => {
  test.each(['sse', 'ndjson', 'text', 'bytes', 'json', 'sent_sse'])(
    'before the first item of %s is the usual error answer',
    async (as) => {
      const bed = await startStreamBed(() => failing());
      const answer = await bed.open(as);
      expect(answer.status).toBe(422);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await answer.json()).toMatchObject({ err_code: 'bad_input', err_msg: 'No more of that.' });
    },
  );

  test('to write the first item is an error answer as well, and stops the producer', async () => {
    const stopped = Promise.withResolvers<void>();
    const bed = await startStreamBed(async function* () {
      try {
        yield 10n;
        yield 1;
      } finally {
        stopped.resolve();
      }
    });
    const answer = await bed.open('sse');
    expect([answer.status, (await answer.json()).err_code]).toEqual([500, 'not_serialisable']);
    await stopped.promise;
  });

  test('in the middle is an event of its own', async () => {
    const bed = await startStreamBed(() => failing('a'));
    const answer = await bed.open('sse');
    const [first, second] = (await answer.text()).split('\n\n');
    expect([answer.status, first]).toEqual([200, 'data: a']);
    const [name, data = ''] = (second ?? '').split('\n');
    expect(name).toBe('event: error');
    expect(JSON.parse(data.slice('data: '.length))).toMatchObject({
      success: false,
      err_code: 'bad_input',
      error: { code: 'bad_input', message: 'No more of that.' },
    });
  });

  test('in the middle is a last line', async () => {
    const bed = await startStreamBed(() => failing('a', 'b'));
    const lines = (await (await bed.open('ndjson')).text()).split('\n');
    expect(lines.slice(0, 2)).toEqual(['"a"', '"b"']);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ error: { code: 'bad_input' } });
  });

  test.each(['text', 'bytes'])('in the middle of %s breaks the connection off', async (as) => {
    const bed = await startStreamBed(() => failing('a', 'b'));
    const answer = await bed.open(as);
    const reader = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const chunks: string[] = [];
    const readAll = async (): Promise<void> => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        chunks.push(Buffer.from(value).toString());
      }
    };
    await expect(readAll()).rejects.toThrow('terminated');
    expect(chunks.join('')).toBe('ab');
  });
});

describe('a client', () => {
  test('that leaves stops the producer within 100 ms, and the run', async () => {
    const { seen, generate } = endless(() => pause(5));
    const bed = await startStreamBed(generate);
    await leaveAfterFirst(bed, 'sse');
    const given = seen.count;
    await seen.stopped.promise;
    expect(seen.count - given).toBeLessThan(20);
    await expect.poll(() => bed.ctx.runs.inFlight).toBe(0);
    expect((await bed.ctx.runs.list({ limit: 1 }))[0]?.status).toBe('cancelled');
  });

  test('that leaves a silent producer aborts it', async () => {
    const aborted = Promise.withResolvers<void>();
    const bed = await startStreamBed(async function* ({ signal }) {
      yield 1;
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(signal.reason);
        });
      });
    });
    await leaveAfterFirst(bed, 'ndjson');
    await aborted.promise;
    await expect.poll(() => bed.ctx.runs.inFlight).toBe(0);
  });

  test('that leaves changes nothing where the flow goes on without it', async () => {
    let given = 0;
    const bed = await startStreamBed(
      async function* () {
        for (; given < 300; given++) {
          if (given % 30 === 0) await pause(5);
          yield given;
        }
      },
      { onDisconnect: 'continue' },
    );
    await leaveAfterFirst(bed, 'ndjson');
    await expect.poll(() => bed.ctx.runs.inFlight).toBe(0);
    expect(given).toBe(300);
    expect((await bed.ctx.runs.list({ limit: 1 }))[0]?.status).toBe('ok');
  });

  test('that does not read holds the producer up', async () => {
    const { seen, generate } = endless();
    const large = 'x'.repeat(64 * 1024);
    const bed = await startStreamBed(async function* () {
      for await (const _ of generate()) yield large;
    });
    const socket = connect(bed.port, '127.0.0.1');
    socket.pause();
    socket.write(`GET ${bed.path('text')} HTTP/1.1\r\nHost: 127.0.0.1:${bed.port}\r\n\r\n`);
    await expect.poll(() => seen.count).toBeGreaterThan(0);
    let before = -1;
    while (before !== seen.count) {
      before = seen.count;
      await pause(100);
    }
    // The capacity of the sockets' buffers and ours: a few megabytes of 64 KB each, however much time passes.
    expect(seen.count).toBeLessThan(400);
    socket.destroy();
    await seen.stopped.promise;
  });

  test('can use its connection again afterwards', async () => {
    const bed = await startStreamBed(() => items(1, 2, 3));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      const request = get(`${bed.url}${bed.path('ndjson')}`, { agent });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      ports.push(response.socket.localPort);
      expect(Buffer.concat(await response.toArray()).toString()).toBe('1\n2\n3\n');
    }
    expect(new Set(ports).size).toBe(1);
  });
});

describe('a key that is revoked', () => {
  /** Reads a stream that a key opened up to its first item, and then revokes the key. */
  async function revoked(settings: FlowSettings, headers: Record<string, string> = {}) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { seen, generate } = endless(() => pause(5));
    const bed = await startStreamBed(generate, settings);
    const { key, id } = await bed.ctx.keys.create({ name: 'reader', scopes: ['triggers'] });
    const init = { headers: { ...headers, authorization: `Bearer ${key}` } };
    const { body } = await bed.open('keyed_event', init);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    vi.advanceTimersByTime(PING_MS);
    await bed.ctx.keys.revoke(id);
    vi.advanceTimersByTime(PING_MS);
    return { bed, seen, reader };
  }

  async function rest({ reader }: Awaited<ReturnType<typeof revoked>>): Promise<string> {
    const decoder = new TextDecoder();
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
  }

  test.each([{}, { 'idempotency-key': 'k' }])(
    'ends the stream that it opened with an error, and the run (headers: %j)',
    async (headers) => {
      const given = await revoked({}, headers);
      expect(await rest(given)).toContain('run_cancelled');
      await given.seen.stopped.promise;
      await expect
        .poll(async () => (await given.bed.ctx.runs.list({ limit: 1 }))[0]?.status)
        .toBe('cancelled');
    },
  );

  test('ends the connection alone where the flow goes on without its caller', async () => {
    const given = await revoked({ onDisconnect: 'continue' });
    await expect(rest(given)).rejects.toThrow();
    const { count } = given.seen;
    await expect.poll(() => given.seen.count).toBeGreaterThan(count);
    const [run] = await given.bed.ctx.runs.list({ limit: 1 });
    given.bed.ctx.runs.cancel(run?.run as string, 'stop');
  });
});

describe('time', () => {
  const limits = { pingMs: 60_000, idleMs: 60_000, totalMs: 60_000 };

  /** A route that sends a stream with its own limits. */
  async function serve(generate: () => AsyncIterable<unknown>, setup: Partial<StreamSetup['limits']>) {
    const app = fastify({ forceCloseConnections: true });
    app.setErrorHandler(handleError);
    onTestFinished(() => app.close());
    const source = generate()[Symbol.asyncIterator]();
    // Like in the engine, a cancelled run's stream fails with the reason.
    const cancelled = Promise.withResolvers<never>();
    cancelled.promise.catch(() => {});
    const stream = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.race([source.next(), cancelled.promise]),
        return: () => source.return?.() as Promise<IteratorResult<unknown>>,
      }),
    };
    const run = {
      cancel: (reason: string) => cancelled.reject(new WeftError('run_timeout', reason)),
      endClock: () => false,
    };
    app.get('/', (_request, reply) => {
      const head = {
        format: streamFormats.sse,
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
      };
      const given = { run, stream, head, continues: false, limits: { ...limits, ...setup } };
      sendStream(reply, given).catch((error: unknown) => reply.send(error));
    });
    return await app.listen({ port: 0, host: '127.0.0.1' });
  }

  test('without items is filled with pings', async () => {
    const slow = async function* () {
      yield 'a';
      await pause(250);
      yield 'b';
    };
    const text = await (await fetch(await serve(slow, { pingMs: 50 }))).text();
    expect(text).toMatch(/^data: a\n\n(?:: ping\n\n){2,5}data: b\n\n$/);
  });

  test('without items that gets too long ends the answer with an error', async () => {
    const silent = async function* () {
      yield 'a';
      await new Promise(() => {});
    };
    const text = await (await fetch(await serve(silent, { idleMs: 50 }))).text();
    expect(text).toContain('event: error\ndata: {"success":false,"err_code":"run_timeout"');
  });

  test('of the whole answer is limited too', async () => {
    const { generate } = endless(() => pause(5));
    const text = await (await fetch(await serve(generate, { totalMs: 100 }))).text();
    expect(text).toContain('run_timeout');
  });

  test('in which a client accepts nothing ends its connection', async () => {
    const { seen, generate } = endless();
    const url = await serve(
      async function* () {
        for await (const _ of generate()) yield 'x'.repeat(64 * 1024);
      },
      { idleMs: 200 },
    );
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await seen.stopped.promise;
    socket.resume();
    await once(socket, 'close');
  });
});

/** Reads the first chunk, then closes the connection. */
async function leaveAfterFirst(bed: StreamBed, as: string): Promise<void> {
  const request = get(`${bed.url}${bed.path(as)}`);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response, 'data');
  request.destroy();
}
