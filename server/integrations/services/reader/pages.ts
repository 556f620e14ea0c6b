import type { JsonSchema } from '#shared/json.ts';
import { type Document, record } from './document.ts';
import type { MadeCall } from './described.ts';
import type { Schemas } from './schemas.ts';

/** Recognises how a list goes on from page to page, by what most APIs do. */

interface Read {
  readonly parameters: MadeCall['parameters'];
  readonly answer: { readonly as: string; readonly schema: JsonSchema };
  readonly schemas: Schemas;
  readonly hasLink: boolean;
}

/** The pages, and the params that the runner fills in. */
interface Found {
  readonly pages: Record<string, unknown>;
  readonly takes: readonly string[];
}

const SIZES = [
  'per_page',
  'perPage',
  'page_size',
  'pageSize',
  'maxResults',
  'max_results',
  'limit',
  'count',
  'size',
  '$top',
];
/** Fields of an answer with a cursor, and the params that take it. */
const CURSORS: readonly (readonly [path: string, params: readonly string[]])[] = [
  ['nextPageToken', ['pageToken', 'page_token']],
  ['next_page_token', ['page_token', 'pageToken']],
  ['next_cursor', ['cursor', 'start_cursor']],
  ['nextCursor', ['cursor']],
  ['response_metadata.next_cursor', ['cursor']],
  ['paging.next.after', ['after']],
  ['meta.next_cursor', ['cursor']],
  ['pagination.next_cursor', ['cursor']],
  ['next_token', ['next_token', 'pagination_token']],
  ['nextToken', ['nextToken']],
  ['cursor', ['cursor']],
  ['offset', ['offset']],
];
const ADDRESSES = ['next', 'links.next', '_links.next.href', 'next_page_url', 'paging.next'];

export function pagesOf(read: Read): Found | undefined {
  if (read.answer.as !== 'json') return undefined;
  const at = new PagedCall(read);
  const items = at.items();
  return items === undefined ? undefined : nextOf(at, read.hasLink, items);
}

/** A call with its answer, whose definitions are in place. */
class PagedCall {
  private readonly definitions: Readonly<Record<string, unknown>>;
  private readonly inQuery: ReadonlyMap<string, MadeCall['parameters'][number]>;
  private readonly answer: JsonSchema;

  constructor({ parameters, answer, schemas }: Read) {
    this.definitions = schemas.definitions();
    this.answer = answer.schema;
    const queried = parameters.filter((one) => one.in === 'query');
    this.inQuery = new Map(queried.map((one) => [one.wire ?? one.name, one]));
  }

  takes(name: string): boolean {
    return this.inQuery.has(name);
  }

  /** Where the list is: a field, an empty text for the answer itself, undefined if there is none. */
  items(): string | undefined {
    const top = this.root(this.answer);
    if (top['type'] === 'array') return '';
    const lists = Object.entries(record(top['properties'])).filter(
      ([, one]) => this.root(one)['type'] === 'array',
    );
    const [name] = lists.length === 1 ? (lists[0] ?? []) : (lists.find(([one]) => LISTS.has(one)) ?? []);
    return name?.includes('.') === true ? undefined : name;
  }

  field(path: string): Document | undefined {
    let at = this.root(this.answer);
    for (const name of path.split('.')) {
      const properties = record(at['properties']);
      if (!Object.hasOwn(properties, name)) return undefined;
      at = this.root(properties[name]);
    }
    return at;
  }

  found(items: string, next: Record<string, unknown>, ...takes: string[]): Found {
    const sizeName = SIZES.find((name) => this.takes(name));
    const most =
      sizeName === undefined ? undefined : this.root(this.inQuery.get(sizeName)?.schema)['maximum'];
    const isMost = typeof most === 'number' && most >= 1 && most <= 10_000;
    return {
      pages: {
        ...(items !== '' && { items }),
        next,
        ...(sizeName !== undefined && { size: { to: sizeName, most: isMost ? Math.floor(most) : 100 } }),
      },
      takes: [...takes, ...(sizeName === undefined ? [] : [sizeName])].map(
        (name) => this.inQuery.get(name)?.name ?? name,
      ),
    };
  }

  hasSize(): boolean {
    return SIZES.some((name) => this.takes(name));
  }

  private root(schema: unknown): Document {
    let at = record(schema);
    for (let hops = 0; hops < 50 && typeof at['$ref'] === 'string'; hops++)
      at = record(this.definitions[at['$ref'].replace('#/definitions/', '')]);
    return at;
  }
}

function nextOf(at: PagedCall, hasLink: boolean, items: string): Found | undefined {
  if (hasLink) return at.found(items, { by: 'link' }, 'page');
  for (const [path, names] of CURSORS) {
    const to = names.find((name) => at.takes(name));
    if (to !== undefined && at.field(path) !== undefined)
      return at.found(items, { by: 'cursor', at: path, to }, to);
  }
  if (at.field('has_more') !== undefined && at.takes('starting_after')) {
    const next = { by: 'last', of: 'id', more: 'has_more', to: 'starting_after' };
    return at.found(items, next, 'starting_after', 'ending_before');
  }
  const address = ADDRESSES.find((path) => at.field(path)?.['type'] !== undefined);
  if (address !== undefined) return at.found(items, { by: 'address', at: address });
  if (at.takes('page')) return at.found(items, { by: 'page', to: 'page' }, 'page');
  return at.takes('offset') && at.hasSize()
    ? at.found(items, { by: 'offset', to: 'offset' }, 'offset')
    : undefined;
}

const LISTS = new Set(['items', 'data', 'results', 'records', 'values', 'entries', 'value']);
