import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
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

const KEY = 'a-key-for-the-benchmark-only';
const STREAMS = 100;
const WARM_ROUNDS = 2;
/** A single pause of the machine is 1 of 100 pieces in a short round, so that one round alone says little. */
const ROUNDS = 3;
/** Milliseconds between the pieces of a stream: as fast as a quick model. */
const PACE_MS = 20;
const OVERHEAD_LIMIT_MS = 2;
const FIRST_LIMIT_MS = 5;
const MEMORY_LIMIT_MB = 150;

/** Chats: what the service adds to the time of a token, and what a stream costs while nothing happens. */
export const chat: Scenario = {
  name: 'chat',
  title: 'Chat streams over HTTP',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    using folder = flowFolder([flowOf('tokens'), flowOf('hold')]);
    writeOperators(folder.path);
    await using provider = await startProvider();
    await using server = await startWeft(folder.path, { env: settings(folder.path, provider.url) });
    const slowness = measureSlowness();
    // So that the compiler is done with all that a chat needs: its threads share the server's one core here.
    const [warm, count] = quick ? [1, 1] : [WARM_ROUNDS, ROUNDS];
    for (let i = 0; i < warm; i++) await manyStreams(server, 50);
    const before = server.cpuMs();
    const rounds: number[][] = [];
    for (let i = 0; i < count; i++) rounds.push(await manyStreams(server, quick ? 50 : 250));
    const delays = rounds.flat();
    const cpu = ((server.cpuMs() - before) / delays.length) * 1000;
    say(`${delays.length} pieces over ${STREAMS} streams`);
    const firsts = await firstTokens(server, quick ? 20 : 100);
    const idle = quick ? 200 : 1000;
    const memory = await idleStreams(server, idle);
    return [
      {
        name: `from yield to the client’s socket, ${STREAMS} streams, p99`,
        figure: median(rounds.map((round) => percentile(round, 99))),
        unit: 'ms',
        bar: { kind: 'at most', value: OVERHEAD_LIMIT_MS },
        slowness,
        note: `the median of rounds (${count}); of all pieces ${median(delays).toFixed(2)} ms; ${cpu.toFixed(0)} µs of the server’s CPU time a piece`,
      },
      {
        name: 'from the provider’s first token to the client’s socket, p99',
        figure: percentile(firsts, 99),
        unit: 'ms',
        bar: { kind: 'at most', value: FIRST_LIMIT_MS },
        slowness,
        note: `median ${median(firsts).toFixed(2)} ms`,
      },
      {
        name: `${idle} streams in which nothing happens`,
        figure: memory,
        unit: 'MB',
        bar: { kind: 'at most', value: (MEMORY_LIMIT_MB * idle) / 1000 },
        note: 'resident, more than before',
      },
    ];
  },
};

// ------------------------------------------------------------------------------------------------------ the server's side

/** Each operator's items, as the body of an async generator. */
const sources = {
  tokens: `for (let i = 0; i < Number(input.text); i++) {
    await new Promise((resolve) => setTimeout(resolve, ${PACE_MS}));
    yield { type: 'text', text: String(process.hrtime.bigint()) };
  }`,
  hold: `yield { type: 'text', text: '0' };
  await new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));`,
};

function writeOperators(folder: string): void {
  const group = join(folder, 'operators', 'bench');
  mkdirSync(group, { recursive: true });
  for (const [name, body] of Object.entries(sources)) {
    const text = `async function* generate(input, signal) {\n  ${body}\n}
export default ({ defineOperator, input, output, z }) =>
  defineOperator({
    title: 'Items', doc: 'Gives items.', icon: 'box', params: z.object({}), effects: 'read', examples: [],
    inputs: { in: input() }, outputs: { out: output({ kind: 'stream' }) },
    run: (call) => generate(call.input, call.signal),
  });\n`;
    writeFileSync(join(group, `${name}.js`), text);
  }
}

function flowOf(name: keyof typeof sources): Flow {
  return {
    format: 1,
    id: name,
    nodes: { chat: { operator: 'trigger.chat' }, source: { operator: `bench.${name}` } },
    edges: [{ from: 'chat.out', to: 'source.in' }],
  };
}

function settings(folder: string, url: string): Record<string, string> {
  const provider = { type: 'openai-compatible', baseUrl: url, models: [{ name: 'times' }] };
  return {
    WEFT_OPERATORS: join(folder, 'operators'),
    WEFT_API_KEYS: KEY,
    WEFT_MAX_RUNS: '2000',
    WEFT_PROVIDERS: JSON.stringify({ local: provider }),
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
  };
}

interface Provider extends AsyncDisposable {
  readonly url: string;
}

/** Speaks as OpenAI does; its only token says when it was sent. */
async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    setTimeout(() => {
      response.write(chunk(String(process.hrtime.bigint()), null));
      setTimeout(() => response.end(`${chunk('', 'stop')}data: [DONE]\n\n`), PACE_MS);
    }, PACE_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function chunk(content: string, finish_reason: string | null): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason }];
  const whole = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'times', choices };
  return `data: ${JSON.stringify(whole)}\n\n`;
}

// ------------------------------------------------------------------------------------------------------ the client's side

function open({ port }: Server, model: string, text: string): Socket {
  const body = JSON.stringify({ model, messages: text, stream: true });
  const head = [
    'POST /api/v2/chat/completions HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

const SENT_AT = /"content":"(\d+)"/g;

/** Milliseconds from the moment that each piece names to the one in which it was here. */
async function delaysOf(socket: Socket): Promise<number[]> {
  const delays: number[] = [];
  let rest = '';
  for await (const data of socket) {
    const now = process.hrtime.bigint();
    const text = rest + String(data);
    const end = text.lastIndexOf('\n\n');
    rest = text.slice(end + 2);
    for (const [, at] of text.slice(0, Math.max(end, 0)).matchAll(SENT_AT))
      delays.push(Number(now - BigInt(at as string)) / 1e6);
  }
  return delays;
}

/** Milliseconds between the beginnings of two streams: what is measured is that they go on, not a crowd at the door. */
const OPENING_MS = 10;

async function manyStreams(server: Server, count: number): Promise<number[]> {
  const streams = Array.from({ length: STREAMS }, async (_, at) => {
    await pause(at * OPENING_MS);
    return delaysOf(open(server, 'flow:tokens', String(count)));
  });
  const delays = (await Promise.all(streams)).flat();
  if (delays.length !== STREAMS * count) throw new Error(`${delays.length} pieces came.`);
  return delays;
}

/** One chat at a time; the first few load the provider's client. */
async function firstTokens(server: Server, count: number): Promise<number[]> {
  const delays: number[] = [];
  for (let i = 0; i < count + 5; i++) {
    const [first] = await delaysOf(open(server, 'local/times', 'Go'));
    if (first === undefined) throw new Error('No token came.');
    if (i >= 5) delays.push(first);
  }
  return delays;
}

async function idleStreams(server: Server, count: number): Promise<number> {
  await pause(500);
  const before = server.rssMB();
  const sockets = Array.from({ length: count }, () => open(server, 'flow:hold', ''));
  await Promise.all(sockets.map((socket) => firstPiece(socket)));
  await pause(1000);
  const after = server.rssMB();
  for (const socket of sockets) socket.destroy();
  return after - before;
}

function firstPiece(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
      if (text.includes('"content":"0"')) resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`A stream ended early: ${text.slice(0, 300)}`)));
  });
}
