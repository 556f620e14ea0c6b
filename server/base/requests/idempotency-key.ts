import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors/errors.ts';

/** The `Idempotency-Key` of a request, if it has one. Throws `idempotency_key_invalid`. */
export function idempotencyKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new ServiceError('idempotency_key_invalid');
}
