import { z } from 'zod';
import { WeftError } from '#engine';
import {
  type ConnectionBody,
  ConnectionGrants,
  type ConnectionInfo,
  ConnectionKindName,
  ConnectionRate,
} from '#shared/connection.ts';
import type { Db } from '../../base/adapters/db.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { StartError } from '../../base/errors/start-error.ts';
import type { Sealer } from '../../base/secrets/seal.ts';
import { maskHidden, type Redactor } from '../../base/secrets/redactor.ts';

/** Facts about a connection that need no decryption. */
export type KnownConnection = Omit<ConnectionInfo, 'usedBy' | 'account'>;

/** A connection in the form of the document. */
const Kept = z.object({
  kind: ConnectionKindName,
  grants: ConnectionGrants,
  hidden: z.array(z.string()),
  description: z.string().optional(),
  rate: ConnectionRate.optional(),
  updatedAt: z.iso.datetime(),
  sealed: z.string(),
});
export type Kept = z.infer<typeof Kept>;
export type Settings = Readonly<Record<string, unknown>>;

/** A connection with its settings; without them if they cannot be read. */
export interface Opened {
  readonly info: KnownConnection;
  readonly settings: Settings | undefined;
}

export interface StoredConnectionsDeps {
  readonly db: Pick<Db, 'data' | 'change'>;
  readonly sealer: Sealer;
  readonly redactor: Redactor;
  readonly now: () => number;
}

/** The connections of the document, decrypted in memory. */
export function openStoredConnections(deps: StoredConnectionsDeps) {
  const { db } = deps;
  // Two changes may fall into the same millisecond, but sealing never gives the same text twice.
  const seals = new Map(Object.entries(keptIn(db)).map(([name, kept]) => [name, kept.sealed]));
  const all = new Map(Object.entries(keptIn(db)).map(([name, kept]) => [name, openOne(deps, name, kept)]));
  let infos = listOf(all);

  function put(name: string, kept: Kept | undefined): void {
    if (kept === undefined) {
      all.delete(name);
      seals.delete(name);
      return;
    }
    all.set(name, openOne(deps, name, kept));
    seals.set(name, kept.sealed);
  }

  return {
    get: (name: string): Opened | undefined => all.get(name),
    named(name: string): Opened {
      const one = all.get(name);
      if (one !== undefined) return one;
      throw new ServiceError('connection_not_found', `There is no connection ${name}.`);
    },
    list: () => infos,
    /** Returns the names of changed connections. */
    readAgain(): string[] {
      const now = keptIn(db);
      const changed = [...new Set([...all.keys(), ...Object.keys(now)])].filter(
        (name) => seals.get(name) !== now[name]?.sealed,
      );
      for (const name of changed) {
        const kept = now[name];
        put(name, kept);
      }
      infos = listOf(all);
      return changed;
    },
    async write(name: string, kept: Kept | undefined): Promise<void> {
      await db.change('connections', ({ [name]: _, ...others }) =>
        kept === undefined ? others : { ...others, [name]: kept },
      );
      put(name, kept);
      infos = listOf(all);
    },
  };
}

/** Seals all connections again with the current key and returns their number; those that cannot be decrypted stay as they are. */
export async function sealAnew({
  db,
  sealer,
}: Pick<StoredConnectionsDeps, 'db' | 'sealer'>): Promise<number> {
  let count = 0;
  await db.change('connections', (all) => {
    count = 0;
    const anew = Object.entries(all).map(([name, value]): [string, unknown] => {
      const kept = Kept.safeParse(value);
      if (!kept.success) return [name, value];
      const { sealed, ...facts } = kept.data;
      const about = bound(name, facts);
      try {
        const again = sealer.seal(sealer.unseal(sealed, about), about);
        count++;
        return [name, { ...facts, sealed: again }];
      } catch {
        return [name, value];
      }
    });
    return Object.fromEntries(anew);
  });
  return count;
}

/** The entry for the document; its hidden values are registered with the redactor. */
export function sealed(
  { sealer, redactor, now }: StoredConnectionsDeps,
  name: string,
  {
    kind,
    grants,
    settings,
    hidden,
    description,
    rate: given,
  }: ConnectionBody & { readonly hidden: string[] },
  before: Opened | undefined,
): Kept {
  maskHidden(redactor, settings, hidden);
  const about = description ?? before?.info.description;
  const rate = given === undefined ? before?.info.rate : (given ?? undefined);
  const facts = {
    kind,
    grants: grants ?? before?.info.grants ?? {},
    hidden,
    ...(about !== undefined && { description: about }),
    ...(rate !== undefined && { rate }),
    updatedAt: new Date(now()).toISOString(),
  };
  return { ...facts, sealed: sealer.seal(JSON.stringify(settings), bound(name, facts)) };
}

function keptIn({ data }: Pick<Db, 'data'>): Readonly<Record<string, Kept>> {
  const result = z.record(z.string(), Kept).safeParse(data.connections);
  if (result.success) return result.data;
  throw new StartError(`The connections in db.json are damaged: ${z.prettifyError(result.error)}`);
}

/** A connection that was sealed with another key can be listed and saved again, but not used. */
function openOne({ sealer, redactor }: StoredConnectionsDeps, name: string, kept: Kept): Opened {
  const { sealed, ...facts } = kept;
  try {
    const settings = JSON.parse(sealer.unseal(sealed, bound(name, facts))) as Settings;
    maskHidden(redactor, settings, kept.hidden);
    const shown = Object.entries(settings).filter(([field]) => !kept.hidden.includes(field));
    return { info: { name, ...facts, settings: Object.fromEntries(shown) }, settings };
  } catch {
    const broken = 'Its settings were sealed with another key, or changed by hand.';
    return { info: { name, ...facts, settings: {}, broken }, settings: undefined };
  }
}

/** The data that must not change without the key. */
function bound(name: string, { kind, grants, hidden, rate, updatedAt }: Omit<Kept, 'sealed'>): string {
  const { flows = null, operators = null, drafts = false, writers } = grants;
  const sealed = ['connection', 1, name, kind, flows, operators, drafts, hidden, updatedAt];
  // Earlier versions sealed connections without these.
  if (rate !== undefined)
    return JSON.stringify([...sealed, writers ?? null, rate.limit, rate.per, rate.burst]);
  return JSON.stringify(writers === undefined ? sealed : [...sealed, writers]);
}

export function readable({ info, settings }: Opened): Settings {
  if (settings !== undefined) return settings;
  throw new WeftError('connection_broken', `The connection ${info.name} cannot be used. ${info.broken}`);
}

function listOf(all: ReadonlyMap<string, Opened>): readonly KnownConnection[] {
  return [...all.values()].map(({ info }) => info).sort((a, b) => (a.name < b.name ? -1 : 1));
}
