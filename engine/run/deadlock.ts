import type { NodeCall } from './call.ts';
import type { RunState } from './run.ts';
import { stop } from './stop.ts';
import type { Reader } from './reader.ts';
import type { StreamSource } from './stream.ts';
import type { Streams } from './streams.ts';

/**
 * Finds out that a run stands still because consumers of one stream wait for each other, and gives them room.
 *
 * D1. Nothing is done while items flow: it looks only after a consumer had to wait for another one's full buffer, and then
 *     once in a turn in which somebody began to wait or ended.
 * D2. A run stands still when a stream is held back and no step, no producer and no caller could move by itself.
 * D3. Then a step that waits for its turn is started, although all slots are taken: those who hold them do nothing. If there is
 *     none the smallest full buffer grows; where none may grow the run fails and names both edges.
 */
export class Deadlock {
  private readonly run: RunState;
  private readonly streams: Streams;
  private isSuspected = false;
  private isLooking = false;

  constructor(run: RunState, streams: Streams) {
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
    // What is done now may wake nobody, so there is another look.
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
    stop(run, 'failed', {
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
      if (!waitsForStream(call) && run.journaled?.isHeldUp(call) !== true) return true;
    for (const source of streams.open) {
      if (source.awaited && !waitsForStream(source.call)) return true;
      if (isWithCaller(run, source)) return true;
    }
    return false;
  }
}

function waitsForStream(call: NodeCall): boolean {
  return call.readers?.some((reader) => reader.waits) === true;
}

/** The caller has this stream as its answer and may pull whenever it likes. */
function isWithCaller({ answer }: RunState, source: StreamSource): boolean {
  return answer?.kind === 'value' && source.readers.some((reader) => reader === answer.body && !reader.waits);
}

/** Of a held stream: the full reader with the smallest limit. */
function fullest(source: StreamSource): Reader {
  return source.readers.filter((r) => r.isFull).reduce((a, b) => (b.limit < a.limit ? b : a));
}

/** The input that a reader feeds, as `node.port`; of a step that has not started it is looked up in the plan. */
function inputOf(run: RunState, reader: Reader): string {
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
