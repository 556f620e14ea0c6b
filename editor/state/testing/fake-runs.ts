import type { FeedItem, SocketLike } from '../../api/run-socket.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { RunApi } from '../run-history.ts';

type Draft<T> = T extends unknown ? Omit<T, 'run' | 'seq' | 'at'> : never;
export type EventDraft = Draft<RunEvent>;

/** A clock that a test advances. */
export function fakeClock() {
  let now = 0;
  let timers: { at: number; fn: () => void }[] = [];
  return {
    now: () => now,
    timer(ms: number, fn: () => void) {
      const timer = { at: now + ms, fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms: number) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        now = next.at;
        next.fn();
      }
      now = end;
    },
  };
}

/** A socket whose other end is the test. */
export class FakeSocket implements SocketLike {
  onopen: SocketLike['onopen'] = null;
  onmessage: SocketLike['onmessage'] = null;
  onclose: SocketLike['onclose'] = null;
  readonly path: string;
  readonly sent: string[] = [];
  closed = false;
  /** Called when the client closes. */
  leave: () => void = () => {};

  constructor(path: string) {
    this.path = path;
  }

  get after(): number | undefined {
    const after = new URLSearchParams(this.path.split('?')[1]).get('after');
    return after === null ? undefined : Number(after);
  }

  send(data: unknown): void {
    this.sent.push(String(data));
  }

  close(): void {
    this.closed = true;
    this.leave();
  }

  open(): void {
    this.onopen?.call(this as never, {} as Event);
  }

  say(items: readonly unknown[]): void {
    this.onmessage?.call(this as never, { data: JSON.stringify(items) } as MessageEvent);
  }

  /** Breaks the connection. */
  break(): void {
    this.leave();
    this.onclose?.call(this as never, {} as CloseEvent);
  }
}

/** The server's side of runs: a feed with cursors that can forget, and a history that cannot. */
export class FakeRunServer {
  readonly flow = 'hello';
  readonly events = new Map<string, RunEvent[]>();
  readonly summaries = new Map<string, RunSummary>();
  private readonly feed: {
    cursor: number;
    event: RunEvent | { kind: 'run-summary'; summary: RunSummary };
  }[] = [];
  private readonly clients = new Set<FakeSocket>();
  private cursor = 1000;
  private runs = 0;
  private now = 1_700_000_000_000;

  readonly api: RunApi = {
    listRuns: async (_flow, limit, before) => {
      const all = [...this.summaries.values()].sort((a, b) => (a.run < b.run ? 1 : -1));
      const from = before === undefined ? all : all.filter(({ run }) => run < before);
      const runs = from.slice(0, limit);
      const last = runs.at(-1);
      return { runs, ...(last && runs.length === limit && { next: last.run }) };
    },
    getRun: async (id) => this.summaries.get(id) as RunSummary,
    getRunEvents: async (id, after) => {
      const rest = (this.events.get(id) ?? []).filter(({ seq }) => seq > after);
      return { events: rest.slice(0, 3), more: rest.length > 3 };
    },
  };

  start(trigger = 'request', input: unknown = {}): string {
    const run = `run${String(++this.runs).padStart(4, '0')}`;
    const { flow } = this;
    const startedAt = this.now + 1;
    const row = { run, flow, version: 'v1', trigger, source: 'http', startedAt, recorded: true } as const;
    this.summaries.set(run, { ...row, status: 'running' });
    this.events.set(run, []);
    this.say(run, { kind: 'run-started', flow, version: 'v1', trigger, input });
    return run;
  }

  say(run: string, draft: EventDraft): RunEvent {
    const events = this.events.get(run) ?? [];
    const event = { ...draft, run, seq: events.length + 1, at: ++this.now } as RunEvent;
    events.push(event);
    this.tell(event);
    return event;
  }

  finish(run: string, status: 'ok' | 'failed' = 'ok'): void {
    this.say(run, { kind: 'run-finished', status, ms: 5, nodes: { ok: 1, failed: 0, skipped: 0 } });
    const summary = { ...(this.summaries.get(run) as RunSummary), status, ms: 5 };
    this.summaries.set(run, summary);
    this.tell({ kind: 'run-summary', summary });
  }

  /** Leaves a durable run where it is. */
  park(run: string): void {
    const summary = { ...(this.summaries.get(run) as RunSummary), status: 'waiting' } as const;
    this.summaries.set(run, summary);
    this.tell({ kind: 'run-summary', summary });
  }

  /** Forgets all past items, as after a restart. */
  forget(): void {
    this.feed.length = 0;
    this.cursor += 1000;
  }

  /** Accepts a client, and sends the items that it has not seen. */
  accept(socket: FakeSocket): void {
    socket.leave = () => this.clients.delete(socket);
    this.clients.add(socket);
    socket.open();
    const { after } = socket;
    if (after === undefined) return;
    const first = this.feed[0]?.cursor ?? this.cursor + 1;
    const past: FeedItem[] = this.feed.filter(({ cursor }) => cursor > after) as FeedItem[];
    const isLost = after + 1 < first;
    const gap = { kind: 'gap' as const, from: after + 1, to: first - 1, reason: 'not-watched' };
    if (isLost || past.length > 0) socket.say(isLost ? [gap, ...past] : past);
  }

  private tell(event: FakeRunServer['feed'][number]['event']): void {
    const item = { cursor: ++this.cursor, event };
    this.feed.push(item);
    for (const client of this.clients) client.say([item]);
  }
}
