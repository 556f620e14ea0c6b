import type { Step } from '../plan/plan.ts';
import { WeftError } from '../errors.ts';
import { END, PENDING } from '../item-stream.ts';
import type { NodeCall } from './call.ts';
import { Deadlock } from './deadlock.ts';
import type { OpenedStream, Opening } from './opening.ts';
import { Pace } from './pace.ts';
import type { RunState } from './run.ts';
import { ABORT_GRACE_MS } from './state.ts';
import { leaveAlone } from './stop.ts';
import type { Reader } from './reader.ts';
import { BUFFER, type StreamHost, StreamSource } from './stream.ts';

/** Items that a consumer may be behind at most, where the flow does not say. */
const MAX_BUFFER = 10_000;

/** How a step's last stream ended. `unread`: no step reads the stream that failed, so nobody else handles its failure. */
export interface StepEnd {
  readonly error: unknown;
  readonly unread: boolean;
  /** All of the step's streams are through. */
  readonly last: boolean;
}

/** The open streams of a run. */
export class Streams implements StreamHost {
  readonly pace: Pace;
  readonly open = new Set<StreamSource>();
  readonly maxBuffer: number;
  private readonly run: RunState;
  private readonly onEnd: (call: NodeCall, end: StepEnd) => void;
  /** How many streams of a step are open. */
  private readonly perStep = new Map<Step, number>();
  /** Streams that no step reads. */
  private readonly unread = new WeakSet<StreamSource>();
  private readonly deadlock: Deadlock;
  /** Producers that were told to stop and have not ended. */
  private endings = 0;

  constructor(run: RunState, onEnd: (call: NodeCall, end: StepEnd) => void) {
    this.run = run;
    this.onEnd = onEnd;
    this.maxBuffer = run.plan.settings.maxStreamBuffer ?? MAX_BUFFER;
    this.pace = new Pace(run.host, () => {
      for (const source of this.open) source.wake();
    });
    this.deadlock = new Deadlock(run, this);
  }

  isOpen(step: Step): boolean {
    return this.perStep.has(step);
  }

  /** Streams that flow. */
  get count(): number {
    return this.open.size;
  }

  /** A producer was told to stop and has not ended yet. */
  get isEnding(): boolean {
    return this.endings > 0;
  }

  /** Puts a step's outputs into its slots. The streams begin to flow when what it returns is called. */
  emit(call: NodeCall, opening: Opening): () => void {
    const { values } = this.run;
    const { step } = call;
    const starts: (() => void)[] = [];
    opening.outputs.forEach((output, i) => {
      if (!('stream' in output)) {
        values[step.out + i] = output.plain;
        return;
      }
      const source = this.add(call, output, i);
      values[step.out + i] = source;
      starts.push(() => source.start(output.first));
      if ((step.fanOut[i] ?? 0) === 0) starts.push(() => this.handOut(source, step, step.out + i));
    });
    return () => {
      for (const start of starts) start();
    };
  }

  /** A stream that no step reads: for the caller where it is the result, else it is read to its end. */
  handOut(source: StreamSource, step: Step, slot: number): void {
    const { plan, values } = this.run;
    const reader = source.take('');
    this.unread.add(source);
    values[slot] = reader;
    if (plan.hasRespond || !plan.leaves.includes(step)) drain(reader);
  }

  private add(call: NodeCall, { stream }: OpenedStream, at: number): StreamSource {
    const { step } = call;
    const readers = { count: Math.max(1, step.fanOut[at] ?? 0), limit: Math.min(BUFFER, this.maxBuffer) };
    const source = new StreamSource({ call, port: step.ports[at] as string, stream }, readers, this);
    this.open.add(source);
    this.perStep.set(step, (this.perStep.get(step) ?? 0) + 1);
    return source;
  }

  /** Stops every producer. */
  cancel(reason: WeftError): void {
    for (const source of [...this.open]) {
      source.call.abort(reason);
      source.cancel(reason);
    }
  }

  /** A step or a stream ended. */
  changed(): void {
    this.deadlock.changed();
  }

  // ------------------------------------------------------------------------------------------- what the streams tell

  item(source: StreamSource): void {
    if (this.run.observed) this.run.recorder.chunk(source.call.step, source.port, source.count);
  }

  ended(source: StreamSource, { error, stopped }: { error: unknown; stopped: boolean }): void {
    const { call } = source;
    this.open.delete(source);
    const left = (this.perStep.get(call.step) ?? 1) - 1;
    if (left > 0) this.perStep.set(call.step, left);
    else this.perStep.delete(call.step);
    if (left === 0 && stopped)
      call.abort(new WeftError('run_cancelled', `Nobody reads what ${call.node} gives.`));
    this.changed();
    this.onEnd(call, { error, unread: this.unread.has(source), last: left === 0 });
  }

  /** Waits for a stopped producer as long as for any step that was aborted. */
  ending({ call }: StreamSource, ending: Promise<unknown>): void {
    this.endings++;
    let over = false;
    const finish = (): void => {
      if (over) return;
      over = true;
      stopTimer();
      this.endings--;
      this.run.settleEnd();
    };
    const stopTimer = this.run.host.timer(ABORT_GRACE_MS, () => {
      leaveAlone(this.run, call.step);
      finish();
    });
    void ending.then(finish);
  }

  waits(held: boolean): void {
    this.deadlock.waits(held);
  }
}

/** Reads a stream that nobody wants to its end, so that its producer finishes. */
function drain(reader: Reader): void {
  try {
    for (let item = reader.poll(); item !== END; item = reader.poll()) {
      if (item === PENDING) return reader.whenReady(() => drain(reader));
    }
  } catch {
    // The failure has reached the run through the end of the stream.
  }
}
