import type { Draft } from 'immer';
import { parsePath } from '#engine/check';
import type { Doc, EdgeId } from './document.ts';
import { edgeIn } from './edit.ts';

/** The field of a value that an edge carries; undefined if the value has none. Without `pick`, the whole value. */
export function picked(value: unknown, pick: string | undefined): unknown {
  if (pick === undefined) return value;
  let at: unknown = value;
  for (const key of parsePath(pick) ?? []) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}

/** Makes an edge carry a field; an empty text makes it carry the whole value. */
export function setPick(draft: Draft<Doc>, id: EdgeId, pick: string): void {
  const edge = edgeIn(draft.flow as Doc['flow'], id);
  if (!edge) return;
  if (pick === '') delete edge.pick;
  else edge.pick = pick;
}
