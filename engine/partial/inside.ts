import { WeftError } from '../base/errors.ts';
import type { Call } from '../base/operator.ts';
import { runBody } from '../operators/_sub-flow.ts';
import type { Given, Plan, Step, StepBody } from '../plan/plan.ts';

/** Runs in part that concern nodes in bodies. */

/** The steps around a node, outermost first; undefined if the plan has no such node. */
export function stepsAround(plan: Plan, node: string): readonly Step[] | undefined {
  for (const step of plan.steps) {
    if (step.id === node) return [];
    const inner = step.body && stepsAround(step.body.plan, node);
    if (inner) return [step, ...inner];
  }
  return undefined;
}

/** The one round of a container that runs. */
export interface OneRound {
  /** From 0. */
  readonly round: number;
  /** What it started with in an earlier run; undefined if that is not known. */
  readonly start: { readonly value: unknown } | undefined;
}

/** A loop, whose rounds have numbers; other bodies run once. */
export function isLoop({ operator: { infer } }: Step): boolean {
  return infer?.item !== undefined || infer?.starts?.repeats === true;
}

/** The step with one round of its body in place of all, whose result is its output. */
export function withOneRound(step: Step, asked: OneRound): Step {
  return {
    ...step,
    cache: undefined,
    run: (call) => {
      const { round } = asked;
      const input = startOf(step, call, asked);
      const { idempotencyKey, signal } = call;
      if (!isLoop(step)) return runBody(call, { input, key: idempotencyKey, signal });
      return runBody(call, { input, key: `${idempotencyKey}#${round}`, signal, round });
    },
  };
}

/** The input of the round: by the params as far as they tell, otherwise that of the earlier run. */
function startOf({ id, operator: { infer } }: Step, call: Call, { round, start }: OneRound): unknown {
  const { items, input } = call.params as { items?: unknown; input?: unknown };
  if (infer?.item !== undefined && infer.starts?.repeats !== true) {
    const count = Array.isArray(items) ? items.length : 0;
    if (round >= count)
      throw new WeftError(
        'bad_input',
        `\`${id}\` has no round ${round}: its list has ${count} items, counted from 0.`,
      );
    const item: unknown = (items as readonly unknown[])[round];
    return typeof input === 'function' ? (input as (scope: object) => unknown)({ item, index: round }) : item;
  }
  if (round === 0) return input;
  if (start) return start.value;
  throw new WeftError(
    'bad_input',
    `Round ${round} of \`${id}\` starts with what the round before gives, which no earlier run has; run the whole flow first.`,
  );
}

interface Substitution {
  readonly given: ReadonlyMap<string, Given>;
  readonly leftOut: ReadonlySet<string>;
  readonly rounds: ReadonlyMap<string, OneRound>;
}

/** The step with what holds for nodes in its body; the same if nothing does. */
export function withInside(step: Step, what: Substitution, substitute: (plan: Plan) => Plan): Step {
  const { body } = step;
  const asked = what.rounds.get(step.id);
  if (!body || (asked === undefined && !concerns(body, what))) return step;
  const inner = { ...step, body: { ...body, plan: substitute(body.plan) } };
  return asked === undefined ? inner : withOneRound(inner, asked);
}

function concerns({ plan }: StepBody, what: Substitution): boolean {
  const { given, leftOut, rounds } = what;
  return plan.steps.some(
    ({ id, body }) =>
      given.has(id) || leftOut.has(id) || rounds.has(id) || (body !== undefined && concerns(body, what)),
  );
}
