import fc from 'fast-check';
import { z } from 'zod';
import type { NodeEach } from '#shared/flow.ts';
import { type Call, defineOperator, input, type Operator, output, WeftError } from '../base/operator.ts';

/**
 * The simplest model of a node with `each`: items start in order as soon as one of the places is free, and the outputs are lists
 * in the order of the items. Each item specifies its own behaviour.
 */
const Item = z.object({
  id: z.number(),
  attempts: z.array(z.object({ ms: z.number(), do: z.enum(['ok', 'fail', 'permanent']) })),
  live: z.array(z.enum(['x', 'y'])),
});
export type Item = z.infer<typeof Item>;

export interface EachCase {
  readonly items: readonly Item[];
  readonly each: NodeEach;
  readonly onError: 'fail' | 'continue' | 'route';
  readonly retry: { attempts: number; backoffMs: number; factor: number; jitter: number } | undefined;
  readonly timeoutMs: number | undefined;
}

export interface EachModel {
  /** Lists by output; one without any item is absent. */
  readonly outputs: Readonly<Record<string, readonly unknown[]>>;
  /** The codes that the node may fail with. */
  readonly fails: ReadonlySet<string>;
  readonly end: number;
}

export function modelEach(of: EachCase): EachModel {
  const { items, each, onError } = of;
  const free = Array.from({ length: each.concurrency ?? 10 }, () => 0);
  const ends = items.map((item) => {
    const place = free.indexOf(Math.min(...free));
    const { took, code } = modelItem(item, of);
    const end = (free[place] ?? 0) + took;
    free[place] = end;
    return { item, code, end };
  });
  const isHandled = onError !== 'fail' || (each.onItemError ?? 'fail') !== 'fail';
  const failures = isHandled ? [] : ends.filter(({ code }) => code !== undefined);
  const first = Math.min(...failures.map(({ end }) => end));
  const fatal = failures.filter(({ end }) => end === first);
  if (fatal.length > 0)
    return { outputs: {}, fails: new Set(fatal.map(({ code }) => code ?? '')), end: first };
  const outputs: Record<string, unknown[]> = {};
  const put = (port: string, value: unknown): void => void (outputs[port] ??= []).push(value);
  ends.forEach(({ item, code }, index) => {
    if (code === undefined) for (const port of item.live) put(port, item.id);
    else if (onError === 'continue') put('x', 'instead');
    else if (onError === 'route') put('error', { code, index });
  });
  return { outputs, fails: new Set(), end: Math.max(0, ...ends.map(({ end }) => end)) };
}

function modelItem({ attempts }: Item, { retry, timeoutMs }: EachCase): { took: number; code?: string } {
  let took = 0;
  for (let n = 1; ; n++) {
    const attempt = attempts[n - 1] ?? { ms: 0, do: 'ok' };
    const isLate = timeoutMs !== undefined && attempt.ms > timeoutMs;
    took += isLate ? timeoutMs : attempt.ms;
    if (!isLate && attempt.do === 'ok') return { took };
    const code = isLate ? 'node_timeout' : attempt.do === 'fail' ? 'node_failed' : 'bad_input';
    if (code === 'bad_input' || n >= (retry?.attempts ?? 1)) return { took, code };
    took += (retry?.backoffMs ?? 0) * (retry?.factor ?? 1) ** (n - 1);
  }
}

const item = fc.record({
  attempts: fc.array(
    fc.record({
      ms: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: 30 }).map((n) => n * 2),
      ),
      do: fc.oneof(
        { weight: 10, arbitrary: fc.constant('ok' as const) },
        { weight: 2, arbitrary: fc.constant('fail' as const) },
        { weight: 1, arbitrary: fc.constant('permanent' as const) },
      ),
    }),
    { maxLength: 3 },
  ),
  live: fc.constantFrom<Item['live'][]>(['x'], ['y'], ['x', 'y'], []),
});

export const eachCase: fc.Arbitrary<EachCase> = fc
  .record({
    items: fc.array(item, { maxLength: 12 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    handling: fc.constantFrom<[EachCase['onError'], NodeEach['onItemError']][]>(
      ['fail', 'fail'],
      ['fail', 'skip'],
      ['continue', 'fail'],
      ['route', 'fail'],
    ),
    retry: fc.option(
      fc.record({
        attempts: fc.integer({ min: 1, max: 3 }),
        backoffMs: fc.constantFrom(0, 10, 30),
        factor: fc.constantFrom(1, 2),
        jitter: fc.constant(0),
      }),
      { nil: undefined },
    ),
    // Odd, so that a limit never coincides with an end.
    timeoutMs: fc.option(
      fc.integer({ min: 5, max: 30 }).map((n) => n * 2 + 1),
      { nil: undefined },
    ),
  })
  .map(({ items, concurrency, handling: [onError, onItemError], retry, timeoutMs }) => ({
    items: items.map((one, id) => ({ ...one, id })),
    each: { concurrency, onItemError: onItemError as 'fail' | 'skip' },
    onError,
    retry,
    timeoutMs,
  }));

export interface ItemProbe {
  running: number;
  mostRunning: number;
  readonly keys: Set<string>;
}

/** Behaves as its input specifies. */
export function itemOperator(probe: ItemProbe): Operator {
  return defineOperator({
    title: 'Item',
    doc: 'Behaves as its input specifies.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { x: output(), y: output() },
    effects: 'read',
    examples: [],
    run: (call) => perform(call as unknown as Call, probe) as never,
  });
}

function perform(call: Call, probe: ItemProbe): unknown {
  const { id, attempts, live } = call.input as Item;
  if (call.attempt === 1) probe.keys.add(call.idempotencyKey);
  const attempt = attempts[call.attempt - 1] ?? { ms: 0, do: 'ok' };
  const finish = (): Record<string, number> => {
    if (attempt.do === 'fail') throw new Error('failed');
    if (attempt.do === 'permanent') throw new WeftError('bad_input', 'wrong');
    return Object.fromEntries(live.map((port) => [port, id]));
  };
  return attempt.ms === 0 ? finish() : later(call, probe, attempt.ms, finish);
}

async function later<T>(call: Call, probe: ItemProbe, ms: number, finish: () => T): Promise<T> {
  probe.running++;
  probe.mostRunning = Math.max(probe.mostRunning, probe.running);
  try {
    await call.sleep(ms);
    return finish();
  } finally {
    probe.running--;
  }
}
