import { testTools } from '../expr/testing/test-tools.ts';
import type { Flow, FlowNode, FlowSettings } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { compile, type Plan } from '../plan/compile.ts';
import type { Operator } from '../base/operator.ts';
import { makeRegistry, type Registry } from '../catalog/registry.ts';
import { RunState } from '../run/run.ts';
import type { StartOptions } from '../run/state.ts';
import { FakeHost } from './fake-host.ts';

const files = import.meta.glob<{ default: Operator }>(
  ['../operators/*/*.ts', '!../operators/**/*.test.ts', '!../operators/**/_*.ts'],
  { eager: true },
);

export const builtIns: Registry = makeRegistry(
  new Map(Object.entries(files).map(([file, m]) => [typeOf(file), m.default])),
);

function typeOf(file: string): string {
  const [group, name] = file.split('/').slice(-2) as [string, string];
  return `${group}.${name.replace(/\.ts$/, '')}`;
}

/** A flow from its nodes and `from > to` edges (`a > b` is `a.out > b.in`); a number after a blank is the order. */
export function flowOf(
  nodes: Record<string, FlowNode | string>,
  edges: readonly string[],
  settings: FlowSettings = {},
): Flow {
  const full = Object.entries(nodes).map(([id, node]) => [
    id,
    typeof node === 'string' ? { operator: node } : node,
  ]);
  return {
    format: 1,
    id: 'test_flow',
    nodes: Object.fromEntries(full) as Record<string, FlowNode>,
    edges: edges.map((edge) => {
      const [from = '', to = '', order] = edge.split(/ > | #/);
      return {
        from: from.includes('.') ? from : `${from}.out`,
        to: to.includes('.') ? to : `${to}.in`,
        ...(order !== undefined && { order: Number(order) }),
      };
    }),
    settings,
  };
}

/** A flow of one trigger, with the output `x`, as the body of a loop over three items, two of them at once. */
export function looped({ nodes, edges, settings }: Flow): Flow {
  const isStart = (id: string): boolean => nodes[id]?.operator === 'test.trigger';
  const [start = '', ...others] = Object.keys(nodes).filter(isStart);
  // Nothing in a body answers the caller.
  const answers = Object.keys(nodes).filter((id) => nodes[id]?.operator === 'test.respond');
  const inner = Object.entries(nodes).filter(([id]) => !isStart(id) && !answers.includes(id));
  const isOf = (ids: readonly string[], end: string): boolean => ids.some((id) => end.startsWith(`${id}.`));
  const own = edges.filter(({ from, to }) => !isOf(others, from) && !isOf(answers, to));
  const body = {
    start,
    nodes: Object.fromEntries(inner),
    edges: own.map((edge) => (edge.from === `${start}.x` ? { ...edge, from: `${start}.out` } : edge)),
  };
  const params = { items: '{{ [1, 2, 3] }}', concurrency: 2, onItemError: 'collect' };
  const loop = { operator: 'data.for-each', params, body };
  return flowOf({ begin: 'trigger.manual', loop }, ['begin > loop'], settings);
}

export interface Played {
  readonly run: RunState;
  readonly host: FakeHost;
  readonly plan: Plan;
  readonly events: RunEvent[];
}

/** Starts a flow at its first trigger on a fake host, observed from the start. */
export function play(
  flow: Flow,
  input: unknown = null,
  more: Partial<StartOptions> & {
    registry?: Registry;
    trigger?: string;
    host?: FakeHost;
    version?: string;
  } = {},
): Played {
  const { registry = builtIns, trigger, host = new FakeHost(), version = 'v1', ...options } = more;
  const { plans } = compile(flow, version, registry, testTools);
  const plan = (trigger ? plans.get(trigger) : [...plans.values()][0]) as Plan;
  const events: RunEvent[] = [];
  const run = new RunState(
    plan,
    { id: 'run', request: {}, output: input, vars: {}, observer: (e) => events.push(e), ...options },
    host,
  );
  return { run, host, plan, events };
}

/** The body of the answer; throws the error of a failed run. */
export function bodyOf({ run }: Played): unknown {
  if (run.answer?.kind === 'error') throw new Error(`${run.answer.error.code}: ${run.answer.error.message}`);
  return run.answer?.kind === 'value' ? run.answer.body : undefined;
}
