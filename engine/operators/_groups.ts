import type { Lazy } from '../base/operator.ts';
import { identityOf } from './_identity.ts';
import { ITEMS_A_STEP } from './_list.ts';

/** Items with the same key. */
export interface Group {
  readonly key: unknown;
  readonly items: unknown[];
}

/** The groups of a list, in the order of their first items; a missing key counts as null. */
export function* groupsOf(list: readonly unknown[], by: Lazy): Generator<undefined, Group[], undefined> {
  const groups = new Map<unknown, Group>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const key = by({ item, index }) ?? null;
    const identity = identityOf(key);
    const group = groups.get(identity);
    if (group) group.items.push(item);
    else groups.set(identity, { key, items: [item] });
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return [...groups.values()];
}
