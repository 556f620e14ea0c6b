import fc from 'fast-check';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Attempt } from './task-operators.ts';

/**
 * Random flows over the task operators. A node is a handful of small numbers, so that a failing flow shrinks well; edges only
 * go to later nodes, so every flow is acyclic.
 */
interface NodeSeed {
  kind: 'trigger' | 'task' | 'respond' | 'sink' | 'pure';
  shape: 'none' | 'one' | 'two' | 'optional' | 'any' | 'all' | 'first';
  ports: 'x' | 'xy';
  sources: number[];
  live: number;
  gives: 'number' | 'null' | 'object';
  /** What the edges into it pick, by source. */
  picks: (string | undefined)[];
  attempts: Attempt[];
  onError: 'fail' | 'continue' | 'route';
  retry: { attempts: number; backoffMs: number; factor: number } | undefined;
  timeoutMs: number | undefined;
  disabled: boolean;
}

/** Even times for work and odd ones for limits, so that the two never coincide. */
const attempt: fc.Arbitrary<Attempt> = fc.record({
  ms: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 40 }).map((n) => n * 2) },
  ),
  do: fc.oneof(
    { weight: 12, arbitrary: fc.constant('ok' as const) },
    { weight: 3, arbitrary: fc.constant('fail' as const) },
    { weight: 1, arbitrary: fc.constantFrom('permanent' as const, 'hang' as const, 'stubborn' as const) },
  ),
});

const seed: fc.Arbitrary<NodeSeed> = fc.record({
  kind: fc.oneof(
    { weight: 14, arbitrary: fc.constant('task' as const) },
    { weight: 2, arbitrary: fc.constantFrom('pure' as const, 'sink' as const) },
    { weight: 1, arbitrary: fc.constantFrom('trigger' as const, 'respond' as const) },
  ),
  shape: fc.constantFrom('one', 'one', 'none', 'two', 'optional', 'any', 'all', 'first', 'first'),
  ports: fc.constantFrom('x', 'x', 'xy'),
  sources: fc.array(fc.nat(200), { minLength: 3, maxLength: 3 }),
  live: fc.oneof({ weight: 3, arbitrary: fc.constant(3) }, { weight: 2, arbitrary: fc.nat(3) }),
  gives: fc.constantFrom('number', 'number', 'number', 'null', 'object', 'object'),
  picks: fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: fc.constantFrom('v', 'deep.w', 'nothing') },
      { weight: 1, arbitrary: fc.constantFrom('lost', 'deep.lost', 'v.lost', 'nothing.lost') },
    ),
    { minLength: 3, maxLength: 3 },
  ),
  attempts: fc.array(attempt, { maxLength: 3 }),
  onError: fc.constantFrom('fail', 'continue', 'route'),
  retry: fc.option(
    fc.record({
      attempts: fc.integer({ min: 1, max: 3 }),
      backoffMs: fc.constantFrom(0, 10, 30),
      factor: fc.constantFrom(1, 2),
    }),
    { nil: undefined, freq: 3 },
  ),
  timeoutMs: fc.option(
    fc.integer({ min: 0, max: 30 }).map((n) => n * 2 + 1),
    { nil: undefined, freq: 3 },
  ),
  disabled: fc.integer({ min: 0, max: 11 }).map((n) => n === 0),
});

export const randomFlow: fc.Arbitrary<Flow> = fc
  .array(seed, { minLength: 1, maxLength: 14 })
  .map((seeds) => buildFlow([{ ...trigger, disabled: false }, ...seeds]));

const trigger: NodeSeed = {
  kind: 'trigger',
  shape: 'none',
  ports: 'x',
  sources: [],
  live: 3,
  gives: 'number',
  picks: [],
  attempts: [],
  onError: 'fail',
  retry: undefined,
  timeoutMs: undefined,
  disabled: false,
};

function buildFlow(seeds: readonly NodeSeed[]): Flow {
  const nodes: Record<string, FlowNode> = {};
  const edges: FlowEdge[] = [];
  const outputs: string[] = [];
  seeds.forEach((s, i) => {
    const id = `n${String(i).padStart(2, '0')}`;
    nodes[id] = buildNode(s, id);
    for (const port of inputsOf(s)) {
      const wanted = port.many ? s.sources : s.sources.slice(port.at, port.at + 1);
      const from = new Set(wanted.map((n) => outputs[n % outputs.length] as string));
      if (port.optional && (s.sources[2] as number) % 2 === 0) continue;
      [...from].forEach((source, k) => {
        const pick = s.picks[port.many ? k : port.at];
        const order = port.many && { order: k };
        edges.push({ from: source, ...(pick !== undefined && { pick }), to: `${id}.${port.name}`, ...order });
      });
    }
    outputs.push(...outputsOf(s).map((port) => `${id}.${port}`));
    if (s.onError === 'route' && isTask(s)) outputs.push(`${id}.error`);
  });
  return { format: 1, id: 'random', nodes, edges };
}

function isTask(s: NodeSeed): boolean {
  return s.kind === 'task' || s.kind === 'pure' || s.kind === 'sink';
}

function buildNode(s: NodeSeed, id: string): FlowNode {
  if (s.kind === 'trigger') return { operator: 'test.trigger' };
  if (s.kind === 'respond') return { operator: 'test.respond' };
  const operator = s.kind === 'task' ? `test.${s.shape}_${s.ports}` : `test.${s.kind}`;
  const live = ['x', 'y'].filter((_, bit) => s.live & (1 << bit));
  // Without a limit, nothing would end a hanging attempt.
  const attempts = s.timeoutMs
    ? s.attempts
    : s.attempts.map((a) => (a.do === 'hang' || a.do === 'stubborn' ? { ...a, do: 'fail' as const } : a));
  return {
    operator,
    params: {
      id,
      attempts: s.kind === 'pure' ? attempts.map((a) => pureAttempt(a)) : attempts,
      live,
      gives: s.gives,
    },
    onError: s.onError,
    ...(s.onError === 'continue' && { fallback: { x: s.gives === 'null' ? null : `fallback of ${id}` } }),
    ...(s.retry && { retry: { ...s.retry, jitter: 0 } }),
    ...(s.timeoutMs && { timeoutMs: s.timeoutMs }),
    ...(s.disabled && { disabled: true }),
  };
}

/** Pure operators do not wait. */
function pureAttempt(a: Attempt): Attempt {
  return { ms: 0, do: a.do === 'hang' || a.do === 'stubborn' ? 'fail' : a.do };
}

function inputsOf(s: NodeSeed): { name: string; at: number; many?: boolean; optional?: boolean }[] {
  if (s.kind === 'trigger') return [];
  if (s.kind !== 'task') return [{ name: 'in', at: 0 }];
  switch (s.shape) {
    case 'none':
      return [];
    case 'one':
      return [{ name: 'in', at: 0 }];
    case 'two':
      return [
        { name: 'a', at: 0 },
        { name: 'b', at: 1, optional: true },
      ];
    case 'optional':
      return [{ name: 'in', at: 0, optional: true }];
    case 'any':
    case 'all':
    case 'first':
      return [{ name: 'in', at: 0, many: true }];
  }
}

function outputsOf(s: NodeSeed): string[] {
  if (s.kind === 'respond') return [];
  return s.kind === 'task' && s.ports === 'xy' ? ['x', 'y'] : ['x'];
}
