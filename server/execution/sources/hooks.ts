import { createHmac, randomBytes } from 'node:crypto';
import type { Asker, Hook, HookService, Host } from '#engine';
import { WeftError } from '#engine';
import { createServerKey, type ServerKey } from '../../access/security/server-key.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { Config } from '../../base/config/config.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import { createHookStore, type HookRow, type HookStore, type HookUse } from './hook-store.ts';
import { pause } from './pause.ts';

/** Below the public address: where services send. */
export const HOOKS_PATH = '/hooks/';

/** How often a hook is looked at while nothing happens: another server may have been asked to register it again. In milliseconds. */
const LOOK_MS = 5000;

interface HooksDeps {
  readonly store: HookStore;
  /** Makes our secrets. */
  readonly key: ServerKey;
  readonly secrets: Pick<SecretStore, 'seal' | 'unseal'>;
  readonly redactor: Pick<Redactor, 'text'>;
  readonly config: Pick<Config, 'publicUrl' | 'triggerOrigin'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
}

/** The registrations of triggers, as sources and routes see them. */
export interface Hooks {
  readonly store: HookStore;
  /** For live flows. */
  readonly service: HookService;
  /** For a draft to which somebody listens until then, in Unix milliseconds. */
  forDraft(until: number): HookService;
  /** A stored hook with its secret. */
  hookOf(row: HookRow): Promise<Hook>;
  /** `listener` is called when a service has accepted one. */
  onRegistered(listener: () => void): void;
  /** The public address of this server; undefined if no setting says it. */
  address(): string | undefined;
}

/** Stored in the rows of a database, which the caller closes. */
export function openHooks(sql: Sql, deps: Omit<HooksDeps, 'store' | 'key'>): Hooks {
  return createHooks({ ...deps, store: createHookStore(sql), key: createServerKey(sql, 'hooks') });
}

function createHooks(deps: HooksDeps): Hooks {
  const { store, config } = deps;
  const listeners: (() => void)[] = [];
  const address = (): string | undefined => (config.triggerOrigin ?? config.publicUrl)?.replace(/\/+$/, '');

  const hookOf = (row: HookRow): Promise<Hook> => readHook(deps, row);

  const serviceFor = (until: number | undefined): HookService => ({
    async open(by, of, params) {
      const row = await openRow(store, { by, of, params, until, base: address() ?? noAddress() });
      return hookOf(row);
    },
    async registered(hook, { id, secret, endsAt }) {
      await store.change(hook, {
        registered_at: (await store.find(hook))?.registered_at ?? deps.host.now(),
        problem: null,
        may_replace: 0,
        ...(id !== undefined && { remote: id }),
        ...(secret !== undefined && { sealed: deps.secrets.seal(secret, sealedAs(hook)) }),
        ...(endsAt !== undefined && { ends_at: endsAt }),
      });
      for (const listener of listeners) listener();
    },
    async lost(hook) {
      const turn = ((await store.find(hook))?.turn ?? 0) + 1;
      await store.change(hook, { registered_at: null, remote: null, sealed: null, ends_at: null, turn });
    },
    async failed(hook, { code, message }) {
      const problem = JSON.stringify({ code, message: deps.redactor.text(message).slice(0, 1000) });
      await store.change(hook, { problem });
    },
    async isOurs(other) {
      const own = address();
      const base = `${own}${HOOKS_PATH}`;
      if (own === undefined || !other.startsWith(base)) return false;
      return (await store.find(other.slice(base.length)))?.base === own;
    },
    pause: (hook, ms, signal) => untilAsked(deps, { hook, ms, signal }),
  });

  return {
    ...{ store, hookOf, address },
    service: serviceFor(undefined),
    forDraft: serviceFor,
    onRegistered: (listener) => void listeners.push(listener),
  };
}

async function readHook(deps: HooksDeps, row: HookRow): Promise<Hook> {
  const theirs = row.sealed === null ? undefined : unsealed(deps, row);
  const isReadable = row.sealed === null || theirs !== undefined;
  return {
    key: row.key,
    address: addressOf(row),
    secret:
      theirs ??
      createHmac('sha256', await deps.key.get())
        .update(`hook ${row.key}`)
        .digest('base64url'),
    hasTheirs: theirs !== undefined,
    isRegistered: row.registered_at !== null && isReadable,
    turn: row.turn,
    id: row.remote ?? undefined,
    endsAt: row.ends_at ?? undefined,
    mayReplace: row.may_replace === 1,
  };
}

export function addressOf({ base, key }: Pick<HookRow, 'base' | 'key'>): string {
  return `${base}${HOOKS_PATH}${key}`;
}

export const NO_ADDRESS =
  'Services can only call a server whose public address is known: set WEFT_PUBLIC_URL to the address at which they reach this one, such as https://flows.example.com.';

function noAddress(): never {
  throw new WeftError('public_address_missing', NO_ADDRESS);
}

function sealedAs(key: string): string {
  return `hook ${key}`;
}

/** Undefined if the key that sealed it has been forgotten: then the service is asked for another one. */
function unsealed({ secrets }: HooksDeps, { key, sealed }: HookRow): string | undefined {
  try {
    return secrets.unseal(sealed ?? '', sealedAs(key));
  } catch {
    return undefined;
  }
}

interface Wish {
  readonly by: Asker;
  readonly of: string;
  readonly params: unknown;
  readonly until: number | undefined;
  readonly base: string;
}

async function openRow(store: HookStore, wish: Wish): Promise<HookRow> {
  const { by, of, until, base } = wish;
  const { flow, node, operator } = by;
  const use = useOf(of, until);
  const fits = (row: HookRow): boolean => row.operator === operator && row.use === use && row.of === of;
  const rows = (await store.ofNode(flow, node)).filter(fits);
  const known = rows.find((row) => use === 'hand' || row.base === base);
  const key = await writtenRow(store, wish, known);
  if (known?.current !== 1) await store.makeCurrent({ key, flow, node, use });
  const row = await store.find(key);
  if (row === undefined) throw new WeftError('source_ended', 'The registration was removed meanwhile.');
  return row;
}

/** Adds the row, or brings it up to date; returns its key. */
async function writtenRow(store: HookStore, wish: Wish, known: HookRow | undefined): Promise<string> {
  const { by, of, until, base } = wish;
  const { flow, node, operator } = by;
  const params = JSON.stringify(wish.params ?? {});
  const listening = until === undefined ? {} : { listens_until: until };
  if (known !== undefined) {
    if (known.params !== params || known.base !== base || until !== undefined)
      await store.change(known.key, { params, base, ...listening });
    return known.key;
  }
  const key = randomBytes(24).toString('base64url');
  const row = { key, flow, node, operator, use: useOf(of, until), of, base, params };
  await store.add({ ...row, listens_until: until ?? 0 });
  return key;
}

function useOf(of: string, until: number | undefined): HookUse {
  if (of.endsWith(' by hand')) return 'hand';
  return until === undefined ? 'live' : 'draft';
}

async function untilAsked(
  { store, host }: HooksDeps,
  { hook, ms, signal }: { readonly hook: string; readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const until = host.now() + ms;
  const before = await store.find(hook);
  for (let row = before; row !== undefined && row.asks === before?.asks; row = await store.find(hook)) {
    const left = until - host.now();
    if (left <= 0) return;
    await pause(host, Math.min(LOOK_MS, left), signal);
  }
}
