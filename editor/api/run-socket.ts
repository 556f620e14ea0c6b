import { z } from 'zod';
import { Gap } from '#shared/api.ts';
import { RunEvent, RunSummary } from '#shared/run-event.ts';

/**
 * The websocket that tells what happens in all runs of a flow.
 * S1. Items come in order of their cursor, each once, over all connections; what the server has lost comes as a gap.
 * S2. A lost connection is opened again, sooner at first, and resumes behind the last cursor.
 * S3. A connection that says nothing is asked for a sign of life, and given up without one.
 */
export interface RunSocket {
  /** Tries again at once; for when the browser says that it is online, or the tab is looked at again. */
  retry(): void;
  close(): void;
}

export type FeedItem =
  | { readonly cursor: number; readonly event: RunEvent }
  | {
      readonly cursor: number;
      readonly event: { readonly kind: 'run-summary'; readonly summary: RunSummary };
    }
  | z.infer<typeof Gap>;

/** The part of a browser's WebSocket that is used. */
export type SocketLike = Pick<WebSocket, 'onopen' | 'onmessage' | 'onclose' | 'onerror' | 'send' | 'close'>;

export interface RunSocketDeps {
  open(path: string): SocketLike;
  /** Calls back after `ms`; gives what calls it off. */
  timer(ms: number, fn: () => void): () => void;
  random(): number;
}

export interface RunSocketEvents {
  onItems(items: readonly FeedItem[]): void;
  /** `resumed`: what was missed since the last connection follows. Else nothing is known of what happened before. */
  onOpen(resumed: boolean): void;
  onLost(): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const SILENCE_MS = 25_000;
const ANSWER_MS = 10_000;

const Summary = z.object({ kind: z.literal('run-summary'), summary: RunSummary });
const Item = z.object({ cursor: z.number(), event: z.union([RunEvent, Summary]) });

export function openRunSocket(flow: string, events: RunSocketEvents, deps: RunSocketDeps): RunSocket {
  let socket: SocketLike | undefined;
  let cursor: number | undefined;
  let closed = false;
  let tries = 0;
  let callOff = (): void => {};

  function wait(ms: number, fn: () => void): void {
    callOff();
    callOff = deps.timer(ms, fn);
  }

  function connect(): void {
    callOff();
    const after = cursor === undefined ? '' : `&after=${cursor}`;
    const opened = deps.open(`/api/v1/runs/stream?flow=${encodeURIComponent(flow)}${after}`);
    socket = opened;
    opened.onopen = () => {
      events.onOpen(after !== '');
      listen();
    };
    opened.onmessage = ({ data }) => {
      tries = 0;
      listen();
      receive(String(data));
    };
    opened.onclose = () => opened === socket && lost();
    opened.onerror = () => {};
  }

  /** Waits for the next message; asks for one after a while, then gives up. */
  function listen(): void {
    wait(SILENCE_MS, () => {
      socket?.send('ping');
      wait(ANSWER_MS, lost);
    });
  }

  function lost(): void {
    drop();
    events.onLost();
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries++);
    wait(ms * (0.75 + deps.random() / 2), connect);
  }

  /** Lets go of the connection; nothing that it still says counts. */
  function drop(): void {
    callOff();
    if (!socket) return;
    const old = socket;
    socket = undefined;
    old.onopen = old.onmessage = old.onclose = null;
    old.close();
  }

  function receive(text: string): void {
    const items = readItems(text).filter((item) => {
      const at = 'cursor' in item ? item.cursor : item.to;
      const isNew = 'kind' in item || cursor === undefined || at > cursor;
      if (isNew) cursor = at;
      return isNew;
    });
    if (items.length > 0) events.onItems(items);
  }

  connect();
  return {
    retry() {
      if (closed || socket) return;
      tries = 0;
      connect();
    },
    close() {
      closed = true;
      drop();
    },
  };
}

/** What a message holds that this editor knows; anything else is left out. */
function readItems(text: string): FeedItem[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const schema = typeof one === 'object' && one !== null && 'cursor' in one ? Item : Gap;
    const item = schema.safeParse(one);
    return item.success ? [item.data as FeedItem] : [];
  });
}
