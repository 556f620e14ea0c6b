import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../base/errors/start-error.ts';
import { isRefusedByDisk } from '../../base/errors/storage-refusal.ts';
import { writeOwnFileSync } from '../../base/files/atomic-file.ts';
import { DB_FORMAT } from '../../base/adapters/db.ts';
import { findLosses, type Loss, lossOf } from '../../base/adapters/lost-data.ts';
import { weftMigrations } from './weft-tables.ts';
import {
  formatIn,
  isStoreThere,
  readMark,
  type StoreKind,
  writeMark,
} from '../../base/adapters/store-marks.ts';

/**
 * Every store of the data folder that can be replaced or lost on its own, with the highest format number that this
 * version reads and writes. Each migration raises the number; stores that version 0.1.0 wrote without a number have 0.
 */
const STORES = {
  'weft.db': { kind: 'database', format: weftMigrations.at(-1)?.n ?? 0 },
  'durable.db': { kind: 'database', format: 0 },
  'db.json': { kind: 'document', format: DB_FORMAT },
  'secrets.json': { kind: 'document', format: 1 },
  runs: { kind: 'folder', format: 0 },
  blobs: { kind: 'folder', format: 0 },
  versions: { kind: 'folder', format: 0 },
  files: { kind: 'folder', format: 0 },
  // The last migration of `knowledge/embedded/tables.ts`, which loads with the first space only.
  'knowledge.db': { kind: 'database', format: 4 },
} as const satisfies Record<string, { readonly kind: StoreKind; readonly format: number }>;

export type StoreName = keyof typeof STORES;
const NAMES = Object.keys(STORES) as StoreName[];

const Entry = z.object({
  /** Random; also written in the store itself. */
  id: z.string(),
  format: z.int().nonnegative(),
  /** When it was first seen, ISO 8601. */
  since: z.string(),
});
type Entry = z.infer<typeof Entry>;

const Manifest = z.object({
  format: z.literal('weft.data/1'),
  /** The id of the data folder, random. A backup and a folder restored from it have the same. */
  folder: z.string(),
  /** The version of Weft that wrote it last. */
  weft: z.string(),
  /** How many times all stores were marked: at each orderly stop, and at a start that finds anything changed. */
  count: z.int().nonnegative(),
  /** Includes stores that only a newer version knows. */
  stores: z.record(z.string(), Entry),
});
type Manifest = z.infer<typeof Manifest>;

export const DATA_MANIFEST = 'manifest.json';

/** The parts of a data folder, as listed in its `manifest.json`. */
export interface DataManifest {
  /** The id of the data folder. */
  readonly folder: string;
  /** Stores found missing, foreign, older or damaged when the manifest was opened. */
  readonly losses: readonly Loss[];
  /** Marks all stores again, so that a copy made while the server ran is recognised as older. Close the stores first. */
  close(): void;
}

/** The running server, for the manifest of its data folder. */
export interface ManifestOptions {
  /** The version of Weft that runs. */
  readonly weft: string;
  /** Whether some secrets need no file. */
  readonly environment: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Compares the stores with the manifest; if anything has changed, marks them. A usual start writes nothing. Call it before any store
 * is opened, because opening creates them, and only while the folder is locked.
 * DM1. The marks are on the disk before the manifest that counts them, so no crash makes a store look older.
 * DM2. A full disk prevents no start: the marks and the manifest then stay unchanged.
 * Throws a `StartError` if the data were written by a newer Weft, or if the manifest is damaged.
 */
export function openManifest(data: string, { weft, environment, now }: ManifestOptions): DataManifest {
  const known = readManifest(data);
  refuseNewerData(data);
  const isThere = (name: StoreName): boolean => isStoreThere(join(data, name), STORES[name].kind);
  const losses = allLosses(known && replaced(data, known), findLosses(data, { environment }));
  let manifest: Manifest = known ?? {
    format: 'weft.data/1',
    folder: randomUUID(),
    weft,
    count: 0,
    stores: {},
  };

  const write = (next: Manifest): void => {
    writeOwnFileSync(join(data, DATA_MANIFEST), `${JSON.stringify(next, null, 2)}\n`);
    manifest = next;
  };
  const formatOf = (name: StoreName, entry: Entry): number =>
    formatIn(join(data, name), STORES[name].kind) ?? entry.format;
  // Without a manifest the folder is one of 0.1.0; otherwise this version created the new stores.
  const newEntry = (name: StoreName): Entry => ({
    id: randomUUID(),
    format: manifest.count === 0 ? 0 : STORES[name].format,
    since: new Date(now()).toISOString(),
  });

  /** All stores present now belong to this folder from here on. */
  const markAll = (): void => {
    const there = NAMES.filter(isThere);
    const marks = new Map(there.map((name) => [name, readMark(join(data, name), STORES[name].kind)]));
    const counts = [...marks.values()].map((mark) => (typeof mark === 'string' ? 0 : mark.count));
    const count = Math.max(manifest.count, ...counts) + 1;
    const { stores: before } = manifest;
    const stores: Record<string, Entry> = { ...before };
    for (const name of NAMES) {
      const entry = before[name] ?? newEntry(name);
      if (!marks.has(name)) delete stores[name];
      // A damaged store stays unmarked.
      if ((marks.get(name) ?? 'unreadable') === 'unreadable') continue;
      writeMark(join(data, name), STORES[name].kind, { id: entry.id, count });
      stores[name] = { ...entry, format: formatOf(name, entry) };
    }
    write({ ...manifest, weft, count, stores });
  };

  const isComplete = NAMES.every((name) => isThere(name) === (manifest.stores[name] !== undefined));
  if (!isComplete || losses.length > 0 || known?.weft !== weft) unlessDiskRefuses(markAll);
  return {
    folder: manifest.folder,
    losses,
    close: () => unlessDiskRefuses(markAll),
  };
}

/** Throws a `StartError` if a store has a format that this version does not know. */
export function refuseNewerData(data: string): void {
  for (const { store, found, known } of storeFormats(data))
    if (found > known)
      throw newer(data, writtenBy(data), `has ${store} in format ${found} (known: ${known})`);
}

/** The version of Weft that wrote the data folder last; undefined for a folder of 0.1.0 and for none. */
export function writtenBy(data: string): string | undefined {
  return readManifest(data)?.weft;
}

/**
 * The stores of a data folder, with their format and the highest one that this version knows. Throws a `StartError` if the
 * manifest is damaged.
 */
export function storeFormats(data: string): { store: StoreName; found: number; known: number }[] {
  const manifest = readManifest(data);
  return NAMES.filter((name) => existsSync(join(data, name)) || manifest?.stores[name] !== undefined).map(
    (name) => {
      const { kind, format: known } = STORES[name];
      const noted = manifest?.stores[name]?.format ?? 0;
      return { store: name, found: Math.max(noted, formatIn(join(data, name), kind) ?? 0), known };
    },
  );
}

function newer(data: string, by: string | undefined, what: string): StartError {
  const writer = by === undefined ? 'a newer Weft' : `Weft ${by}`;
  return new StartError(
    `The data folder ${data} was written by ${writer} and ${what}: this version would damage it. ` +
      `Start ${writer} or a later one, or restore a backup that this version can read (docs/backup.md).`,
  );
}

function readManifest(data: string): Manifest | undefined {
  const file = join(data, DATA_MANIFEST);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const read = Manifest.safeParse(parsed(text));
  if (read.success) return read.data;
  const other = z
    .object({ format: z.string().startsWith('weft.data/'), weft: z.string() })
    .safeParse(parsed(text));
  if (other.success && other.data.format !== 'weft.data/1')
    throw newer(data, other.data.weft, `has a manifest in the format ${other.data.format}`);
  throw new StartError(
    `Cannot read ${file}: restore a copy, or move it away; then missing or foreign stores are not noticed at the next start.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The stores listed in the manifest that are missing, foreign or older. */
function replaced(data: string, { count, stores }: Manifest): Loss[] {
  return NAMES.flatMap((name) => {
    const entry = stores[name];
    if (entry === undefined) return [];
    const path = join(data, name);
    const { kind } = STORES[name];
    if (!isStoreThere(path, kind)) return lossOf(name, existsSync(path) ? 'is empty' : 'is gone');
    const mark = readMark(path, kind);
    if (mark === 'unreadable') return [];
    if (mark === 'none' || mark.id !== entry.id)
      return lossOf(name, 'is not the one that this data folder had');
    return mark.count < count ? lossOf(name, 'is an older copy') : [];
  });
}

/** Lists each store once: the manifest knows more about a lost store, the references show what a present one lacks. */
function allLosses(replacedStores: readonly Loss[] | undefined, found: readonly Loss[]): Loss[] {
  const listed = new Set(replacedStores?.map(({ store }) => store));
  return [...(replacedStores ?? []), ...found.filter(({ store }) => !listed.has(store))];
}

function unlessDiskRefuses(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isRefusedByDisk(error)) throw error;
  }
}
