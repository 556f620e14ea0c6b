import { type CodeCall, type Services, WeftError } from '#engine';
import { Asking } from './asking.ts';
import { errorOf } from './code-error.ts';
import { Job, type JobEvents, type PreparedUnit, type StopCode } from './job.ts';
import { CallLog } from './call-log.ts';
import { parseResult } from './payload.ts';
import type { HostPool } from './pool.ts';
import type { CallCounts } from './stats.ts';

export interface CallDeps {
  readonly pool: HostPool;
  readonly services: Services;
  readonly unit: PreparedUnit;
  readonly call: CodeCall;
  readonly payload: string;
  readonly counts: CallCounts;
}

interface Settle {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Runs a function in the sandbox. Settles once, at the latest in the turn in which the call's signal aborts. */
export function callFunction(deps: CallDeps): Promise<unknown> {
  const { signal } = deps.call.context;
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const events = new FunctionEvents(deps, { resolve, reject });
    deps.counts.begun();
    signal.addEventListener('abort', events);
    deps.pool.run(events.job);
  });
}

class FunctionEvents implements JobEvents {
  readonly job: Job;
  private readonly deps: CallDeps;
  private readonly settle: Settle;
  private asking: Asking | undefined = undefined;
  private lines: CallLog | undefined = undefined;

  constructor(deps: CallDeps, settle: Settle) {
    this.deps = deps;
    this.settle = settle;
    this.job = new Job(deps.unit, 'C', deps.payload, this);
  }

  value(text: string): void {
    this.end();
    try {
      this.settle.resolve(parseResult(text));
    } catch (error) {
      this.fail(error);
    }
  }

  thrown(text: string): void {
    this.end();
    this.fail(errorOf(text, this.deps.unit.node, this.asking?.failures ?? new Map()));
  }

  stopped(code: StopCode, message: string): void {
    this.end();
    this.fail(new WeftError(code, message));
  }

  log(text: string): void {
    this.lines ??= new CallLog(this.deps.call.context);
    this.lines.add(text);
  }

  ask(number: number, name: string, args: string): void {
    const { call, services, pool } = this.deps;
    this.asking ??= new Asking(this.job, call.context, services, (op, job, text) => pool.send(op, job, text));
    this.asking.ask(number, name, args);
  }

  /** The call's signal has aborted. */
  handleEvent(): void {
    const { pool, call } = this.deps;
    this.end();
    pool.drop(this.job);
    this.settle.reject(call.context.signal.reason);
  }

  private fail(error: unknown): void {
    this.deps.counts.failed(error);
    this.settle.reject(error);
  }

  private end(): void {
    this.deps.call.context.signal.removeEventListener('abort', this);
  }
}
