import type { CancelReason, Host, Outcome, Plan, Run, RunAnswer, StartOptions } from '#engine';
import type { RunError, RunEvent } from '#shared/run-event.ts';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunRequest } from '../../../flows/service/run-request.ts';

type Distribute<T> = T extends unknown ? Omit<T, 'run' | 'seq' | 'at'> : never;
type EventDraft = Distribute<RunEvent>;

/** A run that is controlled by the test. */
export class FakeRun implements Run {
  readonly id: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  readonly startedAt: number;
  readonly options: StartOptions;
  readonly cancelled: CancelReason[] = [];
  /** All events, as the engine would report them. */
  readonly emitted: RunEvent[] = [];
  answer: RunAnswer | undefined = undefined;
  outcome: Outcome | undefined = undefined;
  private readonly host: Host;
  private readonly observers = new Set<(event: RunEvent) => void>();
  private readonly endFns: ((outcome: Outcome) => void)[] = [];
  private readonly answerFns: ((answer: RunAnswer) => void)[] = [];

  constructor(plan: Plan, options: StartOptions, host: Host) {
    this.id = options.id;
    this.flow = plan.flow;
    this.version = plan.version;
    this.trigger = plan.trigger;
    this.startedAt = host.now();
    this.options = options;
    this.host = host;
    if (options.observer) this.observers.add(options.observer);
    const { flow, version, trigger } = this;
    this.emit({ kind: 'run-started', flow, version, trigger, input: options.output });
  }

  /** Whether the run has an observer. */
  get observed(): boolean {
    return this.observers.size > 0;
  }

  emit(draft: EventDraft): void {
    const event = { run: this.id, seq: this.emitted.length + 1, at: this.host.now(), ...draft } as RunEvent;
    this.emitted.push(event);
    for (const observer of this.observers) observer(event);
  }

  output(value: unknown, node = 'work'): void {
    this.emit({ kind: 'node-output', node, port: 'out', value });
  }

  respond(answer: RunAnswer): void {
    this.answer = answer;
    for (const fn of this.answerFns) fn(answer);
  }

  finish(status: Outcome['status'] = 'ok', error?: RunError): void {
    if (this.answer === undefined) this.respond(error ? { kind: 'error', error } : { kind: 'empty' });
    const ms = this.host.now() - this.startedAt;
    const nodes = { ok: 1, failed: error ? 1 : 0, skipped: 0 };
    this.outcome = { status, error, ms, nodes };
    this.emit({ kind: 'run-finished', status, ms, nodes, ...(error && { error }) });
    for (const fn of this.endFns) fn(this.outcome);
  }

  onAnswer(fn: (answer: RunAnswer) => void): void {
    if (this.answer) fn(this.answer);
    else this.answerFns.push(fn);
  }

  onEnd(fn: (outcome: Outcome) => void): void {
    if (this.outcome) fn(this.outcome);
    else this.endFns.push(fn);
  }

  observe(fn: (event: RunEvent) => void): () => void {
    for (const event of this.emitted.slice()) fn(event);
    this.observers.add(fn);
    return () => this.observers.delete(fn);
  }

  events(): RunEvent[] {
    return this.emitted.slice();
  }

  leave(): void {
    this.observers.clear();
  }

  /** Only notes the reason; the test ends the run itself. */
  cancel(reason: CancelReason): void {
    this.cancelled.push(reason);
  }

  endClock(): boolean {
    return false;
  }
}

/** Replaces the engine. `script` is what a run does before `start` returns. */
export function createFakeEngine(script: (run: FakeRun) => void = () => {}) {
  const runs: FakeRun[] = [];
  return {
    runs,
    /** The latest run. */
    get last(): FakeRun {
      const run = runs.at(-1);
      if (run === undefined) throw new Error('no run was started');
      return run;
    },
    start(plan: Plan, options: StartOptions, host: Host): Run {
      const run = new FakeRun(plan, options, host);
      runs.push(run);
      script(run);
      return run;
    },
  };
}

/** A live flow with one trigger node of the given name. */
export function fakeFlow(id = 'hello', settings: Flow['settings'] = {}, trigger = 'trigger'): LiveFlow {
  const version = 'v1';
  const plan = { flow: id, version, trigger } as Plan;
  const nodes = { [trigger]: { operator: 'trigger.manual' } };
  return {
    id,
    version,
    flow: { format: 1, id, nodes, edges: [], settings },
    compiled: { id, version, plans: new Map([[trigger, plan]]) },
  };
}

export function fakeRequest(flow: LiveFlow, more: Partial<RunRequest> = {}): RunRequest {
  return { flow, trigger: 'trigger', request: {}, output: { name: 'Ada' }, source: 'http', ...more };
}
