import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { type CodeSandbox, createCodeSandbox } from './code-service.ts';
import { frame, FrameReader, readLine } from './host/wire.js';
import { type Greeting, remoteHosts } from './remote-host.ts';
import { localHost } from './spawn.ts';
import { supervise } from './supervisor.ts';
import { callOf } from './testing/call.ts';

let path: string;
let folder: string;
let server: Server | undefined;
const sockets = new Set<Socket>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-code-'));
  path = join(folder, 'code.sock');
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
  server = undefined;
}

/** A supervisor that code has taken over: what it does on a connection, once it knows which one that is. */
type Act = (socket: Socket, carries: Greeting['carries'], rest: Buffer) => void;

async function takenOver(act: Act): Promise<void> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    socket.once('data', (chunk: Buffer) => {
      const end = chunk.indexOf(10);
      const { carries } = JSON.parse(chunk.toString('utf8', 0, end)) as Greeting;
      act(socket, carries, chunk.subarray(end + 1));
    });
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
}

/** A host that is ready, and answers the lines that it gets. */
const answering =
  (answer: (line: { op: string; id: number }) => string): Act =>
  (socket, carries, rest) => {
    if (carries === 'control') return void socket.write('{"pid":1}\n');
    const reader = new FrameReader();
    const take = (chunk: Buffer): void => {
      const text = reader.push(chunk).map(readLine).map(answer).join('');
      if (text !== '') socket.write(frame(text));
    };
    socket.write(frame('Y0 0 isolated-vm\n'));
    socket.on('data', take);
    take(rest);
  };

function sandboxApart(answerMs?: number) {
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const start = remoteHosts(path, answerMs);
  const sandbox = createCodeSandbox({ engine: 'isolated-vm', hosts: 1, services: {}, start, warn });
  onTestFinished(() => sandbox.close());
  return { sandbox, warnings };
}

const codeOf = (sandbox: CodeSandbox, maxMs = 1000): Promise<string> =>
  sandbox.run(callOf('return 1;', 1, { maxMs })).then(
    (value) => `gave ${JSON.stringify(value)}`,
    ({ code }: { code: string }) => code,
  );

/** Numbers of a linear congruential generator. */
function randomBytes(seed: number, length: number): Buffer {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  return Buffer.from(Array.from({ length }, next));
}

const lines: Record<string, string | Buffer> = {
  'no JSON': '{nonsense\n',
  null: 'null\n',
  'a list': '[]\n',
  'an empty line': '\n',
  'an empty object': '{}\n',
  'a number as text': '{"pid":"7"}\n',
  'a negative process': '{"pid":-1}\n',
  'usage without numbers': '{"usage":{"residentMb":null,"cpuMs":-1}}\n',
  'an end that is no text': '{"ended":{"toString":1}}\n',
  'both at once': '{"pid":1,"usage":{"residentMb":1,"cpuMs":1}}\n',
  'brackets by the thousand': `${'['.repeat(20_000)}\n`,
  'a line that is too long': `{"ended":"${'x'.repeat(100_000)}"}\n`,
  'random bytes': Buffer.concat([randomBytes(1, 5000), Buffer.from('\n')]),
};

describe('a supervisor that was taken over does not end the server', () => {
  test.each(Object.entries(lines))('by %s', async (_, line) => {
    await takenOver((socket, carries) => carries === 'control' && socket.write(line));
    const { sandbox, warnings } = sandboxApart();
    expect(await codeOf(sandbox, 60_000)).toBe('code_unavailable');
    expect(warnings.join()).toContain(`The sandbox at unix:${path} sent something forbidden.`);
  });

  test('by a line without an end: it is not kept', async () => {
    let sent = 0;
    await takenOver((socket, carries) => {
      if (carries === 'frames') return;
      const more = (): void => {
        // 200 MB, if nobody closes the connection.
        for (let room = true; room && !socket.destroyed && sent < 200e6; sent += 64_000)
          room = socket.write('x'.repeat(64_000));
      };
      socket.on('drain', more);
      more();
    });
    expect(await codeOf(sandboxApart().sandbox, 60_000)).toBe('code_unavailable');
    expect(sent).toBeLessThan(20e6);
  });

  test.each<[string, Act]>([
    ['closes at once', (socket) => socket.destroy()],
    ['closes one of the two', (socket, carries) => carries === 'control' && socket.destroy()],
    ['sends back what it gets', (socket) => socket.pipe(socket)],
    ['announces too long a frame', (socket) => socket.write(Buffer.from([255, 255, 255, 127, 1]))],
    ['ends within a frame', (socket) => socket.end(frame('Y0 0 isolated-vm\n').subarray(0, 9))],
    ...[2, 3, 4, 5, 6, 7, 8, 9].map((seed): [string, Act] => [
      `sends random bytes ${seed}`,
      (socket) => socket.write(randomBytes(seed, 2 ** (seed + 2))),
    ]),
  ])('that %s', async (_, act) => {
    await takenOver(act);
    expect(await codeOf(sandboxApart().sandbox)).toMatch(/^code_(unavailable|crashed)$/);
  });

  test.each([
    ['V', '{nonsense', 'code_failed'],
    ['T', '{nonsense', 'code_failed'],
    ['T', 'null', 'code_failed'],
    ['K', 'null', /^code_(unavailable|crashed)$/],
    ['K', '{"code":"constructor","message":"x"}', /^code_(unavailable|crashed)$/],
    ['N', '__proto__', /^code_(unavailable|crashed)$/],
    ['M', '', 'code_unavailable'],
    ['L', '{nonsense', /^code_(unavailable|crashed)$/],
    ['H', 'x y z', 'code_timeout'],
  ])('by the message %s%s about a call', async (op, text, code) => {
    const isCall = (sign: string): boolean => sign === 'C' || sign === 'A';
    await takenOver(answering((line) => (isCall(line.op) ? `${op}${line.id} 1 ${text}\n` : '')));
    expect(await codeOf(sandboxApart().sandbox)).toMatch(code);
  });

  test('by items that nobody has asked for', async () => {
    await takenOver(answering(({ op, id }) => (op === 'G' ? `I${id} 1 1\n`.repeat(1000) : '')));
    const stream = sandboxApart().sandbox.stream(callOf('yield 1;', 1));
    const read = async (): Promise<void> => {
      for await (const item of stream) expect(item).toBe(1);
    };
    await expect(read()).rejects.toMatchObject({ code: 'code_crashed' });
  });
});

describe('a supervisor that says nothing', () => {
  test('costs a call no more than its own time', async () => {
    await takenOver(() => {});
    const call = sandboxApart(600_000).sandbox.run(callOf('return 1;', 1, { maxMs: 300 }));
    const message = 'The sandbox has not answered within 300 ms; the call has not begun.';
    await expect(call).rejects.toMatchObject({ code: 'code_unavailable', message });
  });

  test('is given up, and calls are refused at once until it is back', async () => {
    await takenOver(() => {});
    const { sandbox, warnings } = sandboxApart(100);
    expect(await codeOf(sandbox, 600_000)).toBe('code_unavailable');
    expect(warnings.join()).toContain(`The sandbox at unix:${path} has not answered within 100 ms.`);
    await stop();
    const supervisor = await supervise({ path, say() {} });
    onTestFinished(() => supervisor.close());
    const patient = createCodeSandbox({
      engine: 'isolated-vm',
      hosts: 1,
      services: {},
      start: remoteHosts(path),
      warn() {},
    });
    onTestFinished(() => patient.close());
    await eventually(async () => expect(await codeOf(patient, 60_000)).toBe('gave 1'));
  });
});

test('a host that the machine does not start is a failed call, not an exception', async () => {
  const { execPath } = process;
  onTestFinished(() => void (process.execPath = execPath));
  process.execPath = '';
  const ended = vi.fn<(words: string) => void>();
  localHost('isolated-vm').onEnd(ended);
  await eventually(() =>
    expect(ended).toHaveBeenCalledWith(expect.stringContaining('ERR_INVALID_ARG_VALUE')),
  );
  const sandbox = createCodeSandbox({ engine: 'isolated-vm', hosts: 1, services: {}, warn() {} });
  onTestFinished(() => sandbox.close());
  expect(await codeOf(sandbox)).toBe('code_unavailable');
});
