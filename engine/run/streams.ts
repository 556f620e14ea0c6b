import { WeftError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { END, isAsyncIterable, type ItemStream, itemStream, PENDING } from '../base/item-stream.ts';
import { DEAD, type Step } from '../plan/plan.ts';
import { ABORT_GRACE_MS, type Attempt, CLOCK_EVERY, type OpenStreams, type RunCore, Slice } from './state.ts';
import { BUFFER, type Reader, type StreamHost, type StreamPace, StreamSource } from './stream.ts';

/** The default number of items that a consumer may be behind. */
const MAX_BUFFER = 10_000;
/** How many streams poll each other in one turn, one below the other, before they start over on a fresh stack. */
const MAX_DEPTH = 64;

/** How a step's last stream ended. `unread`: no step reads the stream that failed, so its failure is handled here. */
export interface StepEnd {
  readonly error: unknown;
  readonly unread: boolean;
  /** All of the step's streams have ended. */
  readonly last: boolean;
}

/** The open streams of a run. */
export class Streams implements OpenStreams, StreamHost {
  readonly pace: Pace;
  readonly open = new Set<StreamSource>();
  readonly maxBuffer: number;
  private readonly run: RunCore;
  private readonly onEnd: (call: Attempt, end: StepEnd) => void;
  /** How many streams of a step are open. */
  private readonly perStep = new Map<Step, number>();
  /** Streams that no step reads. */
  private readonly unread = new WeakSet<StreamSource>();
  private readonly deadlock: Deadlock;
  /** Producers that were asked to stop and have not ended. */
  private endings = 0;

  constructor(run: RunCore, onEnd: (call: Attempt, end: StepEnd) => void) {
    this.run = run;
    this.onEnd = onEnd;
    this.maxBuffer = run.plan.settings.maxStreamBuffer ?? MAX_BUFFER;
    this.pace = new Pace(run.host, () => {
      for (const source of this.open) source.wake();
    });
    this.deadlock = new Deadlock(run, this);
  }

  /** The streams of a run, created when the first one opens. */
  static of(run: RunCore, onEnd: (call: Attempt, end: StepEnd) => void): Streams {
    if (run.streams instanceof Streams) return run.streams;
    const streams = new Streams(run, onEnd);
    run.streams = streams;
    return streams;
  }

  isOpen(step: Step): boolean {
    return this.perStep.has(step);
  }

  /** Streams that flow. */
  get count(): number {
    return this.open.size;
  }

  /** A producer was asked to stop and has not ended yet. */
  get isEnding(): boolean {
    return this.endings > 0;
  }

  /** Puts a step's outputs into its slots. The streams start to flow when the returned function is called. */
  emit(call: Attempt, opening: Opening): () => void {
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

  /** A stream that no step reads: it is for the caller if it is the result, otherwise it is read to its end. */
  handOut(source: StreamSource, step: Step, slot: number): void {
    const { plan, values } = this.run;
    const reader = source.take('');
    this.unread.add(source);
    values[slot] = reader;
    if (plan.hasRespond || !plan.leaves.includes(step)) drain(reader);
  }

  /** The ends of the items of a step, with a reader for each of its outputs. It is no output itself. */
  part(call: Attempt, stream: ItemStream): StreamSource {
    const { pace } = this;
    const host: StreamHost = {
      pace,
      item: () => {},
      ended: (source) => {
        this.open.delete(source);
        this.changed();
      },
      ending: (source, ending) => this.ending(source, ending),
      waits: (held) => this.waits(held),
      changed: () => this.changed(),
    };
    const readers = { count: call.step.ports.length, limit: Math.min(BUFFER, this.maxBuffer) };
    const source = new StreamSource({ call, port: 'items', stream }, readers, host);
    this.open.add(source);
    return source;
  }

  private add(call: Attempt, { stream }: OpenedStream, at: number): StreamSource {
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

  /** A step or a stream ended, or something came to rest that may have moved until now. */
  changed(): void {
    this.deadlock.changed();
  }

  // ------------------------------------------------------------------------------------------- reports of the streams

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
      call.abort(new WeftError('run_cancelled', `Nobody reads the output of “${call.step.title}”.`));
    this.changed();
    this.onEnd(call, { error, unread: this.unread.has(source), last: left === 0 });
  }

  /** Waits for a stopped producer as long as for any aborted step. */
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
      this.run.noteAbandoned(call.step);
      finish();
    });
    void ending.then(finish);
  }

  waits(held: boolean): void {
    this.deadlock.waits(held);
  }
}

/** Reads an unused stream to its end, so that its producer finishes. */
function drain(reader: Reader): void {
  try {
    for (let item = reader.poll(); item !== END; item = reader.poll()) {
      if (item === PENDING) return reader.whenReady(() => drain(reader));
    }
  } catch {
    // The failure has reached the run through the end of the stream.
  }
}

// ---------------------------------------------------------------------------------------------------- opening

/** A stream output, and the poll that makes it count as emitted: its first item or `END`; `PENDING` until then. */
export interface OpenedStream {
  readonly stream: ItemStream;
  first: unknown;
}

/**
 * The streams that a step returned, until each has given its first item or its end. From then on the outputs count as
 * emitted; until then a failure is the step's own.
 */
export class Opening {
  /** By the step's ports: a stream, a plain value, or `DEAD`. */
  readonly outputs: readonly (OpenedStream | { readonly plain: unknown })[];

  /** @throws WeftError `bad_output` if a value came in place of a stream, or a stream in place of a value. */
  constructor(step: Step, result: unknown) {
    const record = (step.single ? {} : (result ?? {})) as Record<string, unknown>;
    this.outputs = step.ports.map((port, i) => openOutput(step, i, step.single ? result : record[port]));
  }

  /** Whether all outputs have been emitted. Throws the first failure. */
  isReady(): boolean {
    let ready = true;
    for (const output of this.outputs) {
      if (!('stream' in output)) continue;
      if (output.first === PENDING) output.first = output.stream.poll();
      if (output.first === PENDING) ready = false;
    }
    return ready;
  }

  /** Waits for all outputs. If `signal` aborts, they are no longer needed, and silent streams are closed too. */
  async ready(signal: AbortSignal): Promise<this> {
    let wake = (): void => {};
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted && !this.isReady()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.whenChanged(resolve);
        });
      }
    } catch (error) {
      this.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (signal.aborted) this.close();
    return this;
  }

  close(): void {
    for (const output of this.outputs) if ('stream' in output) void output.stream.close();
  }

  private whenChanged(wake: () => void): void {
    for (const output of this.outputs)
      if ('stream' in output && output.first === PENDING) output.stream.whenReady(wake);
  }
}

function openOutput(step: Step, at: number, value: unknown): Opening['outputs'][number] {
  if (value === undefined) return { plain: DEAD };
  if (isAsyncIterable(value) === (step.streamPorts[at] === true))
    return isAsyncIterable(value) ? { stream: itemStream(value), first: PENDING } : { plain: value };
  const [gave, is] = isAsyncIterable(value) ? ['a stream', 'one value'] : ['one value', 'a stream'];
  throw new WeftError(
    'bad_output',
    `${step.type} gave ${gave} for its output ${step.ports[at]}, which is ${is}.`,
  );
}

// ------------------------------------------------------------------------------------------------------- pace

/**
 * When the streams of a run move.
 *
 * W1. Wake-ups are never nested: they run soon, one after the other, so that a long chain of streams does not overflow the
 *     stack.
 * W2. A turn ends after a time slice, so that other work can run; `paused` is then set until the host calls again.
 */
class Pace implements StreamPace {
  paused = false;
  /** How many streams are polling each other right now. */
  depth = 0;
  private readonly host: Host;
  private readonly onResume: () => void;
  private pulls = 0;
  private readonly slice = new Slice();
  private queue: (() => void)[] = [];

  constructor(host: Host, onResume: () => void) {
    this.host = host;
    this.onResume = onResume;
  }

  /** Whether something will move on its own. */
  get isBusy(): boolean {
    return this.paused || this.queue.length > 0;
  }

  get isDeep(): boolean {
    return this.depth >= MAX_DEPTH;
  }

  /** Whether a producer may be polled in this turn. */
  mayPull(): boolean {
    if (this.paused) return false;
    return ++this.pulls % CLOCK_EVERY !== 0 || !this.sliceIsOver();
  }

  /** Calls `fn` in this turn, after the current work. */
  later(fn: () => void): void {
    if (this.queue.push(fn) === 1) void Promise.resolve().then(() => this.runQueue());
  }

  private runQueue(): void {
    const { queue } = this;
    for (let i = 0; i < queue.length; i++) (queue[i] as () => void)();
    this.queue = [];
  }

  private sliceIsOver(): boolean {
    if (!this.slice.isOver(this.host.now())) return false;
    this.paused = true;
    this.host.defer(() => {
      this.paused = false;
      this.onResume();
    });
    return true;
  }
}

// --------------------------------------------------------------------------------------------------- deadlock

/**
 * Detects a run that is stuck because consumers of one stream wait for each other, and lets one of them continue.
 *
 * H1. It does nothing while items flow: it only checks after a consumer had to wait for another one's full buffer, and then once
 *     per turn in which something started to wait, was woken, came to rest or ended.
 * H2. A run is stuck if a stream is held back and no step, no producer and no caller can move on its own.
 * H3. Then a waiting step is started although all slots are taken, since the steps that hold them do nothing. If there is none,
 *     the smallest full buffer grows; if none may grow, the run fails and names both edges.
 */
class Deadlock {
  private readonly run: RunCore;
  private readonly streams: Streams;
  private isSuspected = false;
  private isLooking = false;

  constructor(run: RunCore, streams: Streams) {
    this.run = run;
    this.streams = streams;
  }

  waits(held: boolean): void {
    if (held) this.isSuspected = true;
    this.changed();
  }

  changed(): void {
    if (!this.isSuspected || this.isLooking) return;
    this.isLooking = true;
    this.run.host.defer(() => {
      this.isLooking = false;
      this.look();
    });
  }

  private look(): void {
    const { run } = this;
    if (run.outcome || run.stopping !== undefined) return;
    const held = [...this.streams.open].filter(
      (source) => source.held && source.readers.some((r) => r.waits),
    );
    this.isSuspected = held.length > 0;
    if (held.length === 0 || this.isAnyoneActive()) return;
    // The following may wake no reader, so there is another check.
    this.changed();
    if (this.streams.pace.isBusy || run.startHeldBack()) return;
    const smallest = held.map(fullest).reduce((a, b) => (b.limit < a.limit ? b : a));
    if (smallest.limit >= this.streams.maxBuffer) this.fail(smallest);
    else smallest.grow(Math.min(2 * smallest.limit, this.streams.maxBuffer));
  }

  private fail(full: Reader): void {
    const { run } = this;
    const { source } = full;
    const waiting = source.readers.find((reader) => reader.waits) as Reader;
    const to = inputOf(run, full);
    const message =
      `${source.name} → ${to} is ${full.limit} items behind and waits for ${source.name} → ${inputOf(run, waiting)}, ` +
      `which needs further items; collect the stream before ${to}, or raise settings.maxStreamBuffer of the flow.`;
    run.stop('failed', {
      code: 'stream_buffer_full',
      message,
      node: to.split('.')[0] as string,
      via: source.call.node,
    });
    run.settleEnd();
  }

  private isAnyoneActive(): boolean {
    const { run, streams } = this;
    for (const call of run.calls ?? [])
      if (!waitsForStream(call) && run.recordedOrder?.isHeldUp(call) !== true) return true;
    for (const source of streams.open) source.watch();
    for (const source of streams.open) {
      if (source.awaited && !source.isHeldUp && !waitsForStream(source.call)) return true;
      if (isWithCaller(run, source)) return true;
    }
    return false;
  }
}

function waitsForStream(call: Attempt): boolean {
  return call.readers?.some((reader) => reader.waits) === true;
}

/** The caller has this stream as its answer and may pull whenever it likes. */
function isWithCaller({ answer }: RunCore, source: StreamSource): boolean {
  return answer?.kind === 'value' && source.readers.some((reader) => reader === answer.body && !reader.waits);
}

/** For a held stream: the full reader with the smallest limit. */
function fullest(source: StreamSource): Reader {
  return source.readers.filter((r) => r.isFull).reduce((a, b) => (b.limit < a.limit ? b : a));
}

/** The input that a reader feeds, as `node.port`; for a step that has not started, from the plan. */
function inputOf(run: RunCore, reader: Reader): string {
  if (reader.to !== undefined) return reader.to;
  for (const step of run.plan.steps) {
    if ((run.open[step.index] as number) < 0) continue;
    const port = step.inputs.find((input) =>
      input.sources.some((slot) => run.values[slot] === reader.source),
    );
    if (port) return `${step.id}.${port.name}`;
  }
  return 'a step';
}
