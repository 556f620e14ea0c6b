import type { StreamOutlet } from '../../access/answers/stream-outlet.ts';
import { ServiceError } from '../../base/errors/errors.ts';

/** The most characters of events that a resumable stream keeps: sent ones, and as many again that are not sent yet. */
const KEPT = 256 * 1024;

/**
 * The events of one streamed answer on their way to its client.
 * OB1. Events are numbered from 1; if they are kept, each carries `<run>:<number>` as its id, otherwise only its data.
 *      A client gets them in order, each one once.
 * OB2. The producer waits until the client has accepted the earlier events; without a client, it waits once enough is
 *      kept.
 * OB3. If nothing is to be kept, an event is dropped when it has been sent.
 * OB4. After `abandon` nothing is kept, and the producer does not wait.
 * OB5. A client that resumes gets every event after the one it names, or an error; never less.
 */
export class Outbox {
  private readonly run: string;
  private readonly keeps: boolean;
  private kept: string[] = [];
  /** Characters of `kept`, and of the part of it that has not been sent. */
  private size = 0;
  private unsent = 0;
  /** Numbers of the latest event, and of the latest one sent to the current client. */
  private last = 0;
  private sent = 0;
  private client: StreamOutlet | undefined;
  /** The client has not accepted the sent events yet. */
  private writing = false;
  private over = false;
  private abandoned = false;
  private wake: (() => void) | undefined;

  constructor(run: string, keeps: boolean) {
    this.run = run;
    this.keeps = keeps;
  }

  /** Whether no event follows. */
  get isOver(): boolean {
    return this.over;
  }

  get hasClient(): boolean {
    return this.client !== undefined;
  }

  /**
   * Sends an event, with a name for readers that distinguish events by names. Returns a promise if the producer has to
   * wait before the next event.
   */
  send(data: string, name?: string): Promise<void> | undefined {
    if (this.abandoned) return undefined;
    this.last++;
    const id = this.keeps ? `id: ${this.run}:${this.last}\n` : '';
    const event = `${id}${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
    this.kept.push(event);
    this.size += event.length;
    this.unsent += event.length;
    this.flush();
    if (!this.isFull()) return undefined;
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Sends a sign of life: there is no event, but the producer is working. */
  alive(): void {
    this.client?.alive();
  }

  /** Ends the stream: no event follows. */
  end(): void {
    this.over = true;
    this.flush();
  }

  /** Ends the stream for good: no client will resume it. */
  abandon(): void {
    this.over = true;
    this.abandoned = true;
    this.kept = [];
    this.rouse();
  }

  /** Checks that every event after the given one is available. Throws `stream_gap` or `invalid_request`. */
  check(after: number): void {
    if (after > this.last) {
      throw new ServiceError('invalid_request', `The stream has ${this.last} events so far, not ${after}.`, {
        param: 'last-event-id',
      });
    }
    if (after < this.last - this.kept.length) throw new ServiceError('stream_gap');
  }

  /** Sends a client every event after the given one, which has passed `check`; the previous client gets nothing more. */
  attach(client: StreamOutlet, after = this.sent): void {
    this.client?.end();
    this.client = client;
    this.writing = false;
    this.sent = after;
    this.unsent = this.unsentEvents().reduce((sum, event) => sum + event.length, 0);
    this.flush();
    this.rouse();
  }

  /** Detaches a client that has left; false if it is not the current one. */
  detach(client: StreamOutlet): boolean {
    if (this.client !== client) return false;
    this.client = undefined;
    this.writing = false;
    this.rouse();
    return true;
  }

  private unsentEvents(): string[] {
    return this.kept.slice(this.kept.length - (this.last - this.sent));
  }

  private isFull(): boolean {
    if (this.abandoned) return false;
    return this.client === undefined ? this.unsent >= KEPT : this.writing;
  }

  private rouse(): void {
    if (this.isFull()) return;
    this.wake?.();
    this.wake = undefined;
  }

  private flush(): void {
    const { client } = this;
    if (client === undefined || this.writing) return;
    while (this.sent < this.last) {
      const event = this.kept[this.kept.length - (this.last - this.sent)] as string;
      this.sent++;
      this.unsent -= event.length;
      const taken = client.write(event);
      if (taken === undefined) continue;
      this.writing = true;
      void taken.then(() => this.taken(client));
      return;
    }
    this.forget();
    if (!this.over) return;
    this.client = undefined;
    client.end();
  }

  private taken(client: StreamOutlet): void {
    if (this.client !== client) return;
    this.writing = false;
    this.flush();
    this.rouse();
  }

  /** Drops sent events, oldest first. */
  private forget(): void {
    const limit = this.keeps ? KEPT : 0;
    let gone = 0;
    while (this.size > limit && gone < this.kept.length) this.size -= (this.kept[gone++] as string).length;
    if (gone > 0) this.kept = this.kept.slice(gone);
  }
}
