import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';

const MAX_SECONDS = 60;

/** How long the answer waits for a client that reconnects, in milliseconds; `X-Weft-Resume` requests it in seconds. */
export function readResume({ headers }: FastifyRequest): number {
  const given = headers['x-weft-resume'];
  if (given === undefined) return 0;
  const seconds = typeof given === 'string' && /^\d{1,2}$/.test(given) ? Number(given) : Number.NaN;
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw new ServiceError('invalid_request', `X-Weft-Resume takes whole seconds, 1 to ${MAX_SECONDS}.`, {
    param: 'x-weft-resume',
  });
}

/** The number of the last event that the client got, from `Last-Event-ID`: 0 for none. */
export function readLastEvent({ headers }: FastifyRequest, run: string): number {
  const given = headers['last-event-id'];
  if (given === undefined || given === '') return 0;
  const text = String(given);
  const number = text.startsWith(`${run}:`) ? text.slice(run.length + 1) : text;
  if (/^\d{1,9}$/.test(number)) return Number(number);
  throw new ServiceError('invalid_request', 'Last-Event-ID must be the `id` of an event of this stream.', {
    param: 'last-event-id',
  });
}
