import { createHash } from 'node:crypto';
import type { Hook, Registry } from '#engine';
import { WeftError } from '#engine';
import { isRecord } from '#shared/json.ts';
import type { ServiceWebhook } from '#shared/service-trigger.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import { assertSent, type Delivered, headerOf } from './hook-signature.ts';
import type { HookRow } from './hook-store.ts';
import { addressOf, type Hooks } from './hooks.ts';
import { isServed, type ReadyDeps, readyHook } from './ready-hook.ts';
import { type Starting, startItem } from './source-call.ts';

export interface DeliveryDeps extends Starting {
  readonly hooks: Hooks;
  readonly registry: Registry;
  readonly secrets: Pick<SecretStore, 'use'>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly timer: ReadyDeps['timer'];
}

/** What the service gets as the answer. */
export interface DeliveryAnswer {
  readonly status: number;
  /** `text/plain`; a challenge is what the caller sent itself. */
  readonly text: string;
}

const TAKEN: DeliveryAnswer = { status: 200, text: 'ok' };
/** The time of the last event is stored this often, in milliseconds. */
const NOTED_MS = 2000;

/** The hook of an address, before its body is read. Throws `hook_not_found`. */
export async function findHook({ hooks }: Pick<DeliveryDeps, 'hooks'>, key: string): Promise<HookRow> {
  const row = key.length <= 100 ? await hooks.store.find(key) : undefined;
  if (row === undefined) throw new ServiceError('hook_not_found');
  return row;
}

/**
 * Takes what a service has sent.
 * HR1. Nothing of a delivery but a challenge in the query is read before its signature was checked.
 * HR2. It is answered once its run is on the disk; a repeat, also one that somebody recorded, starts no second run.
 * HR3. One that comes before it can be judged is not refused for good: it waits, or is to be sent again.
 * Throws `signature_invalid`, `hook_not_found`, `hook_not_ready`, `auth_not_ready`, and what prevents a run, after which the service
 * sends it again.
 */
export async function takeDelivery(
  deps: DeliveryDeps,
  found: HookRow,
  delivered: Delivered,
): Promise<DeliveryAnswer> {
  const called = deps.registry.operators.get(found.operator)?.called;
  if (called === undefined) throw new ServiceError('hook_not_found');
  const { webhook } = called;
  // A service that asks before it tells its secret waits for this answer.
  const asked = webhook.challenge?.token === undefined && answerTo(webhook, 'query', delivered.query, '');
  if (asked) return asked;
  const { row, hook } = await readyHook(deps, webhook, found);
  const secret = secretOf(deps, row, hook, webhook);
  const early = answerTo(webhook, 'query', delivered.query, secret);
  if (early !== undefined) return early;
  assertSent(webhook.verify, delivered, { secret, address: addressOf(row), now: deps.now() });
  const body = bodyOf(delivered);
  const late = answerTo(webhook, 'body', body, secret);
  if (late !== undefined) return late;
  const { fieldAt } = await import('#engine/services');
  const event = namedBy(webhook.event, delivered, (path) => fieldAt(body, path));
  if (!(await isWanted(webhook, row, event))) return TAKEN;
  const item = await itemId(webhook, delivered, body);
  const value = fieldAt(body, webhook.item) ?? null;
  await note(deps, row, event);
  if (await heardByDraft(deps, row, { item, value })) return TAKEN;
  if (row.use === 'draft') return TAKEN;
  return startLive(deps, row, item, value);
}

async function startLive(
  deps: DeliveryDeps,
  row: HookRow,
  item: string,
  value: unknown,
): Promise<DeliveryAnswer> {
  const { flow, node, operator } = row;
  if (!isServed(deps.live, row)) throw new ServiceError('hook_not_found');
  const id = { flow, node, operator };
  if (!(await deps.store.knows(id, item))) await startItem(id, deps, item, value);
  return TAKEN;
}

/** The secret that signs: the service's, ours, or the one that the trigger names. Throws `auth_not_ready`. */
function secretOf(
  { secrets }: DeliveryDeps,
  row: HookRow,
  hook: Hook,
  { register, verify }: ServiceWebhook,
): string {
  if (register !== undefined || verify.by === 'address') return hook.secret;
  const params = JSON.parse(row.params) as { readonly signingSecret?: { readonly $secret?: unknown } };
  const name = params.signingSecret?.$secret;
  try {
    return secrets.use(String(name), { flow: row.flow, operator: row.operator });
  } catch (error) {
    if (error instanceof WeftError) throw new ServiceError('auth_not_ready');
    throw error;
  }
}

/** Echoes what a service asks for to prove that the address is ours; undefined if it asks for nothing. */
function answerTo(
  { challenge }: ServiceWebhook,
  place: 'body' | 'query',
  given: unknown,
  secret: string,
): DeliveryAnswer | undefined {
  if (challenge?.in !== place) return undefined;
  const read = (path: string): unknown => (place === 'query' ? flat(given, path) : deep(given, path));
  const found = read(challenge.when.field);
  if (found === undefined || (challenge.when.is !== undefined && found !== challenge.when.is))
    return undefined;
  if (challenge.token !== undefined && read(challenge.token) !== secret)
    throw new ServiceError('signature_invalid', 'The token of the challenge is not the secret.');
  return { status: 200, text: textOf(read(challenge.answer)).slice(0, 4000) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

/** Names in a query may have dots. */
function flat(given: unknown, name: string): unknown {
  return isRecord(given) && Object.hasOwn(given, name) ? given[name] : undefined;
}

function deep(given: unknown, path: string): unknown {
  return path.split('.').reduce(flat, given);
}

/** JSON, or the fields of a form. Throws `invalid_json`. */
function bodyOf({ headers, body }: Delivered): unknown {
  const text = body.toString('utf8');
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') {
    const fields = Object.fromEntries(new URLSearchParams(text));
    return fields;
  }
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError('invalid_json', 'The body is not JSON.');
  }
}

type Named = ServiceWebhook['event'];

function namedBy(where: Named, { headers }: Delivered, at: (path: string) => unknown): string | undefined {
  if (where === undefined) return undefined;
  const found = 'header' in where ? headerOf(headers, where.header) : at(where.field);
  return textOf(found);
}

async function isWanted(webhook: ServiceWebhook, row: HookRow, event: string | undefined): Promise<boolean> {
  if (event === undefined || webhook.events.length === 0) return true;
  const { eventsOf } = await import('#engine/services');
  return eventsOf(webhook, JSON.parse(row.params) as Record<string, unknown>).includes(event);
}

/** Its own id if that is signed; otherwise what was sent, which nobody can send twice under another id. */
async function itemId({ key, verify }: ServiceWebhook, { headers, body }: Delivered, value: unknown) {
  const { keyOf } = await import('#engine/services');
  if ('field' in key) return keyOf(value, key.field);
  const id = headerOf(headers, key.header);
  if (id !== undefined && verify.by !== 'hmac') return id.slice(0, 900);
  return createHash('sha256').update(body).digest('base64url');
}

async function note({ hooks, now }: DeliveryDeps, row: HookRow, event: string | undefined): Promise<void> {
  if (row.last_at !== null && now() - row.last_at < NOTED_MS) return;
  await hooks.store.change(row.key, { last_at: now(), last_event: event?.slice(0, 100) ?? null });
}

/** Whether somebody listens to the draft, on this or on another server: what comes first is theirs, and nothing else. */
async function heardByDraft({ hooks, now }: DeliveryDeps, row: HookRow, heard: Heard): Promise<boolean> {
  if (row.listens_until <= now()) return false;
  return await hooks.store.hear(row.key, JSON.stringify(heard), now());
}

/** What has come for a draft. */
export interface Heard {
  readonly item: string;
  readonly value: unknown;
}
