import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { type CodeCall, WeftError } from '#engine';
import { createCodeSandbox } from '../../server/integrations/sandbox/code-service.ts';
import { type BenchContext, type Line, measureSlowness, median, type Scenario } from '../harness.ts';

/** 196 bytes of JSON. */
const INPUT = {
  id: 7,
  name: 'Ada Lovelace',
  tags: ['first', 'second', 'third'],
  address: { city: 'London', code: 'W1' },
  text: 'x'.repeat(90),
};
const BODIES = { plain: 'return input;', async: 'await null; return input;' } as const;
const IN_FLIGHT = 64;

export const code: Scenario = {
  name: 'code',
  title: 'Code nodes: calls of the sandbox, 200 bytes in and out',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const sandbox = createCodeSandbox({ engine: 'isolated-vm', hosts: 1, services: {}, warn: say });
    try {
      const plain = caller(sandbox.run, BODIES.plain);
      const awaiting = caller(sandbox.run, BODIES.async);
      for (const call of [plain, awaiting]) await overlapped(call, quick ? 5000 : 50_000);
      const rounds = quick ? 3 : 9;
      const calls = quick ? 5000 : 50_000;
      const slowness = measureSlowness();
      const fast = await rounded(rounds, () => overlapped(plain, calls));
      const fastAsync = await rounded(rounds, () => overlapped(awaiting, calls));
      const callsAlone = quick ? 500 : 2000;
      using echo = startEcho();
      // In turns: the time that a machine takes to wake another process changes by the minute.
      const alone: number[] = [];
      const echoed: number[] = [];
      for (let round = 0; round < rounds; round++) {
        echoed.push(await oneByOne(echo.call, callsAlone));
        alone.push(await oneByOne(plain, callsAlone));
      }
      return [
        {
          name: `${IN_FLIGHT} calls overlapped`,
          figure: fast,
          unit: '/s',
          bar: { kind: 'at least', value: 100_000 },
          slowness,
        },
        { name: 'the same with an await in the code', figure: fastAsync, unit: '/s' },
        {
          name: 'one call alone, p50, against a bare echo through such a pipe',
          figure: median(alone) / median(echoed),
          unit: 'x',
          bar: { kind: 'at most', value: 5 },
          note: `${median(alone).toFixed(0)} µs against ${median(echoed).toFixed(0)} µs`,
        },
      ];
    } finally {
      sandbox.close();
    }
  },
};

/** A process that sends back what it is sent, as many bytes as a call of the sandbox has. */
function startEcho(): Disposable & { call(): Promise<void> } {
  const source = `const pipe = new (require('node:net').Socket)({ fd: 3 }); pipe.on('data', (bytes) => pipe.write(bytes));`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const pipe = child.stdio[3] as Duplex;
  const bytes = Buffer.from(JSON.stringify(INPUT));
  let missing = 0;
  let isBack: (() => void) | undefined;
  pipe.on('data', ({ length }: Buffer) => {
    missing -= length;
    if (missing === 0) isBack?.();
  });
  return {
    call: () =>
      new Promise((resolve) => {
        missing = bytes.length;
        isBack = resolve;
        pipe.write(bytes);
      }),
    [Symbol.dispose]: () => void child.kill(),
  };
}

async function rounded(rounds: number, measure: () => Promise<number>): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round++) figures.push(await measure());
  return median(figures);
}

/** Calls a second, with 64 on their way at any time. */
async function overlapped(call: () => Promise<unknown>, count: number): Promise<number> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return (count / (performance.now() - started)) * 1000;
}

/** The median of the time of a call, in microseconds. */
async function oneByOne(call: () => Promise<unknown>, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await call();
    times.push((performance.now() - started) * 1000);
  }
  return median(times);
}

/** Calls as a code node does, and looks at the first answer: a fast wrong one is none. */
function caller(run: (call: CodeCall) => Promise<unknown>, source: string): () => Promise<unknown> {
  const params = { source, language: 'javascript', pure: false, cpuMs: 250, maxMs: 10_000 } as const;
  let isChecked = false;
  return async () => {
    const result = await run({ code: params, input: INPUT, context: context() });
    if (!isChecked && JSON.stringify(result) !== JSON.stringify(INPUT))
      throw new WeftError('bad_output', `The code gave ${JSON.stringify(result)}.`);
    isChecked = true;
    return result;
  };
}

function context(): CodeCall['context'] {
  return {
    trigger: {},
    vars: {},
    item: undefined,
    index: undefined,
    attempt: 1,
    idempotencyKey: 'run:node',
    asker: { flow: 'bench', version: 'v1', run: 'run', node: 'code', operator: 'code.run' },
    signal: new AbortController().signal,
    log() {},
  };
}
