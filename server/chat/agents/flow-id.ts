import { parseObject } from './parse-object.ts';

/**
 * The id of a flow as apps give it: the id itself, or an object (also as JSON text) with `uid`, `flow` or `id`.
 * Undefined without one.
 */
export function flowIdOf(value: unknown): string | undefined {
  const named = parseObject(value);
  const id = named ? (named['uid'] ?? named['flow'] ?? named['id']) : value;
  return typeof id === 'string' && id.trim() !== '' ? id.trim() : undefined;
}
