import type { Duplex } from 'node:stream';
import { ID_PATTERN } from '#shared/flow.ts';
import { errorBody } from '../../access/http/envelope.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { STATUS_CODES } from '../../base/process/node-http.ts';
import type { Position, StreamTarget } from './stream-source.ts';

const RUN_PATH = /^\/api\/v1\/runs\/([0-9a-z-]{1,64})\/stream$/;
const FEED_PATH = '/api/v1/runs/stream';
/** The path of a link between servers. A server of a version without it answers 404. */
export const LINK_PATH = '/api/v1/runs/streams';

/** Reads the address of an upgrade request. Throws `not_found` and `invalid_request`. */
export function readTarget(address: string): StreamTarget {
  const mark = address.indexOf('?');
  const path = mark < 0 ? address : address.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : address.slice(mark + 1));
  if (path === FEED_PATH) {
    const flow = readFlow(query);
    return { kind: 'feed', flow, after: readCursor(query), changes: readChanges(query, flow) };
  }
  if (path === LINK_PATH) return { kind: 'link' };
  const id = RUN_PATH.exec(path)?.[1];
  if (id === undefined) throw new ServiceError('not_found', 'There is no websocket at this address.');
  return { kind: 'run', id, after: readAfter(query) ?? 0 };
}

/** A cursor of several servers (`FeedCursors`): for each its tag and a position. */
const CURSOR = /^[0-9a-f]{10}-[0-9a-z]{1,11}(\.[0-9a-f]{10}-[0-9a-z]{1,11}){0,99}$/;

function readCursor(query: URLSearchParams): Position | undefined {
  const text = query.get('after');
  return text !== null && CURSOR.test(text) ? text : readAfter(query);
}

function readAfter(query: URLSearchParams): number | undefined {
  const text = query.get('after');
  if (text === null) return undefined;
  const after = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(after)) return after;
  throw new ServiceError('invalid_request', '`after` must be a whole number.', { param: 'after' });
}

function readFlow(query: URLSearchParams): string | undefined {
  const flow = query.get('flow') ?? undefined;
  if (flow === undefined || ID_PATTERN.test(flow)) return flow;
  throw new ServiceError('invalid_request', '`flow` must be the id of a flow.', { param: 'flow' });
}

function readChanges(query: URLSearchParams, flow: string | undefined): boolean {
  const text = query.get('changes');
  if (text === null || text === 'false') return false;
  if (text === 'true' && flow !== undefined) return true;
  const message = '`changes` must be true or false, and needs `flow`.';
  throw new ServiceError('invalid_request', message, { param: 'changes' });
}

/** Answers an upgrade request with an error, as HTTP. */
export function refuseUpgrade(socket: Duplex, error: ServiceError): void {
  const { code, message, param, detail, status } = error;
  const body = JSON.stringify(errorBody(code, message, { param, detail }));
  const headers = {
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that never closes its side must not hold the connection.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`);
}
