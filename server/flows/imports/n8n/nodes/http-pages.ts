import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Reads, Unsayable } from '../expressions/reads.ts';
import { following, type Port } from '../graph.ts';
import { perItem, spreadItems } from '../items.ts';
import { asText } from '../params.ts';
import { type Answer, TEXT_AS_DATA } from './http-answers.ts';

/** Pagination of HTTP Request, as `http.pages`. */

/** A request for the item of an input. */
export interface Requested {
  readonly params: Record<string, unknown>;
  /** Notes that a node uses what the request is sent with. */
  readonly noteUses: (id: string) => void;
}

type RequestOf = (context: Context, input: Port | undefined) => Requested;

/** The items of all pages; undefined if it reads one page, or its way of paging cannot be said, which is told. */
export function paged(
  context: Context,
  input: Port | undefined,
  answer: Answer,
  requestOf: RequestOf,
): Port | undefined {
  const given = pagingOf(context);
  if (given === undefined) return undefined;
  const { step, params } = context;
  const why = whyNot(context, given, answer);
  if (why !== undefined) {
    context.changed('setting', `It read several pages, and reads the first one here: ${why}.`, {
      before: JSON.stringify(given),
      lost: true,
    });
    return undefined;
  }
  const read = (inside: Context, item: Port | undefined): Port => {
    const { params: sent, noteUses } = requestOf({ ...inside, params }, item);
    const node = { operator: 'http.pages', params: pagesOf(inside, item, { given, sent, answer }) };
    const id = inside.add(step.name, node);
    if (item) inside.wire(item, `${id}.in`);
    noteUses(id);
    const list = inside.add(`${step.name} pages`, {
      operator: 'core.unstreamify',
      params: { maxItems: MOST_ITEMS },
    });
    inside.wire(`${id}.out`, `${list}.in`);
    return inside.port(list, 'out', { card: 'many', mayBeEmpty: true, aligned: new Set([step.name]) });
  };
  if (input?.card !== 'many') return read(context, input);
  const lists = perItem(context, input, (inside, item) => read(inside, item));
  return spreadItems(context, { ...lists, ...following(input) }, 'many');
}

const MOST_ITEMS = 100_000;

type Paging = Readonly<Record<string, unknown>>;

function pagingOf({ params }: Context): Paging | undefined {
  const given = params.get('options.pagination.pagination') ?? params.get('options.pagination');
  params.skip('options.pagination');
  return isRecord(given) && given['paginationMode'] !== 'off' && Object.keys(given).length > 0
    ? given
    : undefined;
}

const isByAddress = (given: Paging): boolean => given['paginationMode'] === 'responseContainsNextURL';

interface Changing {
  readonly name: string;
  readonly value: unknown;
  readonly place: string;
}

/** The params that change from page to page. */
function changingOf(given: Paging): Changing[] {
  const list = isRecord(given['parameters']) ? given['parameters']['parameters'] : undefined;
  return (Array.isArray(list) ? list.filter(isRecord) : [])
    .map(({ name, value, type }) => ({
      name: asText(name ?? ''),
      value,
      place: asText(type ?? 'qs'),
    }))
    .filter(({ name }) => name !== '');
}

const methodOf = ({ params }: Context): string =>
  asText(params.get('method') ?? params.get('requestMethod') ?? 'GET').toUpperCase();

function whyNot(context: Context, given: Paging, answer: Answer): string | undefined {
  const method = methodOf(context);
  if (method !== 'GET' && method !== 'POST') return `pages are not read with ${method}`;
  if (answer.kind === 'file') return 'its pages are files';
  if (JSON.stringify(given).includes('$request')) return 'it goes by what it had sent ($request)';
  if (codesOf(given).some((code) => code >= 400)) return 'a failure ends its list';
  if (isByAddress(given)) return given['nextURL'] === undefined ? 'it names no next address' : undefined;
  const place = method === 'GET' ? 'qs' : 'body';
  const other = changingOf(given).find((one) => one.place !== place);
  if (other)
    return `“${other.name}” changes in another place than ${method === 'GET' ? 'the query' : 'the body'}`;
  return changingOf(given).length === 0 ? 'nothing changes from page to page' : undefined;
}

function codesOf(given: Paging): number[] {
  if (given['paginationCompleteWhen'] !== 'receiveSpecificStatusCodes') return [];
  return asText(given['statusCodesWhenComplete'] ?? '')
    .split(',')
    .map((code) => Number(code.trim()))
    .filter((code) => Number.isInteger(code) && code > 0);
}

interface Pages {
  readonly given: Paging;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
}

function pagesOf(
  context: Context,
  input: Port | undefined,
  { given, sent, answer }: Pages,
): Record<string, unknown> {
  const reads = context.reads(input);
  const field = sent['method'] === 'POST' ? 'body' : 'query';
  const { bodyType: _, body, ...request } = sent;
  const first = isByAddress(given) ? {} : firstFields(context, reads, changingOf(given));
  const before = sent[field];
  const fields =
    Object.keys(first).length === 0
      ? before
      : isRecord(before) || before === undefined
        ? { ...before, ...first }
        : `{{ { ...(${asText(before).slice(3, -3)}), ${Object.entries(first)
            .map(([name, value]) => `${JSON.stringify(name)}: ${value.slice(3, -3)}`)
            .join(', ')} } }}`;
  const limit = limitOf(context, reads, given);
  return {
    ...request,
    ...(sent['method'] === 'POST' && body !== undefined && { body }),
    ...(fields !== undefined && { [field]: fields }),
    items: `{{ ${itemsOfPage(answer)} }}`,
    next: `{{ ${[completeOf(context, reads, given), limit].filter(Boolean).join(' || ')} ? null : ${nextOf(context, reads, given)} }}`,
    ...(limit === undefined && { maxPages: 100_000 }),
    ...pauseOf(context, given),
  };
}

/** Before the first page there is no answer, so what is read of it is left out. */
function firstFields(context: Context, reads: Reads, changing: readonly Changing[]): Record<string, string> {
  const facts = pageReads(reads, { count: '0', answer: 'null' });
  return Object.fromEntries(
    changing
      .filter(({ value }) => !asText(value).includes('$response') || asText(value).includes('$pageCount'))
      .map(({ name, value }) => [name, `{{ ${context.expr(value, facts)} }}`]),
  );
}

function nextOf(context: Context, reads: Reads, given: Paging): string {
  const facts = pageReads(reads, { count: '(index + 1)', answer: 'item' });
  if (isByAddress(given)) return `(${context.expr(given['nextURL'], facts)})`;
  const fields = changingOf(given).map(
    ({ name, value }) => `${JSON.stringify(name)}: ${context.expr(value, facts)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

/** Whether a page is the last one; there an empty object is an answer like others. */
function completeOf(context: Context, reads: Reads, given: Paging): string {
  const when = given['paginationCompleteWhen'] ?? 'responseIsEmpty';
  if (when === 'receiveSpecificStatusCodes') return `${JSON.stringify(codesOf(given))}.includes(item.status)`;
  if (when === 'other') {
    const facts = pageReads(reads, { count: '(index + 1)', answer: 'item' });
    return `(${context.expr(given['completeExpression'], facts)})`;
  }
  return '(typeOf(item.body ?? null) != "object" && isEmpty(item.body ?? null))';
}

function limitOf(context: Context, reads: Reads, given: Paging): string | undefined {
  if (given['limitPagesFetched'] !== true) return undefined;
  return `index + 1 >= (${context.expr(given['maxRequests'] ?? 100, reads)})`;
}

function pauseOf(context: Context, given: Paging): { pauseMs?: number } {
  const pause = given['requestInterval'] ?? 0;
  const ms = Math.trunc(Number(pause));
  if (ms > 0) return { pauseMs: Math.min(ms, 3_600_000) };
  if (pause !== 0 && pause !== '')
    context.changed(
      'setting',
      'The pause between pages is worked out by an expression; here there is none.',
      {
        before: JSON.stringify(pause),
        lost: true,
      },
    );
  return {};
}

function itemsOfPage({ kind, property, isWhole }: Answer): string {
  if (kind === 'whole') return '[{ body: item.body, headers: item.headers, statusCode: item.status }]';
  if (kind === 'text') return `[{ ${JSON.stringify(property)}: item.body }]`;
  if (isWhole === true) return '[item.body]';
  const items = kind === 'json' ? '[item.body].flat()' : `[item.body].flat().map(${TEXT_AS_DATA})`;
  return `(item.body ?? "") == "" ? [] : ${items}`;
}

/** The facts that expressions of pagination read besides: the last answer, and how many pages were read. */
function pageReads(
  reads: Reads,
  { count, answer }: { readonly count: string; readonly answer: string },
): Reads {
  return {
    ...reads,
    fact(name) {
      if (name === '$pageCount') return count;
      if (name === '$response') return answer;
      return reads.fact(name);
    },
    factField(name, field) {
      if (name !== '$response') return reads.factField(name, field);
      if (field === 'statusCode') return `${answer}?.status`;
      if (field === 'body' || field === 'headers') return `${answer}?.${field}`;
      throw new Unsayable(`an answer has no field ${field} here`);
    },
  };
}
