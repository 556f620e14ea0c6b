import { connect, type Socket } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { flowFolder, type Server, startWeft } from '../servers.ts';

const LATENCY_LIMIT_MS = 2;
const ITEMS_PER_SECOND = 10_000;
const MEMORY_LIMIT_MB = 150;
const CHUNK_BYTES = 64 * 1024;
const SAMPLE_MS = 50;

/** Answers that are streams: how long an item is on its way, how many come a second, and what a slow client costs. */
export const streamAnswer: Scenario = {
  name: 'stream-answer',
  title: 'Streamed answers over HTTP',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const flows = [flowOf('times', 'sse'), flowOf('items', 'ndjson'), flowOf('chunks', 'text')];
    using folder = flowFolder(flows);
    writeOperators(folder.path);
    const env = { WEFT_OPERATORS: join(folder.path, 'operators') };
    await using server = await startWeft(folder.path, { env });
    const slowness = measureSlowness();
    const delays = await itemDelays(server, quick ? 1000 : 5000);
    say(`${delays.length} items, one a millisecond`);
    const rate = await itemsPerSecond(server, quick ? 50_000 : 500_000);
    const megabytes = quick ? 100 : 1000;
    const memory = await throughSlowClient(server, megabytes);
    return [
      {
        name: 'from yield to the client’s socket, p99',
        figure: percentile(delays, 99),
        unit: 'ms',
        bar: { kind: 'at most', value: LATENCY_LIMIT_MS },
        slowness,
        note: `median ${median(delays).toFixed(2)} ms`,
      },
      {
        name: 'items of one stream',
        figure: rate,
        unit: '/s',
        bar: { kind: 'at least', value: ITEMS_PER_SECOND },
        slowness,
      },
      {
        name: `${megabytes} MB through a slow client`,
        figure: memory,
        unit: 'MB',
        bar: { kind: 'at most', value: MEMORY_LIMIT_MB },
        note: 'resident, at the highest',
      },
    ];
  },
};

// ------------------------------------------------------------------------------------------------------ the server's side

/** Each operator's items, as the body of an async generator over `input`. */
const sources = {
  times: `for (let i = 0; i < input.count; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield String(process.hrtime.bigint());
  }`,
  items: 'for (let i = 0; i < input.count; i++) yield { i };',
  chunks: `const chunk = 'x'.repeat(${CHUNK_BYTES});
  for (let i = 0; i < input.count; i++) yield chunk;`,
};

function writeOperators(folder: string): void {
  const group = join(folder, 'operators', 'bench');
  mkdirSync(group, { recursive: true });
  for (const [name, body] of Object.entries(sources)) {
    const text = `async function* generate(input) {\n  ${body}\n}
export default ({ defineOperator, input, output, z }) =>
  defineOperator({
    title: 'Items', doc: 'Gives items.', icon: 'box', params: z.object({}), effects: 'read', examples: [],
    inputs: { in: input() }, outputs: { out: output({ kind: 'stream' }) },
    run: (call) => generate(call.input),
  });\n`;
    writeFileSync(join(group, `${name}.js`), text);
  }
}

function flowOf(name: keyof typeof sources, as: string): Flow {
  const request = { type: 'object', properties: { count: { type: 'integer' } } };
  const params = { path: `/bench/${name}`, auth: 'none', request, response: { as } };
  return {
    format: 1,
    id: name,
    nodes: { trigger: { operator: 'trigger.http', params }, source: { operator: `bench.${name}` } },
    edges: [{ from: 'trigger.out', to: 'source.in' }],
  };
}

// ------------------------------------------------------------------------------------------------------ the client's side

function open(server: Server, name: keyof typeof sources, count: number): Socket {
  const socket = connect(server.port, '127.0.0.1');
  const path = `/api/v1/awel/trigger/bench/${name}?count=${count}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`);
  return socket;
}

/** Milliseconds from the moment that each item was yielded to the one in which its bytes were here. */
async function itemDelays(server: Server, count: number): Promise<number[]> {
  const delays: number[] = [];
  let rest = '';
  for await (const data of open(server, 'times', count)) {
    const now = process.hrtime.bigint();
    const lines = (rest + String(data)).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      if (line.startsWith('data: ')) delays.push(Number(now - BigInt(line.slice(6).trim())) / 1e6);
    }
  }
  if (delays.length !== count) throw new Error(`${delays.length} of ${count} items came.`);
  return delays;
}

async function itemsPerSecond(server: Server, count: number): Promise<number> {
  let items = 0;
  const started = performance.now();
  for await (const data of open(server, 'items', count)) {
    for (const byte of data as Buffer) if (byte === 0x7b) items++;
  }
  if (items !== count) throw new Error(`${items} of ${count} items came.`);
  return items / ((performance.now() - started) / 1000);
}

/** The highest resident memory while a client takes a little at a time. */
async function throughSlowClient(server: Server, megabytes: number): Promise<number> {
  const count = (megabytes * 1024 ** 2) / CHUNK_BYTES;
  let peak = server.rssMB();
  const timer = setInterval(() => {
    peak = Math.max(peak, server.rssMB());
  }, SAMPLE_MS);
  let bytes = 0;
  let rested = 0;
  for await (const data of open(server, 'chunks', count)) {
    bytes += (data as Buffer).length;
    if (bytes - rested < 1024 ** 2) continue;
    rested = bytes;
    await pause(5);
  }
  clearInterval(timer);
  if (bytes < count * CHUNK_BYTES) throw new Error(`${bytes} bytes of ${megabytes} MB came.`);
  return peak;
}
