import { DEAD, type Step } from '../plan/plan.ts';
import { WeftError } from '../errors.ts';
import { isAsyncIterable, type ItemStream, itemStream, PENDING } from '../item-stream.ts';

/** A stream output and the poll that makes it count as emitted: its first item or `END`; `PENDING` until then. */
export interface OpenedStream {
  readonly stream: ItemStream;
  first: unknown;
}

/**
 * What a step with stream outputs returned, until each stream has given its first item or its end: from then on the outputs
 * count as emitted; until then a failure is the step's own.
 */
export class Opening {
  /** By the step's ports: a stream, a plain value, or `DEAD`. */
  readonly outputs: readonly (OpenedStream | { readonly plain: unknown })[];

  /** @throws WeftError `bad_output` where a stream was promised and something else came, or the other way round. */
  constructor(step: Step, result: unknown) {
    // A lifted step gives the one stream that was made of its runs.
    const whole = step.single || step.lifted;
    const record = (whole ? {} : (result ?? {})) as Record<string, unknown>;
    this.outputs = step.ports.map((port, i) =>
      openOutput(step, i, whole ? (i === 0 ? result : undefined) : record[port]),
    );
  }

  /** Whether all outputs are there. Throws the first failure. */
  isReady(): boolean {
    let ready = true;
    for (const output of this.outputs) {
      if (!('stream' in output)) continue;
      if (output.first === PENDING) output.first = output.stream.poll();
      if (output.first === PENDING) ready = false;
    }
    return ready;
  }

  /** Waits for all outputs; when `signal` aborts nobody wants them any more, and silent streams are closed too. */
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
