import { describe, expect, onTestFinished, test } from 'vitest';
import type { Services, WeftError } from '#engine';
import type { CodeSandbox } from './code-service.ts';
import { type Engine, localHost } from './spawn.ts';
import { callOf, type TestCall } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

export interface ManyFlows {
  readonly engine: Engine;
  /** Far more than one host has memory for. */
  readonly flows: number;
  /** MB that a host may use; if omitted, as much as in operation. */
  readonly processMb?: number;
}

const PLAIN = 'return input + 1;';
const FETCHING = "const { status } = await ctx.fetch('https://a.example/'); return status + input;";
const STREAM = 'for (let k = 0; k < 5; k++) yield input + k;';
const patient: TestCall = { cpuMs: 5000, maxMs: 60_000 };

/** Code of more flows than a host has memory for costs no call, and no host. */
export function manyFlowsContract({ engine, flows, processMb }: ManyFlows): void {
  const made = (): CodeSandbox => {
    const start = (one: Engine) => localHost(one, processMb);
    const sandbox = testSandbox({ engine, services, ...(processMb !== undefined && { start }) });
    onTestFinished(() => sandbox.close());
    return sandbox;
  };

  describe(`code of ${flows} flows in ${engine}`, () => {
    test.each([1, 8])('gives every result, %i at once', async (width) => {
      const sandbox = made();
      const turns = Array.from({ length: flows * 3 }, (_, turn) => turn);
      const next = async (): Promise<void> => {
        for (let turn = turns.shift(); turn !== undefined; turn = turns.shift())
          expect(await resultOf(sandbox, turn, flows)).toEqual(expected(turn));
      };
      await Promise.all(Array.from({ length: width }, next));
      const { open, lostHosts, errors } = sandbox.stats();
      expect({ open, lostHosts, errors: [...errors] }).toEqual({ open: 0, lostHosts: 0, errors: [] });
    });
  });
}

/** All flows have each kind of call, in turns. */
async function resultOf(sandbox: CodeSandbox, turn: number, flows: number): Promise<unknown> {
  const more = { ...patient, flow: `flow ${turn % flows}` };
  if (turn % 3 === 0) return await sandbox.run(callOf(PLAIN, turn, more));
  if (turn % 3 === 1) return await sandbox.run(callOf(FETCHING, turn, more));
  const items: unknown[] = [];
  for await (const item of sandbox.stream(callOf(STREAM, turn, more))) items.push(item);
  return items;
}

function expected(turn: number): unknown {
  if (turn % 3 === 0) return turn + 1;
  return turn % 3 === 1 ? turn + 200 : [turn, turn + 1, turn + 2, turn + 3, turn + 4];
}

const services: Services = {
  http: {
    async send({ url }) {
      return { status: 200, headers: {}, url, body: noBody() };
    },
  },
};

async function* noBody(): AsyncGenerator<Uint8Array> {}

/** Streams that stay open, until one is refused: at most `most`. */
export async function openStreams(sandbox: CodeSandbox, most: number) {
  const readers: AsyncIterator<unknown>[] = [];
  for (let n = 0; n < most; n++) {
    const call = callOf(STREAM, n, { ...patient, flow: `open ${n}` });
    const reader = sandbox.stream(call)[Symbol.asyncIterator]();
    try {
      expect(await reader.next()).toEqual({ done: false, value: n });
      readers.push(reader);
    } catch (error) {
      return { readers, refused: error as WeftError };
    }
  }
  return { readers, refused: undefined };
}
