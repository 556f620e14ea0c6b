import { z } from 'zod';
import { WeftError } from '../base/errors.ts';
import {
  type Call,
  defineOperator,
  type InputSpec,
  input,
  literal,
  manyInput,
  type Operator,
  optionalInput,
  output,
} from '../base/operator.ts';
import { makeRegistry, type Registry } from '../catalog/registry.ts';

/**
 * Operators whose params specify their behaviour, for tests of the interpreter: each attempt takes some time and then outputs a
 * number computed from the inputs, or null, fails, or hangs.
 */
export const Attempt = z.object({
  /** 0 returns in the same turn; more waits that long. */
  ms: z.number().default(0),
  do: z.enum(['ok', 'fail', 'permanent', 'hang', 'stubborn']).default('ok'),
});
export type Attempt = z.infer<typeof Attempt>;

const Script = z.object({
  id: z.string().default('task'),
  attempts: z.array(Attempt).default([]),
  /** Outputs that are live. */
  live: z.array(z.string()).default(['x', 'y']),
  /** The value of the live outputs. */
  gives: z.enum(['number', 'null', 'object']).default('number'),
});

/** The calls of the operators, for assertions. */
export class Probe {
  running = 0;
  mostRunning = 0;
  readonly fired: string[] = [];
  readonly attempts: string[] = [];
  readonly keys = new Map<string, Set<string>>();
}

/** The number that a task computes from its inputs; order and presence of each input change it. */
export function digest(id: string, inputs: Record<string, unknown>): number {
  let hash = 17;
  const text = `${id}:${JSON.stringify(inputs, Object.keys(inputs).sort())}:${JSON.stringify(Object.values(inputs))}`;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return hash;
}

/** The value of the live outputs, by what the script wants. */
export function given(gives: string, digested: number): unknown {
  if (gives === 'object') return { v: digested, deep: { w: -digested }, nothing: null };
  return gives === 'null' ? null : digested;
}

type Inputs = Record<string, InputSpec<unknown, boolean, 'any' | 'all' | 'first' | undefined>>;

function task(
  probe: Probe,
  inputs: Inputs,
  ports: readonly string[],
  more: Partial<Operator> = {},
): Operator {
  const operator = defineOperator({
    title: 'Task',
    doc: 'Does what its params say.',
    icon: 'circle',
    params: Script,
    inputs,
    outputs: Object.fromEntries(ports.map((name) => [name, output()])),
    effects: 'read',
    examples: [],
    run: (call) => perform(probe, ports, call as unknown as Call<z.output<typeof Script>>) as never,
  });
  return { ...operator, ...more };
}

function perform(probe: Probe, ports: readonly string[], call: Call<z.output<typeof Script>>): unknown {
  const { params } = call;
  if (call.attempt === 1) probe.fired.push(call.node);
  probe.attempts.push(`${call.node}#${call.attempt}`);
  const keys = probe.keys.get(call.node) ?? new Set();
  probe.keys.set(call.node, keys.add(call.idempotencyKey));
  const attempt = params.attempts[call.attempt - 1] ?? { ms: 0, do: 'ok' };
  const finish = (): unknown => {
    if (attempt.do === 'fail') throw new Error(`${call.node} failed`);
    if (attempt.do === 'permanent') throw new WeftError('bad_input', `${call.node} is wrong`);
    const value = given(params.gives, digest(params.id, call.inputs));
    if (ports.length === 1) return params.live.includes(ports[0] as string) ? value : undefined;
    return Object.fromEntries(ports.filter((p) => params.live.includes(p)).map((p) => [p, value]));
  };
  if (attempt.ms === 0 && attempt.do !== 'hang' && attempt.do !== 'stubborn') return finish();
  return waitThen(probe, call, attempt, finish);
}

async function waitThen(probe: Probe, call: Call, attempt: Attempt, finish: () => unknown): Promise<unknown> {
  // It is abandoned after its limit and no longer counts, which the probe would not see.
  if (attempt.do === 'stubborn') return new Promise(() => {});
  probe.running++;
  probe.mostRunning = Math.max(probe.mostRunning, probe.running);
  try {
    await call.sleep(attempt.do === 'hang' ? 1e9 : attempt.ms);
    return finish();
  } finally {
    probe.running--;
  }
}

const trigger: Operator = defineOperator({
  title: 'Start',
  doc: 'Starts a run.',
  icon: 'play',
  params: z.object({}),
  inputs: {},
  outputs: { x: output() },
  effects: 'pure',
  trigger: true,
  examples: [],
});

const respond: Operator = defineOperator({
  title: 'Respond',
  doc: 'Answers.',
  icon: 'reply',
  params: z.object({ status: z.int().default(200), note: literal(z.string().default('')) }),
  inputs: { in: input() },
  outputs: {},
  effects: 'pure',
  respond: true,
  examples: [],
  run: (call) => call.respond({ status: call.params.status, headers: undefined, body: call.input }),
});

/** A registry of tasks in all shapes of inputs and outputs, named `test.<inputs>_<outputs>`. */
export function taskRegistry(probe: Probe): Registry {
  const shapes: Record<string, Inputs> = {
    none: {},
    one: { in: input() },
    two: { a: input(), b: optionalInput() },
    optional: { in: optionalInput() },
    any: { in: manyInput('any') },
    all: { in: manyInput('all') },
    first: { in: manyInput('first') },
  };
  const operators = new Map<string, Operator>([
    ['test.trigger', trigger],
    ['test.respond', respond],
    ['test.sink', task(probe, { in: input() }, ['x'], { sink: true })],
    ['test.pure', task(probe, { in: input() }, ['x'], { effects: 'pure' })],
  ]);
  for (const [name, inputs] of Object.entries(shapes)) {
    operators.set(`test.${name}_x`, task(probe, inputs, ['x']));
    operators.set(`test.${name}_xy`, task(probe, inputs, ['x', 'y']));
  }
  return makeRegistry(operators);
}
