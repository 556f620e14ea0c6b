import { type CreatedKey, KeyBody, type KeyInfo, MAX_PER_MINUTE } from '#shared/key.ts';
import { scopes } from '#shared/scopes.ts';
import type { Db } from '../../../base/adapters/db.ts';
import type { Config } from '../../../base/config/config.ts';
import type { OwnData } from '../../control/own-data.ts';
import { type AskServer, withData } from '../../control/with-data.ts';
import { createKeyRing } from '../../../access/security/key-ring.ts';
import { createKeyStore, keptKeys } from '../../../access/security/key-store.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** The keys, read directly or through the server that uses the data folder. */
interface Keys {
  list(): Promise<KeyInfo[]>;
  create(wish: KeyBody): Promise<CreatedKey>;
  revoke(idOrName: string): Promise<KeyInfo>;
}

/** `weft keys list`: lists the properties of all keys; never the keys themselves. */
export async function listKeys({ json }: { json: boolean }, io: Io): Promise<ExitCode> {
  const keys = await withKeys(io, (all) => all.list());
  if (json) writeJson(io, keys);
  else if (keys.length === 0)
    io.stderr.write('There are no keys; the first start of the server creates one.\n');
  else io.stdout.write(keys.map(keyText).join(''));
  return 0;
}

export interface NewKey {
  readonly name: string;
  /** Separated by commas. */
  readonly scopes: string;
  /** A time, or a number of days like `90d`. */
  readonly expires: string | undefined;
  /** Requests in a minute, as a number. */
  readonly perMinute: string | undefined;
  readonly json: boolean;
}

/** `weft keys create`: prints only the key on standard output, so a script can read it. */
export async function createKey(wish: NewKey, io: Io): Promise<ExitCode> {
  const body = readWish(wish);
  const created = await withKeys(io, (keys) => keys.create(body));
  if (wish.json) {
    writeJson(io, created);
    return 0;
  }
  io.stderr.write(`${keyText(created)}The key is shown only this once:\n`);
  io.stdout.write(`${created.key}\n`);
  return 0;
}

/** `weft keys revoke`: the key is refused from now on. */
export async function revokeKey({ key, json }: { key: string; json: boolean }, io: Io): Promise<ExitCode> {
  const info = await withKeys(io, (keys) => keys.revoke(key));
  if (json) writeJson(io, info);
  else io.stderr.write(`Revoked ${printable(info.name)}.\n`);
  return 0;
}

async function withKeys<T>(io: Io, work: (keys: Keys) => Promise<T>): Promise<T> {
  const config = readSettings(io);
  return await withData(
    config,
    async (own) => work(ownKeys(config, own, await own.documents())),
    (ask) => work(serverKeys(ask)),
  );
}

function ownKeys({ apiKeys }: Config, { note }: OwnData, db: Db): Keys {
  const store = createKeyStore(db, createKeyRing(apiKeys, keptKeys(db), Date.now), Date.now);
  return {
    list: async () => store.list(),
    async create(wish) {
      const created = await store.create(wish);
      const { id: keyId, name: key, expiresAt, perMinute } = created;
      await note('API key made', { key, keyId, scopes: created.scopes, expiresAt, perMinute });
      return created;
    },
    async revoke(idOrName) {
      const info = await store.revoke(idOrName);
      await note('API key revoked', { key: info.name, keyId: info.id });
      return info;
    },
  };
}

function serverKeys(ask: AskServer): Keys {
  return {
    list: async () => (await ask({ do: 'keys.list' })) as KeyInfo[],
    create: async (key) => (await ask({ do: 'keys.create', key })) as CreatedKey,
    revoke: async (key) => (await ask({ do: 'keys.revoke', key })) as KeyInfo,
  };
}

function readWish(given: NewKey): KeyBody {
  const { name, scopes: list, expires, perMinute } = given;
  const wanted = list.split(',').map((scope) => scope.trim());
  const wish = {
    name,
    scopes: wanted,
    ...(expires !== undefined && { expiresAt: endOf(expires) }),
    ...(perMinute !== undefined && { perMinute: Number(perMinute) }),
  };
  const result = KeyBody.safeParse(wish);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw wishFault(String(issue?.path[0]), issue?.message, given);
}

function wishFault(field: string, message: string | undefined, { expires, perMinute }: NewKey): UsageError {
  switch (field) {
    case 'scopes':
      return new UsageError(`--scopes: name one or more of ${scopes.join(', ')}, separated by commas.`);
    case 'expiresAt':
      return badEnd(expires ?? '');
    case 'perMinute':
      return new UsageError(`--per-minute ${perMinute}: write a whole number from 1 to ${MAX_PER_MINUTE}.`);
    default:
      return new UsageError(`The name of the key: ${message ?? 'it is refused'}.`);
  }
}

const DAY_MS = 86_400_000;

function endOf(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const end = days === undefined ? Date.parse(text) : Date.now() + Number(days) * DAY_MS;
  if (Number.isNaN(end)) throw badEnd(text);
  return new Date(end).toISOString();
}

function badEnd(text: string): UsageError {
  return new UsageError(`--expires ${text}: write a number of days like 90d, or a date like 2027-01-31.`);
}

function keyText(info: KeyInfo): string {
  const { id, name, scopes: may, createdAt, expiresAt, perMinute, lastUsedAt, source } = info;
  const facts = [
    source === 'environment' ? 'from WEFT_API_KEYS' : `made ${createdAt}`,
    expiresAt === undefined ? undefined : `ends ${expiresAt}`,
    perMinute === undefined ? undefined : `at most ${perMinute} requests a minute`,
    lastUsedAt === undefined ? 'not used yet' : `last used ${lastUsedAt}`,
  ];
  const shown = facts.filter((fact) => fact !== undefined).join(', ');
  return `${printable(name)}\n  id      ${id}\n  scopes  ${may.join(', ')}\n  ${shown}\n`;
}
