import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Flow } from '#shared/flow.ts';
import {
  type BenchContext,
  type Line,
  measureSlowness,
  median,
  percentile,
  type Scenario,
} from '../harness.ts';
import { flowFolder, loopDelayPreload, type Server, startWeft } from '../servers.ts';

const MB = 1024 ** 2;
const MEMORY_LIMIT_MB = 150;
const WAIT_LIMIT_MS = 50;
const TRIGGER = '/api/v1/awel/trigger';
const KEY = 'a-key-of-the-benchmark-alone';

/** What strangers may send to without a key; the second half of a minute is what a body may take. */
const ROUTES = [
  `${TRIGGER}/open`,
  `${TRIGGER}/signed`,
  '/wait/a.b',
  '/api/v1/session',
  '/nothing/here',
] as const;

/** What bodies of strangers cost those who have nothing to do with them. */
export const bodies: Scenario = {
  name: 'bodies',
  title: 'Slow and large bodies, and who waits for them',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    using folder = flowFolder([
      takes('open', { auth: 'none' }),
      takes('signed', { auth: { type: 'hmac', secret: { $secret: 'hook' } } }),
      takes('keyed', {}),
    ]);
    const slow: Slow[] = [];
    for (const path of quick ? ROUTES.slice(0, 1) : ROUTES) {
      slow.push(
        await besideSlowSenders(folder.path, path, { count: quick ? 300 : 1000, ms: quick ? 2000 : 8000 }),
      );
      say(`${path}: ${slow.at(-1)?.moreMB.toFixed(0)} MB more, p99 ${slow.at(-1)?.p99.toFixed(1)} ms`);
    }
    const largest = Math.max(...slow.map(({ moreMB }) => moreMB));
    const waits = await waitsForBodies(folder.path, quick ? 3 : 5, say);
    const slowness = measureSlowness();
    const atMost = (value: number) => ({ kind: 'at most', value }) as const;
    return [
      {
        name: 'slow senders: memory beyond that without them',
        figure: largest,
        unit: 'MB',
        bar: atMost(MEMORY_LIMIT_MB),
        note: `the worst of ${slow.length} routes that ask for no key`,
      },
      {
        name: 'slow senders: p99 of who sends at once',
        figure: Math.max(...slow.map(({ p99 }) => p99)),
        unit: 'ms',
        bar: atMost(WAIT_LIMIT_MS),
        slowness,
      },
      ...waits.map(({ size, ms, worst }) => ({
        name: `time that others wait for a body of ${size} MB`,
        figure: ms,
        unit: 'ms',
        bar: atMost(WAIT_LIMIT_MS),
        slowness,
        note: `the worst within the limits: ${worst}`,
      })),
    ];
  },
};

function takes(id: string, params: Record<string, unknown>): Flow {
  const request = { type: 'object' };
  return {
    format: 1,
    id,
    nodes: {
      in: { operator: 'trigger.http', params: { path: `/${id}`, methods: ['POST'], request, ...params } },
      out: { operator: 'text.template', params: { template: 'taken' } },
    },
    edges: [{ from: 'in.out', to: 'out.in' }],
  } as Flow;
}

function start(folder: string): Promise<Server> {
  return startWeft(folder, {
    nodeArgs: ['--import', loopDelayPreload],
    ipc: true,
    env: {
      WEFT_API_KEYS: KEY,
      WEFT_SECRET_HOOK: 'signed',
      WEFT_GRANTS: '{"hook":{"operators":["trigger.http"]}}',
    },
  });
}

interface Slow {
  readonly moreMB: number;
  readonly p99: number;
}

async function besideSlowSenders(
  folder: string,
  path: string,
  { count, ms }: { readonly count: number; readonly ms: number },
): Promise<Slow> {
  await using server = await start(folder);
  using honest = caller(server);
  await honest.callFor(1000);
  const before = server.rssMB();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, server.rssMB());
  }, 50);
  const stop = sendSlowly(server.port, path, count);
  const times = await honest.callFor(ms);
  clearInterval(watch);
  stop();
  return { moreMB: peak - before, p99: percentile(times, 99) };
}

/** So many connections that each say they send a megabyte, send a tenth, then little by little, and come again when refused. */
function sendSlowly(port: number, path: string, count: number): () => void {
  const first = Buffer.alloc(100 * 1024, ' ');
  const little = Buffer.alloc(1024, ' ');
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Signature: ${'a'.repeat(64)}\r\nContent-Length: ${MB}\r\n\r\n`;
  const open = new Set<Socket>();
  let isOver = false;

  function begin(): void {
    if (isOver) return;
    const socket = connect(port, '127.0.0.1');
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      setTimeout(begin, 1000);
    });
    socket.resume();
    socket.write(head);
    socket.write(first);
  }

  for (let i = 0; i < count; i++) begin();
  const more = setInterval(() => {
    for (const socket of open) if (!socket.writableNeedDrain) socket.write(little);
  }, 500);
  return () => {
    isOver = true;
    clearInterval(more);
    for (const socket of open) socket.destroy();
  };
}

/** Somebody who sends a small body at once, waits for the answer, and does so again. */
function caller({ port }: Server) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = '{"name":"Ada"}';
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  async function call(): Promise<number> {
    const started = performance.now();
    const asked = httpRequest({
      port,
      host: '127.0.0.1',
      agent,
      method: 'POST',
      path: `${TRIGGER}/open`,
      headers,
    });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    answer.resume();
    await once(answer, 'end');
    if (answer.statusCode !== 200) throw new Error(`an honest call was answered with ${answer.statusCode}`);
    return performance.now() - started;
  }
  return {
    async callFor(ms: number): Promise<number[]> {
      const times: number[] = [];
      const end = performance.now() + ms;
      while (performance.now() < end) {
        times.push(await call());
        await pause(2);
      }
      return times;
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

interface Wait {
  /** In MB. */
  readonly size: number;
  readonly ms: number;
  readonly worst: string;
}

/** How long the event loop stands still for each body, by the server's own work. */
async function waitsForBodies(folder: string, rounds: number, say: (text: string) => void): Promise<Wait[]> {
  await using server = await start(folder);
  const found: Wait[] = [];
  for (const [size, path] of [
    [1, 'open'],
    [10, 'keyed'],
  ] as const) {
    let worst: Wait = { size, ms: 0, worst: '' };
    for (const [name, body] of Object.entries(hostileBodies(size * MB - 100))) {
      await lateness(server, path, body);
      const times: number[] = [];
      for (let i = 0; i < rounds; i++) times.push(await lateness(server, path, body));
      const ms = median(times);
      say(`${size} MB, ${name}: ${ms.toFixed(1)} ms`);
      if (ms > worst.ms) worst = { size, ms, worst: name };
    }
    found.push(worst);
  }
  return found;
}

async function lateness({ child, origin }: Server, path: string, body: string): Promise<number> {
  child.send('begin');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
  const answer = await fetch(`${origin}${TRIGGER}/${path}`, { method: 'POST', headers, body });
  await answer.text();
  if (answer.status !== 200) throw new Error(`a body within the limits was answered with ${answer.status}`);
  await pause(50);
  child.send('tell');
  const [{ own }] = (await once(child, 'message')) as [{ own: { max: number } }];
  return own.max;
}

/** Objects of about `size` bytes that are as slow to read as the limits of names and values let them be. */
function hostileBodies(size: number): Record<string, string> {
  const list = (count: number, item: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => item(i)).join();
  const padded = (inner: string) => `{${inner},"z":"${'x'.repeat(Math.max(0, size - inner.length - 10))}"}`;
  const fits = (inner: string) => inner.length <= size - 10;
  const candidates = {
    'one text': padded('"a":1'),
    'a text of escapes': `{"a":"${'\\n'.repeat((size - 10) / 2)}"}`,
    'many names': padded(list(49_990, (i) => `"k${i}":1`)),
    'many small objects': padded(`"a":[${list(49_990, (i) => `{"k${i}":1}`)}]`),
    'many names and an odd one': padded(`"\\u005f":1,${list(49_980, (i) => `"k${i}":1`)}`),
    'many numbers': padded(`"a":[${list(199_990, (i) => String(i % 10))}]`),
    'many texts': padded(`"a":[${list(130_000, (i) => `"${i % 1000}"`)}]`),
    'many empty lists': padded(`"a":[${list(99_990, () => '[]')}]`),
  };
  return Object.fromEntries(Object.entries(candidates).filter(([, body]) => fits(body.slice(0, -10))));
}
