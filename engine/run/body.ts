import type { RunError } from '#shared/run-event.ts';
import { WeftError } from '../base/errors.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import type { BodyRunner } from '../base/operator.ts';
import type { StepBody } from '../plan/plan.ts';
import { StepAsker } from './caller.ts';
import { PartCtx, withParts } from './places.ts';
import { roundName } from './rounds.ts';
import type { Attempt, Outcome, Run, RunAnswer } from './state.ts';

type BodyStart = Parameters<BodyRunner['run']>[0];

/**
 * Runs the body of a step, as often as its operator wants. Each time is a run of its own within the run: with the same id, request
 * and variables, and with what the body reads from outside.
 * BR1. One that ends in the same turn returns its result in the same turn.
 * BR2. It is stopped with the signal of its start.
 * BR3. Steps and waits are recorded in a durable run below the step and its round, so that none that has ended is executed again.
 */
export class StepBodyRunner implements BodyRunner {
  private readonly call: Attempt;
  private readonly body: StepBody;
  /** The parent of all times that the body runs. */
  private readonly asker: StepAsker;

  constructor(call: Attempt, body: StepBody) {
    this.call = call;
    this.body = body;
    this.asker = new StepAsker(call.run, call.step);
  }

  run({ input, key, signal, timeoutMs, round, attempt }: BodyStart): unknown {
    signal.throwIfAborted();
    const { call, body } = this;
    const { run } = call;
    const { ctx, request, vars } = run;
    const inside = { run, body, call, round, attempt };
    const own = ctx && new PartCtx(ctx, call, roundName(inside));
    const part = run.startBody({
      id: run.id,
      request,
      vars,
      output: input,
      key,
      parent: this.asker,
      inside,
      atMostMs: timeoutMs,
      // Whoever gets events of a run gets the times of its nodes.
      timed: run.times !== undefined || run.root.observed,
      ...(own && { ctx: own }),
    });
    run.noteRound(inside, part, input);
    return resultOf(part, { signal, round, body }, own);
  }

  pause(ms: number, round: number): Promise<unknown> {
    const { call } = this;
    const { ctx, host } = call.run;
    if (ctx === undefined) return call.sleep(ms);
    const { parts } = withParts(call);
    parts.add(one);
    const what = { kind: 'time', until: host.now() + ms } as const;
    const key = roundName({ call, round, attempt: undefined });
    return ctx.wait(key, call.node, what, call.signal).finally(() => parts.delete(one));

    function one(): number {
      return 1;
    }
  }
}

interface At {
  readonly signal: AbortSignal;
  readonly round: number | undefined;
  readonly body: StepBody;
}

function resultOf(part: Run, at: At, ctx: PartCtx | undefined): unknown {
  const { signal } = at;
  if (part.outcome !== undefined) ctx?.end();
  else {
    const cancel = (): void => part.cancel('stop');
    signal.addEventListener('abort', cancel, { once: true });
    part.onEnd(() => {
      signal.removeEventListener('abort', cancel);
      ctx?.end();
    });
  }
  return part.answer === undefined ? later(part, at) : valueOf(part, part.answer, at);
}

/** Rejects as soon as the signal aborts, however long the body takes to end. */
function later(part: Run, at: At): Promise<unknown> {
  const { signal } = at;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    part.onAnswer((answer) => {
      signal.removeEventListener('abort', leave);
      try {
        resolve(valueOf(part, answer, at));
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

function valueOf(part: Run, answer: RunAnswer, at: At): unknown {
  if (answer.kind === 'empty') return null;
  if (answer.kind === 'error') throw failureOf(answer.error, at);
  return isAsyncIterable(answer.body) ? upToEnd(part, answer.body, at) : answer.body;
}

/** A result that is a stream is there before the body has ended, and other nodes may still fail. */
async function* upToEnd(part: Run, stream: AsyncIterable<unknown>, at: At): AsyncGenerator<unknown> {
  let isRead = false;
  try {
    yield* stream;
    isRead = true;
  } finally {
    if (!isRead) part.cancel('stop');
  }
  const { error } = await new Promise<Outcome>((resolve) => part.onEnd(resolve));
  if (error) throw failureOf(error, at);
}

/** Its message begins with the title of the node that failed, so that those of bodies in each other are a path. */
function failureOf({ code, message, node, data, transient }: RunError, { round, body }: At): WeftError {
  const place = { ...(node !== undefined && { node }), ...(round !== undefined && { round }) };
  const failed = node === undefined ? undefined : body.plan.steps.find(({ id }) => id === node);
  return new WeftError(code, node === undefined ? message : `${failed?.title ?? node}: ${message}`, {
    transient,
    data: { ...place, ...(data !== undefined && { data }) },
  });
}
