import type { CancelReason, Outcome, Run, RunAnswer } from '#engine';
import type { RunHub } from '../../../execution/runs/run-types.ts';
import type { RunRequest } from '../../../flows/service/run-request.ts';

/** The behaviour of a fake run: returns its answer at once, or later. Throwing refuses the run. */
export type Evaluate = (request: RunRequest) => RunAnswer | Promise<RunAnswer>;

export interface FakeRuns extends Pick<RunHub, 'start'> {
  readonly started: RunRequest[];
  readonly cancelled: CancelReason[];
  /** Resolves when the next run is cancelled. */
  nextCancel(): Promise<CancelReason>;
}

/** Answers with a plain function instead of the engine. */
export function fakeRuns(evaluate: Evaluate): FakeRuns {
  const started: RunRequest[] = [];
  const cancelled: CancelReason[] = [];
  let onCancel: ((reason: CancelReason) => void)[] = [];
  return {
    started,
    cancelled,
    nextCancel: () => new Promise((resolve) => onCancel.push(resolve)),
    start(request) {
      started.push(request);
      const result = evaluate(request);
      return fakeRun(`run-${started.length}`, request, result, (reason) => {
        cancelled.push(reason);
        for (const fn of onCancel) fn(reason);
        onCancel = [];
      });
    },
  };
}

export function value(body: unknown, status?: number, headers?: Record<string, string>): RunAnswer {
  return { kind: 'value', body, status, headers };
}

export function failure(code: string, message: string): RunAnswer {
  return { kind: 'error', error: { code, message, node: 'n' } };
}

function fakeRun(
  id: string,
  request: RunRequest,
  result: RunAnswer | Promise<RunAnswer>,
  cancel: (reason: CancelReason) => void,
): Run {
  const outcome: Outcome = { status: 'ok', error: undefined, ms: 0, nodes: { ok: 1, failed: 0, skipped: 0 } };
  return {
    id,
    flow: request.flow.id,
    version: request.flow.version,
    trigger: request.trigger,
    startedAt: 0,
    answer: result instanceof Promise ? undefined : result,
    outcome: result instanceof Promise ? undefined : outcome,
    onAnswer: (fn) => void Promise.resolve(result).then(fn),
    onEnd: (fn) => void Promise.resolve(result).then(() => fn(outcome)),
    observe: () => () => undefined,
    events: () => [],
    cancel,
    leave: () => undefined,
    endClock: () => false,
  };
}
