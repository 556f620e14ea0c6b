import { WebSocket } from 'ws';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { FeedItem } from '../../../execution/watching/feed-ring.ts';
import type { Gap } from '../../../execution/history/follower.ts';
import { type ExitCode, type Io, printable } from '../io.ts';
import { addressOf, keptApiKey, type ServerOptions, unreachable } from '../local/running-server.ts';
import { errorText, runEventText } from '../show/run-event-text.ts';

export interface WatchOptions extends ServerOptions {
  /** Only runs of this flow. */
  readonly flow: string | undefined;
  readonly json: boolean;
}

/** `weft watch`: prints every run of a server as it happens, until Ctrl-C or the server stops. */
export async function watch(options: WatchOptions, io: Io): Promise<ExitCode> {
  const signal = io.stopSignal();
  const url = await addressOf(options, io);
  const socket = new WebSocket(streamOf(url, options.flow), {
    headers: { authorization: `Bearer ${options.key ?? keptApiKey(io)}` },
  });
  signal.addEventListener('abort', () => socket.close());
  const starts = new Map<string, number>();
  socket.on('open', () =>
    io.stderr.write(`watching ${options.flow ?? 'all flows'} at ${url}; Ctrl-C stops\n`),
  );
  socket.on('message', (data: Buffer) => {
    for (const item of JSON.parse(data.toString()) as (FeedItem | Gap)[]) {
      io.stdout.write(`${options.json ? JSON.stringify(item) : itemText(item, starts)}\n`);
    }
  });
  return new Promise((done) => {
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      const refused = response.statusCode === 401 || response.statusCode === 403;
      const remedy = refused
        ? ' Set WEFT_API_KEY to a key with the scope runs:read; the server printed one on its first start.'
        : '';
      io.stderr.write(`error: the server refused with status ${response.statusCode}.${remedy}\n`);
      done(1);
    });
    socket.on('error', (error) => {
      io.stderr.write(`error: ${unreachable(url, error)}\n`);
      done(1);
    });
    socket.on('close', () => done(signal.aborted ? 0 : 1));
  });
}

function streamOf(url: string, flow: string | undefined): URL {
  const stream = new URL('/api/v1/runs/stream', url);
  stream.protocol = stream.protocol === 'https:' ? 'wss:' : 'ws:';
  if (flow !== undefined) stream.searchParams.set('flow', flow);
  return stream;
}

function itemText(item: FeedItem | Gap, starts: Map<string, number>): string {
  if (!('event' in item)) return `… events ${item.from} to ${item.to} are missing: ${item.reason}`;
  const { event } = item;
  return event.kind === 'run-summary' ? summaryText(event.summary) : eventText(event, starts);
}

function summaryText({ run, flow, status, ms, error }: RunSummary): string {
  return printable(
    `${run}  ${flow} ${status}${ms === undefined ? '' : ` in ${ms} ms`}${error ? ` ${errorText(error)}` : ''}`,
  );
}

function eventText(event: RunEvent, starts: Map<string, number>): string {
  const startedAt = starts.get(event.run) ?? event.at;
  if (event.kind === 'run-finished') starts.delete(event.run);
  else starts.set(event.run, startedAt);
  return `${event.run}  ${runEventText(event, startedAt)}`;
}
