import type { FastifyReply } from 'fastify';
import type { Run } from '#engine';
import { ServiceError } from '../../base/errors/errors.ts';
import { hijack } from '../../access/answers/stream-answer.ts';
import { streamFormats } from '../../access/answers/stream-format.ts';
import type { StreamLimits } from '../../access/http/stream-limits.ts';
import { createStreamOutlet, type StreamOutlet } from '../../access/answers/stream-outlet.ts';
import { Outbox } from './outbox.ts';

/** The most resumable streams at once: each holds up to half a megabyte of events. */
const MAX_KEPT = 200;

const PING = ': ping\n\n';
const HEADERS = { ...streamFormats.sse.headers, 'content-type': 'text/event-stream; charset=utf-8' };

/** The owner of a stream, and how long the stream waits for a client. */
export interface DeliveryTerms {
  readonly run: Pick<Run, 'id' | 'cancel'>;
  readonly owner: string;
  /** In milliseconds; 0 if the run ends when the client disconnects. */
  readonly keepMs: number;
  readonly limits: StreamLimits;
}

/**
 * Delivers one streamed answer to its client, over as many connections as necessary.
 * CD1. After `keepMs` without a client the run is cancelled, and the stream forgotten.
 * CD2. A completely written stream is kept for another `keepMs`, because its last events may not have arrived.
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
   * Takes over the reply and sends the events after the given one; if there are none yet, it sends a sign of life if
   * `greets`. Throws the errors of `Outbox.check` before anything was sent.
   */
  connect(reply: FastifyReply, after: number, greets: boolean): void {
    const { outbox, terms } = this;
    outbox.check(after);
    clearTimeout(this.timer);
    const raw = hijack(reply, 200, HEADERS);
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

  /** Call it when the connection is lost, before or after it was taken over. */
  lost(): void {
    if (this.terms.keepMs === 0) this.drop();
    else this.wait();
  }

  end(): void {
    this.outbox.end();
    if (this.terms.keepMs > 0) this.wait();
    else this.forget();
  }

  /** Ends the delivery: no client gets any more of it. */
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

/** Streams in progress, by run. */
export interface Deliveries {
  /** The granted `keepMs` is 0 if too many streams are kept already. */
  open(terms: DeliveryTerms): Delivery;
  /** The stream of a run, for its owner. Throws `stream_not_kept`. */
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
