import { setTimeout as sleep } from 'node:timers/promises';
import type { CodeCall } from '#engine';
import { createCodeSandbox } from '../../server/integrations/sandbox/code-service.ts';
import { type BenchContext, type Line, measureSlowness, median, type Scenario } from '../harness.ts';

/** Code that is fast, until it is given 0 and holds its thread. */
const HOLDERS = {
  'a loop': 'if (input !== 0) return input; for (;;);',
  // V8 does not interrupt it.
  'a scan of 2^32 places':
    'if (input !== 0) return input; const a = []; a.length = 2 ** 32 - 1; a.indexOf(7);',
} as const;
/** Calls until code is trusted to share a thread, with some to spare. */
const TRUSTED = 8;
/** Until there is a spare host again, which is started a moment after the last one was needed. */
const SPARE_MS = 2500;
/** Flows that call, each as soon as its last call was answered. */
const FLOWS = 8;

type Run = (call: CodeCall) => Promise<unknown>;

export const neighbours: Scenario = {
  name: 'neighbours',
  title: `Code nodes: calls of ${FLOWS} flows on one host with code that was fast and then holds its thread`,
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const rounds = quick ? 2 : 9;
    const slowness = measureSlowness();
    const lines: Line[] = [];
    for (const [name, source] of Object.entries(HOLDERS)) {
      const waits = await longestWaits(source, rounds, say);
      lines.push({
        name: `longest wait of another call beside ${name}`,
        figure: Math.max(...waits),
        unit: 'ms',
        bar: { kind: 'at most', value: 300 },
        slowness,
        note: `${rounds} times; median of their longest ${median(waits).toFixed(0)} ms`,
      });
    }
    return lines;
  },
};

/** Milliseconds: the longest call of the others in each round. */
async function longestWaits(source: string, rounds: number, say: (text: string) => void): Promise<number[]> {
  const sandbox = createCodeSandbox({ engine: 'isolated-vm', hosts: 1, services: {}, warn: say });
  try {
    for (let flow = 0; flow < FLOWS; flow++) await callOther(sandbox.run, flow, TRUSTED);
    const waits: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await sleep(SPARE_MS);
      waits.push(await oneRound(sandbox.run, source, `holder ${round}`));
    }
    return waits;
  } finally {
    sandbox.close();
  }
}

/** `flow`: another each time, since one that held its thread gets a host of its own for a while. */
async function oneRound(run: Run, source: string, flow: string): Promise<number> {
  for (let input = 1; input <= TRUSTED; input++) await run(callOf(flow, source, input));
  let isOver = false;
  const held = run(callOf(flow, source, 0)).then(
    () => Promise.reject(new Error('the code that holds its thread was not stopped')),
    () => (isOver = true),
  );
  const others = Array.from({ length: FLOWS }, async (_, other) => {
    let longest = 0;
    while (!isOver) longest = Math.max(longest, await callOther(run, other, 1));
    return longest;
  });
  const [, ...longest] = await Promise.all([held, ...others]);
  return Math.max(...(longest as number[]));
}

/** Milliseconds of the last of these calls. */
async function callOther(run: Run, flow: number, count: number): Promise<number> {
  let ms = 0;
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    const result = await run(callOf(`other ${flow}`, 'return input;', i));
    ms = performance.now() - started;
    if (result !== i) throw new Error(`a call beside it gave ${JSON.stringify(result)}`);
  }
  return ms;
}

function callOf(flow: string, source: string, input: number): CodeCall {
  return {
    code: { source, language: 'javascript', pure: false, cpuMs: 250, maxMs: 60_000 },
    input,
    context: {
      trigger: {},
      vars: {},
      item: undefined,
      index: undefined,
      attempt: 1,
      idempotencyKey: 'run:node',
      asker: { flow, version: 'v1', run: 'run', node: 'code', operator: 'code.run' },
      signal: new AbortController().signal,
      log() {},
    },
  };
}
