import { z } from 'zod';
import { WeftError } from '../base/errors.ts';
import { type Call, defineOperator, input, type Operator, output } from '../base/operator.ts';
import { makeRegistry, type Registry } from '../catalog/registry.ts';
import { builtIns } from './play.ts';

/** What the operators below did, for assertions. */
export class StreamProbe {
  /** Generators that have started and not ended, by node. */
  readonly open = new Set<string>();
  /** Items that each source gave. */
  readonly given = new Map<string, number>();
}

const Source = z.object({
  /** Gives the numbers from 0 on. */
  items: z.number().default(3),
  /** Milliseconds before each item. */
  ms: z.number().default(0),
  /** The number at which it fails; only in the first attempt with `once`. */
  failAt: z.number().default(-1),
  once: z.boolean().default(false),
  /** Ignores its signal, and takes that long before the number `failAt`. */
  deafMs: z.number().default(0),
});

const item = { in: input<AsyncIterable<unknown>>({ kind: 'stream' }) };
const frame = { title: 'Test', doc: 'For tests.', icon: 'circle', examples: [] };

/** The built-in operators, and some whose params say what they do with streams; the latter are written as a user would. */
export function streamRegistry(probe: StreamProbe): Registry {
  const more: Record<string, Operator> = {
    'test.source': defineOperator({
      ...frame,
      params: Source,
      inputs: { in: input() },
      outputs: { out: output({ kind: 'stream' }) },
      effects: 'read',
      run: (call) => tracked(probe, call, numbers(probe, call)),
    }),
    'test.relay': defineOperator({
      ...frame,
      params: z.object({ ms: z.number().default(0) }),
      inputs: item,
      outputs: { out: output({ kind: 'stream' }) },
      effects: 'read',
      run: (call) => tracked(probe, call, relayed(call)),
    }),
    'test.peek': defineOperator({
      ...frame,
      params: z.object({ count: z.number().default(1), ms: z.number().default(0) }),
      inputs: item,
      outputs: { out: output() },
      effects: 'read',
      run: peek,
    }),
    'test.slow': defineOperator({
      ...frame,
      params: z.object({ ms: z.number().default(10), failOn: z.unknown().optional() }),
      inputs: { in: input() },
      outputs: { out: output() },
      effects: 'read',
      lift: true,
      run: slow,
    }),
    'test.count_and_list': defineOperator({
      ...frame,
      params: z.object({}),
      inputs: { count: input(), items: item.in },
      outputs: { out: output() },
      effects: 'read',
      run: async ({ inputs }) => [inputs.count, await listOf(inputs.items)],
    }),
    'test.two': defineOperator({
      ...frame,
      params: z.object({ fail: z.boolean().default(false) }),
      inputs: { in: input() },
      outputs: { a: output({ kind: 'stream' }), b: output({ kind: 'stream' }) },
      effects: 'read',
      run: (call) => ({
        a: tracked(probe, call, repeat(call, false), 'a'),
        b: tracked(probe, call, repeat(call, call.params.fail), 'b'),
      }),
    }),
  };
  return makeRegistry(new Map([...builtIns.operators, ...Object.entries(more)]));
}

/** All items of a stream. */
export async function listOf(stream: unknown): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const one of stream as AsyncIterable<unknown>) items.push(one);
  return items;
}

async function* tracked(
  probe: StreamProbe,
  { node }: Pick<Call, 'node'>,
  items: AsyncIterable<unknown>,
  port = 'out',
): AsyncGenerator<unknown> {
  const key = `${node}.${port}`;
  probe.open.add(key);
  try {
    yield* items;
  } finally {
    probe.open.delete(key);
  }
}

async function* numbers(probe: StreamProbe, call: Call<z.output<typeof Source>>): AsyncGenerator<unknown> {
  const { items, ms, failAt, once, deafMs } = call.params;
  for (let i = 0; i < items; i++) {
    if (ms > 0) await call.sleep(ms);
    if (i === failAt && deafMs > 0) await new Promise((resolve) => setTimeout(resolve, deafMs));
    else if (i === failAt && (!once || call.attempt === 1))
      throw new WeftError('node_failed', `broke at ${i}`);
    probe.given.set(call.node, i + 1);
    yield i;
  }
}

async function* relayed(call: Call<{ ms: number }, { in: AsyncIterable<unknown> }>): AsyncGenerator<unknown> {
  for await (const value of call.inputs.in) {
    if (call.params.ms > 0) await call.sleep(call.params.ms);
    yield value;
  }
}

/** Reads the first items and stops. */
async function peek(
  call: Call<{ count: number; ms: number }, { in: AsyncIterable<unknown> }>,
): Promise<unknown[]> {
  const items: unknown[] = [];
  if (call.params.ms > 0) await call.sleep(call.params.ms);
  for await (const value of call.inputs.in) {
    items.push(value);
    if (items.length >= call.params.count) break;
  }
  return items;
}

async function slow(call: Call<{ ms: number; failOn?: unknown }>): Promise<unknown> {
  await call.sleep(call.params.ms);
  if (call.input === call.params.failOn)
    throw new WeftError('bad_input', `does not like ${String(call.input)}`);
  return call.input;
}

async function* repeat(call: Call, fail: boolean): AsyncGenerator<unknown> {
  yield 'first';
  await call.sleep(10);
  if (fail) throw new WeftError('bad_input', 'broke');
  yield 'second';
}
