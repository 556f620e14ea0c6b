import type { Plan, StartOptions } from '#engine';
import type { RunEvent, RunInPart } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { ServiceError } from '../../base/errors/errors.ts';

const RUN_TIMEOUT_MS = 30_000;
/** The default time limit if a model or an agent is involved, in milliseconds. */
const MODEL_RUN_TIMEOUT_MS = 300_000;

/** Throws `trigger_not_found`. */
export function planOf({ flow, trigger }: RunRequest): Plan {
  const plan = flow.compiled.plans.get(trigger);
  if (plan) return plan;
  throw new ServiceError('trigger_not_found', `The flow ${flow.id} has no trigger ${trigger}.`);
}

interface Start extends Pick<StartOptions, 'id' | 'vars'> {
  /** Measures the time of every node. */
  readonly timed: boolean;
  /** Its events will be read at its end, including those that cannot be derived then. */
  readonly traced: boolean;
  /** The limit of a run whose flow sets none, in milliseconds. */
  readonly runMs: number | undefined;
}

/** The engine's start options. */
export function startOptions(
  plan: Plan,
  { request, output, part, source, isDraft }: RunRequest,
  { id, vars, timed, traced, runMs }: Start,
): StartOptions {
  const timeoutMs = runMs ?? (plan.asksModels ? MODEL_RUN_TIMEOUT_MS : RUN_TIMEOUT_MS);
  const plain = { id, request, output, vars, timeoutMs, timed: timed || traced };
  const own = isDraft === true || source === 'test' ? { ...plain, isDraft: true } : plain;
  const options = traced && !plan.derivable ? { ...own, observer: unheard } : own;
  // The caller's own limit reaches it through the caller's signal.
  if (part === undefined) return options;
  const { ctx, ...more } = part;
  return { ...options, ...more, ...(ctx && { ctx }), timeoutMs: 0 };
}

function unheard(): void {}

type Observer = (event: RunEvent) => void;

/** Lets the start of a run report which part of the flow it executes. */
export function reportingPart(inPart: RunInPart | undefined, observe: Observer): Observer {
  if (inPart === undefined) return observe;
  return (event) => observe(event.kind === 'run-started' ? { ...event, inPart } : event);
}
