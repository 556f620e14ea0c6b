import { type Step } from '../compile/plan.ts';
import { type ItemStream } from '../item-stream.ts';
/** A stream output and the poll that makes it count as emitted: its first item or `END`; `PENDING` until then. */
export interface OpenedStream {
  readonly stream: ItemStream;
  first: unknown;
}
/**
 * What a step with stream outputs returned, until each stream has given its first item or its end: from then on the outputs
 * count as emitted; until then a failure is the step's own.
 */
export declare class Opening {
  /** By the step's ports: a stream, a plain value, or `DEAD`. */
  readonly outputs: readonly (
    | OpenedStream
    | {
        readonly plain: unknown;
      }
  )[];
  /** @throws WeftError `bad_output` where a stream was promised and something else came, or the other way round. */
  constructor(step: Step, result: unknown);
  /** Whether all outputs are there. Throws the first failure. */
  isReady(): boolean;
  /** Waits for all outputs; `isOver` says that nobody wants them any more. */
  ready(isOver: () => boolean): Promise<this>;
  close(): void;
  private change;
}
/** Tells the streams in something that a step returned, and that is not wanted any more, to stop. */
export declare function discard(step: Step, result: unknown): void;
export declare function isEmpty({ first }: OpenedStream): boolean;
