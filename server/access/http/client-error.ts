import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { type ErrorCode, errorTable } from '#shared/errors.ts';
import { errorBody } from './envelope.ts';
import { maxUrlLength } from './platform.ts';
import { version } from './version.ts';
import { STATUS_CODES } from '../../base/process/node-http.ts';

/** Node's code for a request that takes too long. */
export const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Connections with an upload that arrives, whose time `upload-pace.ts` limits. */
export const uploading = new WeakSet<Socket>();

/** All methods of the server; the allowed methods of an address are not known here. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_INVALID_METHOD: 'method_not_allowed',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  [TOO_SLOW]: 'request_timeout',
};

/**
 * Answers requests that are not HTTP, too large or too slow, on the bare socket and in the usual format, and closes
 * the connection.
 */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  // Node reports a request that takes too long once, and then leaves it alone.
  if (error.code === TOO_SLOW && uploading.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = errorCode(error);
  const message = code === 'invalid_request' ? 'The request is not valid HTTP.' : errorTable[code].meaning;
  socket.end(rawAnswer(code, message));
}

/** A complete HTTP answer, for places with only a socket. */
export function rawAnswer(code: ErrorCode, message: string = errorTable[code].meaning): string {
  const { status } = errorTable[code];
  const body = JSON.stringify(errorBody(code, message));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Weft-Version: ${version}`,
    ...(status === 405 ? [`Allow: ${METHODS}`] : []),
    ...(status === 503 ? ['Retry-After: 5'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** The parser counts the address as a header, and mistakes bytes that are not HTTP for a method. */
function errorCode({ code, rawPacket }: ConnectionError): ErrorCode {
  const line = /^[A-Z]+ (\/[^\r\n ]*)/.exec(packetText(rawPacket));
  if (code === 'HPE_HEADER_OVERFLOW' && (line?.[1]?.length ?? 0) > maxUrlLength) return 'uri_too_long';
  if (code === 'HPE_INVALID_METHOD' && line === null) return 'invalid_request';
  return codes[code] ?? 'invalid_request';
}

/** Fastify declares the packet as JSON; it is Node's Buffer. */
function packetText(packet: unknown): string {
  return Buffer.isBuffer(packet) ? packet.toString('latin1') : '';
}
