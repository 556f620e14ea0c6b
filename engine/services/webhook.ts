import { isRecord } from '#shared/json.ts';
import type { ServiceFile } from '#shared/service-file.ts';
import type { ServiceTrigger, ServiceWebhook } from '#shared/service-trigger.ts';
import type { Hook, HookFacts } from '../base/hook-service.ts';
import { type CalledSource, type SourceCall, toText, WeftError } from '../base/operator.ts';
import { isoMs } from '../operators/_iso-time.ts';
import { fieldAt } from './fields.ts';
import type { Maker } from './making.ts';
import type { Values } from './request.ts';
import { isAbsence, runCall } from './run.ts';
import { userOf } from './trigger.ts';

/** How often what is registered is compared with what should be, in milliseconds. */
const LOOK_MS = 3_600_000;
/** How long before its end a registration is renewed, in milliseconds; at least half of its life is left to it. */
const AHEAD_MS = 86_400_000;

/** A trigger that its service calls. */
export interface Called {
  readonly file: ServiceFile;
  readonly trigger: ServiceTrigger;
  readonly webhook: ServiceWebhook;
  readonly maker: Maker;
}

/**
 * Keeps the address registered while the flow is live.
 * WH1. What is to be registered is on the disk before the service is asked, so a registration whose answer was lost is found again by
 *      its address.
 * WH2. An address that is not ours is never removed, nor replaced unless a person agreed.
 */
export async function listenForCalls(called: Called, source: SourceCall): Promise<void> {
  const hooks = source.service('hooks');
  const { file, trigger, webhook } = called;
  const { connection = null, ...given } = source.params as Values;
  const events = eventsOf(webhook, source.params as Values);
  const taken = webhook.takes.map((name) => given[name] ?? null);
  // By hand, one address serves whatever the params are.
  const of = webhook.register === undefined ? 'by hand' : source.hash([connection, events, taken]);
  for (;;) {
    const hook = await hooks.open(source.asker, `${file.id}.${trigger.id} ${of}`, source.params);
    let endsAt: number | undefined;
    try {
      endsAt = await ensured({ ...called, source }, hook);
    } catch (error) {
      if (!source.signal.aborted) await hooks.failed(hook.key, problemOf(error));
      throw error;
    }
    source.works();
    await hooks.pause(hook.key, untilNext(source.now(), endsAt), source.signal);
  }
}

/** The chosen events; the first one if none was chosen. */
export function eventsOf({ events }: ServiceWebhook, { events: chosen }: Values): readonly unknown[] {
  if (Array.isArray(chosen) && chosen.length > 0) return chosen;
  return events.slice(0, 1).map(({ name }) => name);
}

function problemOf(error: unknown): { code: string; message: string } {
  if (error instanceof WeftError) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: String(error) };
}

function untilNext(now: number, endsAt: number | undefined): number {
  if (endsAt === undefined) return LOOK_MS;
  return Math.max(1000, Math.min(LOOK_MS, endsAt - now - ahead(now, endsAt)));
}

function ahead(now: number, endsAt: number): number {
  return Math.min(AHEAD_MS, (endsAt - now) / 2);
}

interface At extends Called {
  readonly source: SourceCall;
}

/** Compares, and registers or renews if necessary. Returns when the registration ends. */
async function ensured(at: At, hook: Hook): Promise<number | undefined> {
  const { webhook, source } = at;
  if (webhook.register === undefined) {
    await source.service('hooks').registered(hook.key, {});
    return undefined;
  }
  const there = await listed(at, hook);
  const own = there?.find(({ address }) => address === hook.address);
  if (!hook.isRegistered) return registeredNow(at, hook, { there, own });
  if (there === undefined || own !== undefined) return renewed(at, hook);
  await source.service('hooks').lost(hook.key);
  source.log('warn', 'The service has lost the registration; it is registered again.');
  return registeredNow(at, { ...hook, isRegistered: false, turn: hook.turn + 1 }, { there, own });
}

interface There {
  readonly there: readonly Entry[] | undefined;
  /** Ours, of which the answer was lost. */
  readonly own: Entry | undefined;
}

async function registeredNow(at: At, hook: Hook, { there, own }: There): Promise<number | undefined> {
  const { register, list } = at.webhook;
  if (own !== undefined && register?.secret === undefined) return adopted(at, hook, own);
  if (own === undefined && list?.only === true) await assertFree(at, hook, there ?? []);
  const facts = await registered(at, hook);
  // It is too late for the same answer: the service has made another one.
  if (own?.id !== undefined && own.id !== facts.id) await unregistered(at, { ...hook, id: own.id });
  return kept(at, hook, facts);
}

/** When it ends was in the answer that was lost: it is renewed at once. */
function adopted(at: At, hook: Hook, { id }: Entry): Promise<number | undefined> {
  const endsAt = at.webhook.register?.ends === undefined ? undefined : at.source.now();
  return kept(at, hook, { id, endsAt });
}

async function kept({ source }: At, { key }: Hook, facts: HookFacts): Promise<number | undefined> {
  await source.service('hooks').registered(key, facts);
  return facts.endsAt;
}

/** Throws `hook_taken`. */
async function assertFree({ file, source }: At, hook: Hook, there: readonly Entry[]): Promise<void> {
  for (const { address } of there) {
    if (address === '' || hook.mayReplace || (await source.service('hooks').isOurs(address))) continue;
    throw new WeftError(
      'hook_taken',
      `${file.title} sends to another address already, and to one only: ${placeOf(address)}. It stays as it is until somebody presses “Take over” here.`,
    );
  }
}

/** Without its path, which may be a secret of somebody else. */
function placeOf(address: string): string {
  return /^[a-z]+:\/\/[^/?#]+/i.exec(address)?.[0] ?? 'an address of another server';
}

interface Entry {
  readonly address: string;
  readonly id: string | undefined;
}

/** What is registered at the service; undefined if it cannot say. */
async function listed(at: At, hook: Hook): Promise<Entry[] | undefined> {
  const { list } = at.webhook;
  if (list === undefined) return undefined;
  const found = await asked(at, list, hook);
  const entries: readonly unknown[] = Array.isArray(found) ? found : [found];
  return entries.map((entry) => ({
    address: toText(fieldAt(entry, list.address) ?? ''),
    id: idIn(entry, list.id),
  }));
}

async function registered(at: At, hook: Hook): Promise<HookFacts> {
  const register = at.webhook.register as NonNullable<ServiceWebhook['register']>;
  const answer = await asked(at, register, hook);
  const secret = register.secret === undefined ? undefined : fieldAt(answer, register.secret);
  if (register.secret !== undefined && typeof secret !== 'string')
    throw new WeftError('bad_answer', `${at.file.title} has answered with no secret for its signatures.`);
  return {
    id: idIn(answer, register.id),
    endsAt: endIn(register.ends, answer),
    ...(typeof secret === 'string' && { secret }),
  };
}

function idIn(value: unknown, path: string | undefined): string | undefined {
  const found = path === undefined ? undefined : fieldAt(value, path);
  return found === undefined || found === null ? undefined : toText(found);
}

type Ends = NonNullable<ServiceWebhook['register']>['ends'];

function endIn(ends: Ends, answer: unknown): number | undefined {
  if (ends === undefined) return undefined;
  const found = fieldAt(answer, ends.at);
  const at = ends.as === 'iso' ? isoMs(toText(found)) : Number(found) * (ends.as === 'seconds' ? 1000 : 1);
  return Number.isFinite(at) ? at : undefined;
}

/** Makes one that is about to end last longer. */
async function renewed(at: At, hook: Hook): Promise<number | undefined> {
  const { webhook, source } = at;
  const { endsAt } = hook;
  const now = source.now();
  if (endsAt === undefined || endsAt - now > AHEAD_MS) return endsAt;
  const { renew, register } = webhook;
  if (renew === undefined) return kept(at, hook, await registered(at, { ...hook, turn: hook.turn + now }));
  const answer = await asked(at, renew, hook);
  return kept(at, hook, { endsAt: endIn(register?.ends, answer) });
}

async function unregistered(at: At, hook: Hook): Promise<void> {
  const { unregister } = at.webhook;
  if (unregister === undefined) return;
  try {
    await asked(at, unregister, hook);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** Removes the registration, if it is still ours. */
export async function leaveService(called: Called, source: SourceCall, hook: Hook): Promise<void> {
  const at: At = { ...called, source };
  const { register, unregister, list } = called.webhook;
  if (register === undefined || unregister === undefined) return;
  const there = await listed(at, hook).catch((error: unknown) => {
    // What it was registered for has gone.
    if (isAbsence(error)) return [];
    throw error;
  });
  const own = there?.find(({ address }) => address === hook.address);
  const id = own?.id ?? hook.id;
  if (list !== undefined && own === undefined) return;
  if (id === undefined && mentions(unregister.given, '{id}')) return;
  await unregistered(at, { ...hook, id });
}

function mentions(value: unknown, text: string): boolean {
  return JSON.stringify(value).includes(text);
}

/** Calls of registrations are those of one connection, with what they are about filled in. */
async function asked(
  at: At,
  { call: id, given }: { readonly call: string; readonly given: Values },
  hook: Hook,
): Promise<unknown> {
  const { file, source, maker } = at;
  const call = file.calls.find((one) => one.id === id);
  if (call === undefined) throw new Error('The file was checked.');
  const { connection, ...params } = source.params as Values;
  const { address, secret } = hook;
  const events = eventsOf(at.webhook, source.params as Values);
  const known: Values = { ...params, events, address, secret, id: hook.id };
  const user = { ...userOf({ file, maker, source }), idempotencyKey: `${hook.key}.${hook.turn}` };
  return runCall(user, call, { ...(filled(given, known) as Values), connection });
}

const NAMED = /\{([a-zA-Z]\w*)\}/g;

/** `{name}` alone keeps the type of its value. */
function filled(value: unknown, known: Values): unknown {
  if (typeof value === 'string') {
    const alone = /^\{([a-zA-Z]\w*)\}$/.exec(value)?.[1];
    if (alone !== undefined) return known[alone];
    return value.replaceAll(NAMED, (_, name: string) => toText(known[name] ?? ''));
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, known));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, known)]));
}

/** How the service calls the trigger, for the server. */
export function calledSource(called: Called): CalledSource {
  return {
    webhook: called.webhook,
    leave: (source, hook) => leaveService(called, source, hook),
  };
}
