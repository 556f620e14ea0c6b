import { isRecord } from '#shared/json.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';
import type { ServiceDetail } from '#shared/service-making.ts';
import type { ServicePoll, ServiceTrigger } from '#shared/service-trigger.ts';
import { type SourceCall, toText, WeftError } from '../base/operator.ts';
import { isoText } from '../operators/_iso-time.ts';
import { type Gathered, poll } from '../operators/trigger/_poll.ts';
import { fieldAt } from './fields.ts';
import type { Maker } from './making.ts';
import type { Values } from './request.ts';
import { detailOf, runCall, type User } from './run.ts';

type Listen = (source: SourceCall) => Promise<void>;

/** What a trigger of a service does while its flow is live. */
export function listenOf(file: ServiceFile, { id, poll: how }: ServiceTrigger, maker: Maker): Listen {
  const call = file.calls.find((one) => one.id === how?.call);
  if (how === undefined || call === undefined) throw new Error('The file was checked.');
  return (source) => listenByPolling({ file, id, how, call, maker }, source);
}

interface Polling {
  readonly file: ServiceFile;
  readonly id: string;
  readonly how: ServicePoll;
  readonly call: ServiceCall;
  readonly maker: Maker;
}

async function listenByPolling(polling: Polling, source: SourceCall): Promise<void> {
  const { file, id, how } = polling;
  const given = source.params as Values;
  const { every = 60, existing = 'skip', connection } = given as Given;
  const taken = Object.fromEntries(how.takes.map((name) => [name, given[name]]));
  const of = source.hash([file.id, id, connection ?? null, taken]);
  let isFirst = source.cursor === undefined || source.cursor === null;
  await poll(source, { of, everyMs: every * 1000, existing }, async (cursor) => {
    const begins = isFirst && existing === 'skip';
    isFirst = false;
    if (begins && how.since?.as !== undefined)
      return { items: [], cursor: timeIn(how.since.as, source.now()) };
    return look({ ...polling, source, begins, values: { connection, ...taken } }, cursor);
  });
}

interface Given {
  readonly every?: number;
  readonly existing?: 'start' | 'skip';
  readonly connection?: string;
}

interface Look extends Polling {
  readonly source: SourceCall;
  /** What is there now will start no runs. */
  readonly begins: boolean;
  readonly values: Values;
}

/** Items of one question. */
const MANY = 10_000;
/** Keys of the newest items that are remembered: one of them is still there when the next ones are asked for. */
const KEPT = 100;

/** Lists the items, and what the next question begins with: the latest field, or the keys of the newest. */
async function look(at: Look, cursor: unknown): Promise<Gathered> {
  const { file, call, how, begins } = at;
  const values = { limit: MANY, ...filled(how.given, cursor), ...at.values, ...sinceParam(how, cursor) };
  const known = new Set(Array.isArray(cursor) ? cursor.map(String) : []);
  const isKnown = (item: unknown): boolean => known.has(keyOf(item, how.key));
  const isEnough = (items: readonly unknown[]): boolean =>
    how.order === 'newest' && how.since === undefined && (begins || items.some(isKnown));
  const found = await runCall(userOf(at), call, values, { isEnough });
  if (!Array.isArray(found))
    throw new WeftError('bad_answer', `${file.title} answers ${call.title} with no list.`);
  const items = how.order === 'newest' ? found.toReversed() : found;
  const user = userOf(at);
  const keyed = items
    .map((value: unknown) => ({ id: keyOf(value, how.key), value }))
    .map((item) =>
      how.detail === undefined ? item : { ...item, load: detailed(user, how.detail, values, item.value) },
    );
  if (how.since !== undefined)
    return { items: keyed, cursor: latestOf(items, how.since.from) ?? cursor ?? null };
  const fresh = keyed.filter(({ id }) => !known.has(id));
  return { items: fresh, cursor: how.order === 'newest' ? keyed.slice(-KEPT).map(({ id }) => id) : null };
}

function detailed(user: User, detail: ServiceDetail, params: Values, item: unknown): () => Promise<unknown> {
  return () => detailOf(user, detail, { params, item });
}

function sinceParam({ since }: ServicePoll, cursor: unknown): Values {
  return since?.param === undefined || !isGiven(cursor) ? {} : { [since.param]: cursor };
}

function isGiven(cursor: unknown): cursor is string | number {
  return typeof cursor === 'string' || typeof cursor === 'number';
}

/** The last item that has the field. */
function latestOf(items: readonly unknown[], from: string): string | number | undefined {
  return items.map((item) => fieldAt(item, from)).findLast(isGiven);
}

/** `{since}` in texts stands for the cursor; without one those params are left out. */
function filled(given: Values, cursor: unknown): Values {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      if (!JSON.stringify(value).includes(SINCE)) return [[name, value]];
      return isGiven(cursor) ? [[name, written(value, cursor)]] : [];
    }),
  );
}

const SINCE = '{since}';

function written(value: unknown, cursor: string | number): unknown {
  if (value === SINCE) return cursor;
  if (typeof value === 'string') return value.replaceAll(SINCE, () => String(cursor));
  if (Array.isArray(value)) return value.map((one) => written(one, cursor));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, written(one, cursor)]));
}

/** A time as a service writes it. */
function timeIn(form: 'iso' | 'seconds' | 'milliseconds', now: number): string | number {
  if (form === 'iso') return isoText(now);
  return form === 'seconds' ? Math.floor(now / 1000) : now;
}

/** Requests that ask for items have no key: they only read. */
export function userOf({
  file,
  maker,
  source,
}: Pick<User, 'file' | 'maker'> & { readonly source: SourceCall }): User {
  return {
    file,
    maker,
    now: () => source.now(),
    log: (level, text) => source.log(level, text),
    service: (name) => source.service(name),
    asker: source.asker,
    signal: source.signal,
    idempotencyKey: '',
    random: () => 0.5,
  };
}

/** `a+b` joins two fields. Throws `source_item` for an item without one. */
export function keyOf(item: unknown, path: string): string {
  const parts = path.split('+').map((one) => fieldAt(item, one) ?? '');
  if (parts.every((part) => part === ''))
    throw new WeftError('source_item', `An item has nothing at ${path}, by which it would be known again.`);
  return parts.map(toText).join(' ').slice(0, 900);
}
