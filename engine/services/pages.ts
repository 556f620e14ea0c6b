import { isRecord } from '#shared/json.ts';
import type { ServiceCall, ServicePages } from '#shared/service-file.ts';
import { WeftError } from '../base/operator.ts';
import { linkOf, resolved } from '../operators/http/_link.ts';
import type { Read } from './answer.ts';
import { fieldAt } from './fields.ts';
import type { Added } from './request.ts';

/** More pages than this are an error, so that no page is left out unnoticed. */
const MAX_PAGES = 1000;

/**
 * Reads items page by page, `limit` of them at most, and no page once there are enough. `ask` sends one request. Throws `bad_answer`,
 * `too_many_items`.
 */
export async function readPages(
  call: ServiceCall & { readonly pages: ServicePages },
  {
    limit,
    isEnough,
  }: { readonly limit: number; readonly isEnough?: ((items: readonly unknown[]) => boolean) | undefined },
  ask: (added: Added) => Promise<Read>,
): Promise<unknown[]> {
  const { pages } = call;
  const items: unknown[] = [];
  const seen = new Set<string>();
  let added: Added | undefined = firstPage(pages, limit);
  for (let page = 0; added !== undefined; page++) {
    if (page === MAX_PAGES)
      throw new WeftError('too_many_items', `There are more than ${MAX_PAGES} pages; ask for less.`);
    const key = JSON.stringify(added);
    if (seen.has(key))
      throw new WeftError('bad_answer', `Page ${page + 1} of ${call.title} is one that was read before.`);
    seen.add(key);
    const read = await ask(added);
    const list = listIn(call, read.body);
    items.push(...list);
    if (items.length >= limit) return items.slice(0, limit);
    if (isEnough?.(items) === true) return items;
    added = nextPage(pages, { read, list, count: items.length, page, left: limit - items.length });
  }
  return items;
}

function listIn({ pages, title }: ServiceCall, body: unknown): readonly unknown[] {
  const list = fieldAt(body, pages?.items);
  if (Array.isArray(list)) return list;
  // Some services leave an empty list out.
  if (pages?.items !== undefined && isRecord(body) && (list === undefined || list === null)) return [];
  throw new WeftError('bad_answer', `The answer of ${title} has no list at ${pages?.items ?? 'its top'}.`);
}

interface Before {
  readonly read: Read;
  readonly list: readonly unknown[];
  readonly count: number;
  readonly page: number;
  readonly left: number;
}

function firstPage(pages: ServicePages, limit: number): Added {
  const { next } = pages;
  const first = next.by === 'page' ? added(next, next.first) : {};
  return together(first, sized(pages, limit));
}

function nextPage(pages: ServicePages, before: Before): Added | undefined {
  const following = followingPage(pages, before);
  if (following === undefined || following.url !== undefined) return following;
  return together(following, sized(pages, before.left));
}

function followingPage({ next, size }: ServicePages, before: Before): Added | undefined {
  const { read, list, count, page } = before;
  switch (next.by) {
    case 'link':
      return atAddress(linkOf(read.headers), read);
    case 'address':
      return atAddress(fieldAt(read.body, next.at), read);
    case 'cursor':
      return after(next, fieldAt(read.body, next.at));
    case 'last':
      return hasMore(next.more, size, before) ? after(next, fieldAt(list.at(-1), next.of)) : undefined;
    case 'page':
      return isLast(list, size) ? undefined : added(next, next.first + page + 1);
    case 'offset':
      return isLast(list, size) ? undefined : added(next, count);
  }
}

/** `more` of the answer says it; otherwise a page with fewer items than were asked for is the last one. */
function hasMore(
  more: string | undefined,
  size: ServicePages['size'],
  { read, list, left }: Before,
): boolean {
  if (more !== undefined) return fieldAt(read.body, more) === true;
  return list.length >= Math.min(size?.most ?? 1, left + list.length);
}

function atAddress(address: unknown, { url }: Read): Added | undefined {
  return isThere(address) ? { url: resolved(String(address), url) } : undefined;
}

function after(to: To, cursor: unknown): Added | undefined {
  return isThere(cursor) ? added(to, cursor) : undefined;
}

function isThere(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** A page that is not full is the last one, if we know how many items a full one has. */
function isLast(list: readonly unknown[], size: ServicePages['size']): boolean {
  return list.length === 0 || (size !== undefined && list.length < size.most);
}

interface To {
  readonly to: string;
  readonly in: 'query' | 'body';
}

function added({ to, in: place }: To, value: unknown): Added {
  return { [place]: { [to]: value } };
}

/** Pages with numbers must all have the same size. */
function sized({ size, next }: ServicePages, left: number): Added {
  if (size === undefined) return {};
  const isCounted = next.by === 'page' || next.by === 'offset';
  return added(size, isCounted ? size.most : Math.min(size.most, left));
}

function together(one: Added, other: Added): Added {
  const query = { ...one.query, ...other.query };
  const body = { ...one.body, ...other.body };
  return {
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(body).length > 0 && { body }),
  };
}
