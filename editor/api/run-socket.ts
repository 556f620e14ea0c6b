import { z } from 'zod';
import { Gap } from '#shared/api.ts';
import { RunEvent, RunSummary } from '#shared/run-event.ts';

/** A number, or of several servers a text that only they read. */
type Cursor = number | string;

/** News about the runs of a flow: an event, the new state of a run for the list of runs, or a gap in the events. */
export type FeedItem =
  | { readonly cursor: Cursor; readonly event: RunEvent }
  | {
      readonly cursor: Cursor;
      readonly event: { readonly kind: 'run-summary'; readonly summary: RunSummary };
    }
  | FeedGap;

type FeedGap = z.infer<typeof Gap> & { readonly cursor?: Cursor | undefined };

/** The part of a browser's WebSocket that is used. */
export type SocketLike = Pick<WebSocket, 'onopen' | 'onmessage' | 'onclose' | 'send' | 'close'>;

/** The parts of a browser that the socket needs; tests have their own. */
export interface RunSocketDeps {
  /** Opens a websocket at a path of this server. */
  open(path: string): SocketLike;
  /** Calls back after `ms`; returns a function that cancels it. */
  timer(ms: number, fn: () => void): () => void;
  /** From 0 to 1; it spreads the attempts of many browsers to connect again. */
  random(): number;
}

/** The calls of a socket to its owner. */
export interface RunSocketEvents {
  onItems(items: readonly FeedItem[]): void;
  /** `resumed`: the events since the last connection follow. Otherwise nothing is known about the time in between. */
  onOpen(resumed: boolean): void;
  /** The connection is gone. The socket connects again by itself. */
  onLost(): void;
  /** Somebody changed the flow's file, draft or layout. Also sent after each connection; `null`: the flow is gone. */
  onFlowChanged(revision: string | null): void;
  /** Where several servers share a database: the ones whose runs come, and the ones whose runs do not for now. */
  onServers(servers: FeedServers): void;
}

/** Names of servers, as the list of servers has them. */
export interface FeedServers {
  readonly shown: readonly string[];
  readonly missing: readonly string[];
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const TRIES_WITH_CURSOR = 5;
const SILENCE_MS = 25_000;
const ANSWER_MS = 10_000;

const Summary = z.object({ kind: z.literal('run-summary'), summary: RunSummary });
const FlowChanged = z.object({ kind: z.literal('flow-changed'), revision: z.string().nullable() });
const Cursor = z.union([z.number(), z.string()]);
const Item = z.object({ cursor: Cursor, event: z.union([RunEvent, Summary]) });
const FeedGap = Gap.extend({ cursor: Cursor.optional() });
const Servers = z.object({
  kind: z.literal('servers'),
  cursor: Cursor,
  shown: z.array(z.string()),
  missing: z.array(z.string()),
});

/**
 * The websocket that reports the events of all runs of a flow.
 * RS1. Items come in order of their cursor, each once, over all connections; events that the server has lost are reported as
 *     a gap.
 * RS2. A lost connection is opened again, with growing delays, and resumes after the last cursor.
 * RS3. A silent connection is pinged, and given up if it does not answer.
 */
export class RunSocket {
  private readonly flow: string;
  private readonly events: RunSocketEvents;
  private readonly deps: RunSocketDeps;
  private socket: SocketLike | undefined;
  private cursor: Cursor | undefined;
  private closed = false;
  private tries = 0;
  private callOff = (): void => {};

  constructor(flow: string, events: RunSocketEvents, deps: RunSocketDeps) {
    this.flow = flow;
    this.events = events;
    this.deps = deps;
    this.connect();
  }

  /** Reconnects at once, for when the browser is online again or the tab becomes visible. */
  retry(): void {
    if (this.closed || this.socket) return;
    this.tries = 0;
    this.connect();
  }

  /** Ends the connection for good; nothing is reported any more. */
  close(): void {
    this.closed = true;
    this.drop();
  }

  private connect(): void {
    this.callOff();
    const resumes = this.cursor !== undefined;
    const after = resumes ? `&after=${this.cursor}` : '';
    const socket = this.deps.open(
      `/api/v1/runs/stream?changes=true&flow=${encodeURIComponent(this.flow)}${after}`,
    );
    this.socket = socket;
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.events.onOpen(resumes);
      this.listen();
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      this.tries = 0;
      this.listen();
      this.receive(String(data));
    };
    socket.onclose = () => socket === this.socket && this.lose();
  }

  private wait(ms: number, fn: () => void): void {
    this.callOff();
    this.callOff = this.deps.timer(ms, fn);
  }

  /** RS3 */
  private listen(): void {
    this.wait(SILENCE_MS, () => {
      this.socket?.send('ping');
      this.wait(ANSWER_MS, () => this.lose());
    });
  }

  /** RS2 */
  private lose(): void {
    this.drop();
    this.events.onLost();
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.tries++);
    // A server of another version may refuse a cursor that it does not know; what was missed is then read from the history.
    if (this.tries > TRIES_WITH_CURSOR) this.cursor = undefined;
    this.wait(ms * (0.75 + this.deps.random() / 2), () => this.connect());
  }

  private drop(): void {
    this.callOff();
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }

  private receiveServers(one: unknown): void {
    const { data } = Servers.safeParse(one);
    if (data === undefined) return;
    this.cursor = data.cursor;
    this.events.onServers(data);
  }

  /** RS1 */
  private receive(text: string): void {
    const list = readList(text);
    // A schema that refuses costs more than one that accepts, and nearly all are events.
    const others = list.filter((one) => !isEvent(one));
    const changes = others.flatMap((one) => FlowChanged.safeParse(one).data ?? []);
    const [last] = changes.slice(-1);
    if (last) this.events.onFlowChanged(last.revision);
    for (const one of others) this.receiveServers(one);
    const items = readItems(list).filter((item) => {
      const at = item.cursor ?? ('to' in item ? item.to : 0);
      const isNew = 'kind' in item || this.cursor === undefined || isBehind(this.cursor, at);
      if (isNew) this.cursor = at;
      return isNew;
    });
    if (items.length > 0) this.events.onItems(items);
  }
}

/** What is behind a text only the server knows, which tells each item once. */
function isBehind(cursor: Cursor, at: Cursor): boolean {
  return typeof cursor !== 'number' || typeof at !== 'number' || at > cursor;
}

function readList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

const isEvent = (one: unknown): boolean => typeof one === 'object' && one !== null && 'event' in one;

/** The content of a message, as far as this editor knows it; the rest is left out. */
function readItems(list: readonly unknown[]): FeedItem[] {
  return list.flatMap((one: unknown) => {
    const item = (isEvent(one) ? Item : FeedGap).safeParse(one);
    return item.success ? [item.data as FeedItem] : [];
  });
}
