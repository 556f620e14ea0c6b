import { WeftError } from '#engine';
import { type DestinationLimits, limitsOf, type OutboundLimits } from './limits.ts';
import type { Target } from './target.ts';

/** Calls whose answer is read at once, and calls whose answer is read at the reader's pace. */
export type CallKind = 'calls' | 'streams';

/** The activity of one origin. */
export interface OriginCounts {
  readonly origin: string;
  readonly calls: number;
  readonly streams: number;
  readonly queued: number;
}

/** Releases the connection of one call; a second call of it does nothing. */
export type GiveBack = () => void;

/**
 * Decides which call gets a connection, and when.
 * OP1. An origin has no more calls in progress than its limit; streamed answers are counted separately from the
 *      others.
 * OP2. Flows take turns: each waiting flow gets one connection before any of them gets its next one. Within a
 *      flow, first come, first served.
 * OP3. A call that ends while it waits is forgotten in the same turn.
 * OP4. If too many wait, the newest call of the flow with the most of them is refused.
 */
export interface Places {
  /** Resolves at once if one is free. Rejects with `outbound_busy`, or with the signal's reason. */
  take(target: Target, kind: CallKind, flow: string, signal: AbortSignal): GiveBack | Promise<GiveBack>;
  /** Origins with calls in progress or waiting. */
  counts(): OriginCounts[];
}

/** The places for these limits, in memory; see `Places`. */
export function createPlaces(settings: OutboundLimits): Places {
  const originQueues = new Map<string, OriginQueue>();
  return {
    take(target, kind, flow, signal) {
      const key = `${kind} ${target.origin}`;
      let originQueue = originQueues.get(key);
      if (originQueue === undefined) {
        const limits = limitsOf(target, settings);
        originQueue = new OriginQueue(target.origin, kind, limits, () => originQueues.delete(key));
        originQueues.set(key, originQueue);
      }
      return originQueue.take(flow, signal);
    },
    counts() {
      const found = new Map<string, { origin: string; calls: number; streams: number; queued: number }>();
      for (const { origin, kind, open, queued } of originQueues.values()) {
        const counts = found.get(origin) ?? { origin, calls: 0, streams: 0, queued: 0 };
        counts[kind] = open;
        counts.queued += queued;
        found.set(origin, counts);
      }
      return [...found.values()];
    },
  };
}

interface Waiting {
  readonly flow: string;
  go(giveBack: GiveBack): void;
  refuse(error: WeftError): void;
}

/** The calls of one kind to one origin. */
class OriginQueue {
  open = 0;
  queued = 0;
  readonly origin: string;
  readonly kind: CallKind;
  private readonly limits: DestinationLimits;
  private readonly onEmpty: () => void;
  /** By flow, in the order of their turns; no set is empty. */
  private readonly flows = new Map<string, Set<Waiting>>();

  constructor(origin: string, kind: CallKind, limits: DestinationLimits, onEmpty: () => void) {
    this.origin = origin;
    this.kind = kind;
    this.limits = limits;
    this.onEmpty = onEmpty;
  }

  take(flow: string, signal: AbortSignal): GiveBack | Promise<GiveBack> {
    if (this.open < this.limits[this.kind]) return this.begin();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.drop(waiting);
        reject(signal.reason as Error);
      };
      const end = (): void => signal.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        flow,
        go(giveBack) {
          end();
          resolve(giveBack);
        },
        refuse(error) {
          end();
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.add(waiting);
    });
  }

  private begin(): GiveBack {
    this.open++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.open--;
      this.next();
    };
  }

  private next(): void {
    const [turn] = this.flows;
    if (turn === undefined) {
      if (this.open === 0) this.onEmpty();
      return;
    }
    const [flow, line] = turn;
    const [waiting] = line;
    if (waiting === undefined) return;
    this.drop(waiting);
    // To the end of the round, after the other flows.
    if (this.flows.delete(flow)) this.flows.set(flow, line);
    waiting.go(this.begin());
  }

  private add(waiting: Waiting): void {
    const line = this.flows.get(waiting.flow);
    if (line === undefined) this.flows.set(waiting.flow, new Set([waiting]));
    else line.add(waiting);
    this.queued++;
    if (this.queued > this.limits.queue) this.refuseOne(waiting);
  }

  private drop(waiting: Waiting): void {
    const line = this.flows.get(waiting.flow);
    if (line?.delete(waiting) !== true) return;
    this.queued--;
    if (line.size === 0) this.flows.delete(waiting.flow);
  }

  private refuseOne(last: Waiting): void {
    let longest = this.flows.get(last.flow);
    for (const line of this.flows.values()) if (line.size > (longest?.size ?? 0)) longest = line;
    const newest = (longest?.has(last) === true ? last : [...(longest ?? [])].at(-1)) ?? last;
    this.drop(newest);
    const { calls, streams, queue } = this.limits;
    const inUse = this.kind === 'calls' ? `${calls} calls` : `${streams} streamed answers`;
    newest.refuse(
      new WeftError(
        'outbound_busy',
        `${inUse} to ${this.origin} are in progress and ${queue} more wait; WEFT_OUTBOUND_LIMITS allows more.`,
      ),
    );
  }
}
