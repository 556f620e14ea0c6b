import type { WebSocket } from 'ws';
import type { Host } from '#engine';
import { ID_PATTERN } from '#shared/flow.ts';
import type { RunReads } from '../history/run-reads.ts';
import { RunSocket, type SocketLimits } from './run-socket.ts';
import type { RunWatches } from './run-watches.ts';
import { openSource } from './stream-source.ts';

interface LinkDeps {
  readonly runs: RunReads & RunWatches;
  readonly host: Host;
  readonly limits: SocketLimits;
  readonly wake: (channel: RunSocket) => void;
  readonly forget: (channel: RunSocket) => void;
  readonly failed: (error: unknown) => void;
}

const MAX_CHANNELS = 10_000;
const CUT_MS = 1000;

/**
 * Another server that follows runs of this one for its clients. One websocket has many channels; each is a feed of one
 * flow or of all, and is bounded and resumed like that of a client.
 * To this server: `{"open":<number>,"flow":…,"after":…}`, `{"close":<number>}`, and `{"where":<number>}` to ask for the
 * newest position. Back: lines, first the number of a channel, then its items, or `{"at":<position>}`, which a channel
 * without `after` gets first.
 */
export class FeedLink {
  private readonly ws: WebSocket;
  private readonly deps: LinkDeps;
  private readonly channels = new Map<number, RunSocket>();
  private missedPongs = 0;

  constructor(ws: WebSocket, deps: LinkDeps) {
    this.ws = ws;
    this.deps = deps;
  }

  pong(): void {
    this.missedPongs = 0;
  }

  answer(message: string): void {
    const { open, close, where, flow, after } = readMessage(message);
    if (close !== undefined) this.end(close);
    if (where !== undefined) this.sendHead(where);
    const isFlow = flow === undefined || (typeof flow === 'string' && ID_PATTERN.test(flow));
    if (open === undefined || !isFlow || this.channels.size >= MAX_CHANNELS) return;
    this.end(open);
    this.open(open, flow, after);
  }

  ping(): void {
    if (this.missedPongs++ >= 2) this.ws.terminate();
    else this.ws.ping();
  }

  close(code: number, reason: string): void {
    this.stop();
    this.ws.close(code, reason);
    const callOff = this.deps.host.timer(CUT_MS, () => this.ws.terminate());
    this.ws.once('close', callOff);
  }

  stop(): void {
    for (const number of [...this.channels.keys()]) this.end(number);
  }

  private open(number: number, flow: string | undefined, after: number | undefined): void {
    const { runs, host, limits, wake, failed } = this.deps;
    const at = after ?? this.sendHead(number);
    const source = openSource(runs, { kind: 'feed', flow, after: at, changes: false });
    const channel = new RunSocket(this.ws, source, at, {
      host,
      limits,
      wake,
      failed,
      // An item is JSON, so it has no line break.
      frames: (items) => [Buffer.from(`${number}\n${items.join('\n')}`)],
    });
    this.channels.set(number, channel);
    channel.follow();
  }

  private sendHead(number: number): number {
    const at = this.deps.runs.feedAt();
    this.ws.send(`${number}\n{"at":${at}}`);
    return at;
  }

  private end(number: number): void {
    const channel = this.channels.get(number);
    if (channel === undefined) return;
    channel.stop();
    this.deps.forget(channel);
    this.channels.delete(number);
  }
}

interface Message {
  readonly open?: number | undefined;
  readonly close?: number | undefined;
  readonly where?: number | undefined;
  readonly flow?: unknown;
  readonly after?: number | undefined;
}

/** Unknown fields and messages of a server of another version are ignored. */
function readMessage(text: string): Message {
  try {
    const { flow, ...fields } = JSON.parse(text) as Record<string, unknown>;
    const [open, close, where, after] = [
      fields['open'],
      fields['close'],
      fields['where'],
      fields['after'],
    ].map(whole);
    return { open, close, where, after, flow };
  } catch {
    return {};
  }
}

function whole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
