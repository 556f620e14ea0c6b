import { DEAD, type Step } from '../compile/plan.ts';
import type { WeftError } from '../errors.ts';
import type { NodeCall } from './call.ts';
import { isAsyncIterable, type Reader, StreamSource } from './stream.ts';

/** A stream output whose first item or end is there. */
interface Opened {
  readonly iterator: AsyncIterator<unknown>;
  readonly first: IteratorResult<unknown>;
}

/** What a step with stream outputs gave, by port: opened streams, plain values, `DEAD`. */
export type Prepared = (Opened | { readonly plain: unknown })[];

/**
 * Pulls the first item of each stream that a step returned: from then on the output counts as emitted; until then a failure is
 * the step's own.
 */
export async function prepareStreams(step: Step, result: unknown): Promise<Prepared> {
  const record = step.single ? undefined : ((result ?? {}) as Record<string, unknown>);
  return Promise.all(
    step.ports.map(async (port) => {
      const value = record ? record[port] : result;
      if (!isAsyncIterable(value)) return { plain: value === undefined ? DEAD : value };
      const iterator = value[Symbol.asyncIterator]();
      return { iterator, first: await iterator.next() };
    }),
  );
}

/** The open streams of a run. */
export class Streams {
  private readonly open = new Map<StreamSource, NodeCall>();
  private readonly onEnd: (call: NodeCall, error: unknown) => void;
  private readonly onItem: (call: NodeCall, port: string, count: number, value: unknown) => void;

  constructor(on: {
    end(call: NodeCall, error: unknown): void;
    item(call: NodeCall, port: string, count: number, value: unknown): void;
  }) {
    this.onEnd = on.end;
    this.onItem = on.item;
  }

  isOpen(step: Step): boolean {
    for (const call of this.open.values()) if (call.step === step) return true;
    return false;
  }

  get count(): number {
    return this.open.size;
  }

  /** Puts a step's prepared outputs into its slots. `isResult`: a leaf's stream is kept for the caller, else drained. */
  emit(call: NodeCall, prepared: Prepared, slots: unknown[], isResult: boolean): void {
    const { step } = call;
    prepared.forEach((output, i) => {
      slots[step.out + i] = 'plain' in output ? output.plain : this.add(call, output, i, isResult);
    });
  }

  private add(
    call: NodeCall,
    { iterator, first }: Opened,
    port: number,
    isResult: boolean,
  ): StreamSource | Reader {
    const { step } = call;
    const name = step.ports[port] as string;
    const edges = step.fanOut[port] ?? 0;
    // A stream may end with its first pull, before there is a source to look up.
    const made: { source?: StreamSource; early?: { error: unknown } } = {};
    const source = new StreamSource({ producer: step.id, iterator, first }, Math.max(1, edges), {
      item: (count, value) => this.onItem(call, name, count, value),
      end: (_, error) => {
        if (made.source) this.ended(made.source, error);
        else made.early = { error };
      },
    });
    made.source = source;
    this.open.set(source, call);
    if (made.early) this.ended(source, made.early.error);
    if (edges > 0) return source;
    const reader = source.take();
    if (!isResult) void drain(reader);
    return reader;
  }

  private ended(source: StreamSource, error: unknown): void {
    const call = this.open.get(source);
    this.open.delete(source);
    if (call && ![...this.open.values()].includes(call)) this.onEnd(call, error);
  }

  /** Stops every producer. */
  cancel(reason: WeftError): void {
    for (const [source, call] of [...this.open]) {
      call.abort(reason);
      source.cancel(reason);
    }
  }
}

/** Reads a stream that nobody wants to its end, so that its producer finishes. */
async function drain(reader: Reader): Promise<void> {
  try {
    while (!(await reader.next()).done);
  } catch {
    // The failure has reached the run through the end of the stream.
  }
}
