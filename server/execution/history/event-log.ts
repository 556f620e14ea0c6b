import type { RunEvent } from '#shared/run-event.ts';
import { createPieceMask } from '../../base/secrets/redact-value.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { RunValues } from './blobs/run-values.ts';
import { type EventFn, type Follower, give, givePast } from './follower.ts';
import { boundEvent, type RecordedEvent } from './recorded-event.ts';

/** An event and its text. */
export interface WrittenEvent {
  readonly event: RunEvent;
  readonly json: string;
}

/** Limits of one run's events. */
export interface EventLogLimits {
  /**
   * Above this many characters of one run's events, stream items and log lines are no longer stored; above twice as
   * many, nothing is.
   */
  readonly bytes: number;
}

const defaultLimits: EventLogLimits = { bytes: 8 * 1024 * 1024 };

/**
 * The events of an observed run in progress.
 * EL1. The engine's observer only queues: `settle` bounds and serializes an event later, once for all readers.
 * EL2. Stored events are past, and queued ones are still to come for everyone, so a follower may join at any time and
 *      sees neither gap nor repeat.
 * EL3. Storage is bounded; followers get every event anyway.
 */
export class EventLog {
  readonly kept: RecordedEvent[];
  /** The same events as objects, so that a new follower need not parse the texts. */
  readonly events: (RunEvent | undefined)[];
  /** How many of `kept` were handed to the history. */
  private written = 0;
  private queue: RunEvent[] = [];
  private bytes = 0;
  private readonly followers = new Set<Follower>();
  private readonly onEvent: () => void;
  private readonly limits: EventLogLimits;
  /** Masks secrets in the events. */
  redactor: Redactor | undefined;
  private pieces: ReturnType<typeof createPieceMask> | undefined = undefined;
  /** Large values of the events; undefined if only their beginnings are stored. */
  readonly values: RunValues | undefined;

  constructor(
    onEvent: () => void,
    {
      redactor,
      values,
      limits = defaultLimits,
      past = [],
    }: {
      redactor?: Redactor | undefined;
      values?: RunValues | undefined;
      limits?: EventLogLimits;
      /** Earlier events, which the history has. */
      past?: readonly RecordedEvent[];
    } = {},
  ) {
    this.kept = [...past];
    this.events = past.map(() => undefined);
    this.written = past.length;
    this.onEvent = onEvent;
    this.redactor = redactor;
    this.values = values;
    this.limits = limits;
  }

  /** The observer for the engine. */
  readonly observe = (event: RunEvent): void => {
    if (this.queue.push(event) === 1) this.onEvent();
  };

  /** Serializes the queued events and passes them to the followers; returns them for other readers. */
  settle(): readonly WrittenEvent[] {
    const batch = this.queue;
    if (batch.length === 0) return [];
    this.queue = [];
    const written = batch.map((event) => writeEvent(this.joined(event), this.redactor, this.values));
    for (const { event, json } of written) this.keep(event, json);
    for (const follower of this.followers)
      if (!written.every(({ event, json }) => give(follower, event, json))) this.followers.delete(follower);
    return written;
  }

  /** Emits the stored events after `after`, then later ones. */
  follow(after: number, fn: EventFn): () => void {
    const follower: Follower = { after, fn };
    if (givePast(follower, this)) this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  /** The events that were not handed to the history yet; from now on they count as handed over. */
  takeUnwritten(): readonly RecordedEvent[] {
    const events = this.written === 0 ? this.kept : this.kept.slice(this.written);
    this.written = this.kept.length;
    return events;
  }

  close(): void {
    this.followers.clear();
  }

  /** An item of a stream with masked secrets, including those that span several items. */
  private joined(event: RunEvent): RunEvent {
    if (event.kind !== 'node-chunk' || this.redactor?.active !== true) return event;
    this.pieces ??= createPieceMask(this.redactor);
    return { ...event, value: this.pieces(`${event.node}.${event.port}`, event.value) };
  }

  private keep(event: RunEvent, json: string): void {
    const { bytes } = this.limits;
    const chatty = event.kind === 'node-chunk' || event.kind === 'log';
    const full = this.bytes + json.length > (chatty ? bytes : 2 * bytes);
    if (full && event.kind !== 'run-finished') return;
    this.bytes += json.length;
    this.kept.push({ seq: event.seq, json });
    this.events.push(event);
  }
}

/** The event as it is stored and reported: bounded, with secrets masked. `values` stores large ones whole. */
export function writeEvent(event: RunEvent, redactor?: Redactor, values?: RunValues): WrittenEvent {
  const bounded = boundEvent(event, redactor, values);
  return { event: bounded, json: JSON.stringify(bounded) };
}
