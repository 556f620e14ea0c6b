import { type Host, type Outcome, type Run, type RunAnswer, type WaitFor, WeftError } from '#engine';
import { isStream } from '#shared/json.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { boundError } from '../history/recorded-event.ts';
import { maskHidden } from '../../base/secrets/hidden-fields.ts';
import { redactValue } from '../../base/secrets/redact-value.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { DurableAnswer, WaitStore } from './durable-runs.ts';
import { type OpenOne, PassContext } from './pass-context.ts';
import type { Pass, PassEnd } from './port.ts';
import type { RunInput } from './run-input.ts';
import type { RecordLimits } from './size.ts';
import type { Values } from './values.ts';

export interface WalkDeps {
  readonly hub: Pick<RunHub, 'carryOn' | 'leave'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
  readonly ahead?: () => number;
  /** See `PassContext`. */
  readonly parkMs?: number;
  readonly waits: WaitStore;
  readonly limits: RecordLimits;
}

/** The end of a run, as it is stored. */
export interface KeptEnd {
  readonly answer?: DurableAnswer;
  readonly streamed?: true;
  readonly error?: Outcome['error'];
}

/**
 * One pass of a run through its flow.
 * DW1. The run is parked, ended, suspended, or given up (the pass rejects); nothing of it happens here after that.
 */
export class Walk {
  readonly context: PassContext;
  private readonly deps: WalkDeps;
  private readonly pass: Pass;
  private readonly input: RunInput;
  private readonly values: Values;
  private readonly end = Promise.withResolvers<PassEnd>();
  private run: Run | undefined = undefined;
  private isUnwanted = false;

  constructor(deps: WalkDeps, { pass, input, values }: { pass: Pass; input: RunInput; values: Values }) {
    this.deps = deps;
    this.pass = pass;
    this.input = input;
    this.values = values;
    this.context = new PassContext({
      ...deps,
      pass,
      values,
      park: (waits) => this.park(waits),
      cancel: () => this.cancel(),
      lost: (error) => {
        this.leave();
        this.end.reject(error);
      },
    });
    this.context.cancelled = pass.run.cancelledBy !== undefined;
  }

  async go(): Promise<PassEnd> {
    const { hub, host } = this.deps;
    this.run = await hub.carryOn(requestOf(this.input, this.pass, this.context));
    // Synchronous work may have requested it during the start.
    if (this.isUnwanted) this.run.cancel('stop');
    endOf(this.run, this.values, { now: () => host.now(), masks: masksOf(this.input) }).then(
      this.end.resolve,
      this.end.reject,
    );
    return this.end.promise;
  }

  /** Leaves the run for the next process, or to another server that has it already (`isLost`). */
  suspend(isLost = false): void {
    this.leave(isLost);
    this.end.resolve({ kind: 'suspended' });
  }

  private park(waits: readonly OpenOne[]): void {
    const deadline = deadlineOf(this.input, this.pass.run);
    // Parking would cancel its timer, again and again.
    if (deadline <= this.deps.host.now()) {
      this.run?.cancel('timeout');
      return;
    }
    this.leave();
    const until = soonest(waits, deadline);
    this.end.resolve({
      kind: 'parked',
      until,
      waitingFor: JSON.stringify(shown(waits, masksOf(this.input))),
    });
  }

  private cancel(): void {
    this.isUnwanted = true;
    this.run?.cancel('stop');
  }

  private leave(isLost = false): void {
    this.context.over = true;
    this.deps.hub.leave(this.pass.run.run, isLost);
  }
}

/** Waits as people may see them; their questions are stored elsewhere, for those who decide. */
function shown(waits: readonly OpenOne[], masks: Redactor | undefined): unknown {
  if (masks === undefined) return waits;
  return waits.map(({ what, ...wait }) => ({
    ...wait,
    what:
      what.kind === 'answer'
        ? { ...what, title: masks.text(what.title), ask: redactValue(what.ask, masks) }
        : what,
  }));
}

function requestOf(input: RunInput, { run }: Pass, ctx: PassContext): Parameters<RunHub['carryOn']>[0] {
  const { flow, trigger, request, output, source, apiKey, untrusted, files, vars, key } = input;
  const { run: id, startedAt, passes } = run;
  const start: RunRequest = { flow, trigger, request, output, source, apiKey, untrusted, files };
  return { ...start, pass: { id, startedAt, vars, ctx, key, again: passes > 1 } };
}

/**
 * Masks the values of the run's hidden fields in texts that its engine stores and people see; undefined if it has no
 * such fields.
 */
function masksOf(input: RunInput): Redactor | undefined {
  const plan = input.flow.compiled.plans.get(input.trigger);
  return plan?.hidesFields === true ? maskHidden(plan, input) : undefined;
}

async function endOf(
  run: Run,
  values: Values,
  { now, masks }: Pick<Host, 'now'> & { readonly masks: Redactor | undefined },
): Promise<PassEnd> {
  const answered = new Promise<RunAnswer>((resolve) => run.onAnswer(resolve)).then(readAnswer);
  const outcome = await new Promise<Outcome>((resolve) => run.onEnd(resolve));
  const { status } = outcome;
  const error = masks && outcome.error ? boundError(outcome.error, masks) : outcome.error;
  const answer = await answered;
  const end: KeptEnd = { ...answer, ...(error && { error }) };
  return { kind: 'ended', ...endText(status, end, values), at: now() };
}

/** A value that can never be stored, however often it is tried, ends the run as `failed`. */
function endText(
  status: Outcome['status'],
  end: KeptEnd,
  values: Values,
): Pick<Extract<PassEnd, { kind: 'ended' }>, 'status' | 'end'> {
  try {
    return { status, end: values.write(end, 'The end') };
  } catch (error) {
    if (!(error instanceof WeftError) || !error.code.startsWith('durable_')) throw error;
    const { code, message } = error;
    return { status: 'failed', end: values.write({ error: { code, message } } satisfies KeptEnd) };
  }
}

/** A stream is read to its end, because its run does not end before. */
async function readAnswer(answer: RunAnswer): Promise<Pick<KeptEnd, 'answer' | 'streamed'> | undefined> {
  if (answer.kind === 'error') return undefined;
  if (answer.kind === 'empty') return { answer: { status: 204 } };
  const { status = 200, headers, body } = answer;
  const head = { status, ...(headers && { headers }) };
  if (!isStream(body)) return { answer: { ...head, body } };
  try {
    const items: unknown[] = [];
    for await (const item of body) items.push(item);
    return { answer: { ...head, body: items }, streamed: true };
  } catch {
    // Its failure is the run's.
    return undefined;
  }
}

/** When the run's own time limit ends; it is woken then, to end. */
function deadlineOf({ flow }: RunInput, { startedAt }: Pass['run']): number {
  return startedAt + (flow.flow.settings?.timeoutMs ?? Number.POSITIVE_INFINITY);
}

function soonest(waits: readonly { readonly what: WaitFor }[], deadline: number): number | undefined {
  const time = Math.min(deadline, ...waits.map(({ what }) => what.until ?? deadline));
  return Number.isFinite(time) ? time : undefined;
}
