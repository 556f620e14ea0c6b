import type { Untrusted } from '../../base/secrets/store.ts';
import type { Access } from './access.ts';

/**
 * Why an unpublished run does not count as published; undefined if all its writers, and its starter, may
 * publish. `writers` and `starter` are `Caller.owner`s.
 */
export function distrust(
  { ownerHasScope }: Pick<Access, 'ownerHasScope'>,
  { writers, starter }: { readonly writers: readonly string[]; readonly starter: string },
): Untrusted | undefined {
  if (!writers.every((writer) => ownerHasScope(writer, 'flows:publish'))) return 'writer';
  return ownerHasScope(starter, 'flows:publish') ? undefined : 'starter';
}
