import type { Outcome, Run } from '#engine';
import type { DeadLetter, RunFailure, RunNotice } from '#shared/calls-api.ts';
import type { RunError } from '#shared/run-event.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { DurableEnd, DurableRuns } from '../durable/durable-runs.ts';
import { boundValue } from '../history/bound-value.ts';
import { boundError } from '../history/recorded-event.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Deliveries } from './deliveries.ts';
import type { ErrorFlow } from './error-flow.ts';
import { readNotify } from './notify.ts';

interface Deps {
  readonly deliveries: Pick<Deliveries, 'add'>;
  readonly deadLetters: Pick<DeadLetters, 'add'>;
  readonly errorFlow: Pick<ErrorFlow, 'concerns' | 'start'>;
  readonly live: (id: string) => LiveFlow | undefined;
  readonly redactor: Redactor;
}

/** The largest input and answer that are reported, in characters of JSON. */
const MAX_INPUT = 64 * 1024;
const MAX_ANSWER = 1024 * 1024;

/** Follows up on the end of a run: notifies its caller, and reports failures to the error flow and the dead letters. */
export class AfterRuns {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Handles a failed run that lives in memory. */
  failed(
    { flow, source, trigger, output, part, pass, masks }: RunRequest,
    run: Run,
    { error }: Outcome,
  ): void {
    const { errorFlow } = this.deps;
    const redactor = masks ?? this.deps.redactor;
    // The starter of a part sees its failure; runs that outlive the process end in `ended`.
    if (error === undefined || part !== undefined || pass !== undefined) return;
    if (!errorFlow.concerns({ flow, source })) return;
    const { id, version, startedAt } = run;
    const input = boundValue(output, MAX_INPUT, redactor);
    const facts = { run: id, flow: flow.id, version, trigger, startedAt, input };
    void errorFlow.start(flow.flow.settings?.onFailure as string, {
      ...facts,
      error: boundError(error, redactor),
    });
  }

  /** Starts to handle runs that outlive the process. */
  follow(durable: Pick<DurableRuns, 'onEnd'>): void {
    durable.onEnd((end) => this.ended(end));
  }

  /** May be called again for the same end if it threw, or if the process ended meanwhile. */
  private async ended(end: DurableEnd): Promise<void> {
    if (end.webhook !== undefined) await this.notify(end, end.webhook);
    if (end.status !== 'failed') return;
    const failure = this.failureOf(end);
    await this.deps.deadLetters.add(letterOf(end, failure.error));
    const flow = this.deps.live(end.flow);
    const { errorFlow } = this.deps;
    if (flow === undefined || !errorFlow.concerns({ flow, source: end.source })) return;
    await errorFlow.start(flow.flow.settings?.onFailure as string, failure);
  }

  private async notify({ run, flow, version, trigger, ...end }: DurableEnd, webhook: string): Promise<void> {
    const { status, startedAt, endedAt, answer, error } = end;
    const masked = error && this.masked(error);
    const notice: RunNotice = {
      run,
      flow,
      status,
      startedAt,
      endedAt,
      ...(answer && {
        answer: { ...answer, body: boundValue(answer.body, MAX_ANSWER, this.deps.redactor) },
      }),
      ...(masked && { error: { code: masked.code, message: masked.message } }),
    };
    const to = readNotify(webhook);
    await this.deps.deliveries.add({
      run,
      flow,
      version,
      node: trigger,
      ...to,
      body: JSON.stringify(notice),
    });
  }

  private failureOf({ run, flow, version, trigger, error, startedAt }: DurableEnd): RunFailure {
    const masked = this.masked(error ?? { code: 'node_failed', message: 'The run failed.' });
    return { run, flow, version, trigger, startedAt, error: masked };
  }

  private masked(error: RunError): RunError {
    return boundError(error, this.deps.redactor);
  }
}

function letterOf(
  { run, flow, version, trigger, startedAt, endedAt: failedAt }: DurableEnd,
  { code, message, node }: RunError,
): DeadLetter {
  const error = { code, message, ...(node !== undefined && { node }) };
  return { run, flow, version, trigger, startedAt, failedAt, error };
}
