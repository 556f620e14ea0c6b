import type { FastifyReply } from 'fastify';
import type { Run } from '#engine';
import { ServiceError } from '../errors/errors.ts';
import { takeOver } from '../answers/stream-answer.ts';
import { streamFormats } from '../answers/stream-format.ts';
import { createStreamOutlet, type StreamLimits, type StreamOutlet } from '../answers/stream-outlet.ts';
import { Outbox } from './outbox.ts';

/** Streams that may be gone on with, at once: each holds up to half a megabyte of events. */
const MAX_KEPT = 200;

const PING = ': ping\n\n';
const HEADERS = { ...streamFormats.sse.headers, 'content-type': 'text/event-stream; charset=utf-8' };

/** Who may come back for a stream, and how long it waits for that. */
export interface DeliveryTerms {
  readonly run: Pick<Run, 'id' | 'cancel'>;
  readonly owner: string;
  /** 0: a client that goes away ends the run. */
  readonly keepMs: number;
  readonly limits: StreamLimits;
}

/**
 * The way of one streamed answer to its client, over as many connections as that one needs.
 * CD1. Without a client for `keepMs` the run is cancelled, and the stream forgotten.
 * CD2. A stream whose events were all written is kept for `keepMs` more: the last ones may not have arrived.
 */
export class Delivery {
  readonly outbox: Outbox;
  readonly terms: DeliveryTerms;
  private readonly forget: () => void;
  private readonly deadline: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(terms: DeliveryTerms, forget: () => void) {
    this.terms = terms;
    this.forget = forget;
    this.deadline = Date.now() + terms.limits.totalMs;
    this.outbox = new Outbox(terms.run.id, terms.keepMs > 0);
  }

  /**
   * Takes the reply over and sends what follows that event, or, where nothing does yet, a sign of life if `greets`. Throws,
   * before anything was sent, what `Outbox.check` throws.
   */
  connect(reply: FastifyReply, after: number, greets: boolean): void {
    const { outbox, terms } = this;
    outbox.check(after);
    clearTimeout(this.timer);
    const raw = takeOver(reply, 200, HEADERS);
    const totalMs = Math.max(0, this.deadline - Date.now());
    const outlet: StreamOutlet = createStreamOutlet(
      raw,
      { ping: PING },
      { ...terms.limits, totalMs },
      {
        gone: () => this.gone(outlet),
        stalled: () => terms.run.cancel('stalled'),
      },
    );
    if (greets) raw.write(PING);
    outbox.attach(outlet, after);
    if (outbox.isOver) this.wait();
  }

  /** The connection is lost, before or after it was taken over. */
  lost(): void {
    if (this.terms.keepMs === 0) this.drop();
    else this.wait();
  }

  end(): void {
    this.outbox.end();
    if (this.terms.keepMs > 0) this.wait();
    else this.forget();
  }

  /** Nobody gets any more of it. */
  drop(): void {
    clearTimeout(this.timer);
    this.terms.run.cancel('disconnect');
    this.outbox.abandon();
    this.forget();
  }

  private gone(outlet: StreamOutlet): void {
    if (this.outbox.detach(outlet)) this.lost();
  }

  private wait(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.timeOut(), this.terms.keepMs).unref();
  }

  private timeOut(): void {
    if (!this.outbox.hasClient) this.drop();
    else if (this.outbox.isOver) this.wait();
  }
}

/** Streams on their way, by run. */
export interface Deliveries {
  /** `keepMs` as it is granted: 0 where too many are kept already. */
  open(terms: DeliveryTerms): Delivery;
  /** The stream of a run, for who may have it. Throws `stream_not_kept`. */
  find(run: string, owner: string): Delivery;
}

export function createDeliveries(): Deliveries {
  const kept = new Map<string, Delivery>();
  return {
    open(terms) {
      const { id } = terms.run;
      const keepMs = kept.size < MAX_KEPT ? terms.keepMs : 0;
      const delivery = new Delivery({ ...terms, keepMs }, () => kept.delete(id));
      if (keepMs > 0) kept.set(id, delivery);
      return delivery;
    },
    find(run, owner) {
      const found = kept.get(run);
      if (found?.terms.owner !== owner) throw new ServiceError('stream_not_kept');
      return found;
    },
  };
}
