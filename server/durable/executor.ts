import type { Host, Outcome, Run, RunAnswer, WaitFor } from '#engine';
import type { FastifyBaseLogger } from 'fastify';
import type { LiveFlow, RunHub, RunRequest } from '../context.ts';
import type { DurableAnswer, WaitStore } from './durable-runs.ts';
import { PassContext } from './pass-context.ts';
import type { Pass, PassEnd } from './port.ts';
import { readInput, type RunInput } from './run-input.ts';
import type { Turns } from './turns.ts';
import type { Values } from './values.ts';

export interface ExecutorParts {
  readonly hub: Pick<RunHub, 'carryOn' | 'leave'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  readonly waits: WaitStore;
  readonly maxSteps: number;
  readonly values: (run: string) => Values;
  /** The flow of a run, at the version that it began with. */
  readonly flow: (id: string, version: string) => Promise<LiveFlow>;
  /** A text that runs share, by its name. */
  readonly text: (name: string) => Promise<string>;
  readonly turns: Pick<Turns, 'mayGoOn'>;
}

/** How a run ended, as it is kept. */
export interface KeptEnd {
  readonly answer?: DurableAnswer;
  readonly error?: Outcome['error'];
}

interface Walk {
  readonly context: PassContext;
  readonly suspend: () => void;
}

/**
 * Carries durable runs on: each pass interprets the whole flow again, with what earlier passes recorded.
 * X1. A pass ends parked, ended, suspended, or given up (it rejects); nothing of its run happens here after that.
 */
export class Executor {
  private readonly parts: ExecutorParts;
  private readonly walks = new Map<string, Walk>();
  private closing = false;

  constructor(parts: ExecutorParts) {
    this.parts = parts;
  }

  /** The run's waits are looked at again, where it is in a pass. */
  poke(run: string): void {
    this.walks.get(run)?.context.poke();
  }

  /** Ends the run, where it is in a pass. */
  cancel(run: string): void {
    const context = this.walks.get(run)?.context;
    if (context === undefined) return;
    context.cancelled = true;
    context.stop();
  }

  async carryOn(pass: Pass): Promise<PassEnd> {
    if (this.closing) return { kind: 'suspended' };
    const { run } = pass;
    const values = this.parts.values(run.run);
    const input = await readInput(run, values, this.parts);
    if (!(await this.parts.turns.mayGoOn(pass, input))) return { kind: 'parked', waitingFor: '[]' };
    const ended = Promise.withResolvers<PassEnd>();
    const leave = (end: PassEnd): void => {
      context.over = true;
      this.parts.hub.leave(run.run);
      ended.resolve(end);
    };
    let begun: Run | undefined;
    let isUnwanted = false;
    const context = new PassContext({
      ...this.parts,
      pass,
      values,
      park: (waits) =>
        leave({
          kind: 'parked',
          until: soonest(waits, deadlineOf(input, run)),
          waitingFor: JSON.stringify(waits),
        }),
      cancel: () => {
        isUnwanted = true;
        begun?.cancel('stop');
      },
      lost: (error) => {
        leave({ kind: 'suspended' });
        ended.reject(error);
      },
    });
    context.cancelled = run.cancelledBy !== undefined;
    this.walks.set(run.run, { context, suspend: () => leave({ kind: 'suspended' }) });
    begun = await this.parts.hub.carryOn(requestOf(input, pass, context));
    // What is there at once may have asked for it while it began.
    if (isUnwanted) begun.cancel('stop');
    endOf(begun, values, this.parts.host).then(ended.resolve, ended.reject);
    try {
      return await ended.promise;
    } finally {
      this.walks.delete(run.run);
    }
  }

  /** Gives steps in flight `graceMs` to end, then leaves all runs where they are. */
  async close(graceMs: number): Promise<void> {
    this.closing = true;
    const late = Promise.withResolvers<void>();
    const stop = this.parts.host.timer(graceMs, late.resolve);
    await Promise.race([
      late.promise,
      Promise.all([...this.walks.values()].map(({ context }) => context.quiet())),
    ]);
    stop();
    for (const { suspend } of [...this.walks.values()]) suspend();
  }
}

function requestOf(input: RunInput, { run }: Pass, ctx: PassContext): Parameters<RunHub['carryOn']>[0] {
  const { flow, trigger, request, output, source, vars, key } = input;
  const { run: id, startedAt, passes } = run;
  const start: RunRequest = { flow, trigger, request, output, source };
  return { ...start, pass: { id, startedAt, vars, ctx, key, again: passes > 1 } };
}

async function endOf(run: Run, values: Values, { now }: Pick<Host, 'now'>): Promise<PassEnd> {
  const answered = new Promise<RunAnswer>((resolve) => run.onAnswer(resolve)).then(readAnswer);
  const outcome = await new Promise<Outcome>((resolve) => run.onEnd(resolve));
  const { status, error } = outcome;
  const answer = await answered;
  const end: KeptEnd = { ...(answer && { answer }), ...(error && { error }) };
  return { kind: 'ended', status, end: values.write(end), at: now() };
}

/** A stream is read to its end, since its run does not end before. */
async function readAnswer(answer: RunAnswer): Promise<DurableAnswer | undefined> {
  if (answer.kind === 'error') return undefined;
  if (answer.kind === 'empty') return { status: 204 };
  const { status = 200, headers, body } = answer;
  const head = { status, ...(headers && { headers }) };
  if (!isStream(body)) return { ...head, body };
  try {
    const items: unknown[] = [];
    for await (const item of body) items.push(item);
    return { ...head, body: items };
  } catch {
    // Its failure is the run's.
    return undefined;
  }
}

function isStream(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** When the run's own time is over; it is woken then, to end. */
function deadlineOf({ flow }: RunInput, { startedAt }: Pass['run']): number {
  return startedAt + (flow.flow.settings?.timeoutMs ?? Number.POSITIVE_INFINITY);
}

function soonest(waits: readonly { readonly what: WaitFor }[], deadline: number): number | undefined {
  const time = Math.min(deadline, ...waits.map(({ what }) => what.until ?? deadline));
  return Number.isFinite(time) ? time : undefined;
}
