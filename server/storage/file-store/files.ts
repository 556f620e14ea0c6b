import { hash, randomBytes } from 'node:crypto';
import { WeftError } from '#engine';
import type { FileValue } from '#shared/file.ts';
import { DEFAULT_PROJECT, type Sql, type SqlStatement } from '../database/sql.ts';
import type { Blobs, ByteRange } from './blobs.ts';
import { blobOf, changed, type Link, linkOf } from './linked.ts';

/** A run, or a stored value that names the file: keeps it from being deleted, and may open it. */
export interface Holder {
  readonly kind: HolderKind;
  /** The id of the run, or another text that distinguishes two of a kind. */
  readonly id: string;
}

/** `guest`: a sender without a key or a session, for uploads. */
export type HolderKind = 'run' | 'state' | 'upload' | 'guest' | 'conversation';

/** A stored file. */
export interface StoredFile {
  readonly value: FileValue;
  readonly blob: string;
  /**
   * SHA-256 of the content, or of the place and content, in hexadecimal. Not for callers: it reveals whether someone else has the same
   * file.
   */
  readonly sha256: string;
}

/** A file to be stored. */
export interface NewFile {
  /** The given name, cleaned. */
  readonly name?: string | undefined;
  /** The media type that the sender claims. */
  readonly type?: string | undefined;
  readonly content: AsyncIterable<Uint8Array>;
  /** The most bytes it may have. */
  readonly maxBytes?: number | undefined;
}

/**
 * Files and their holders.
 *
 * FH1. A handle is random and independent of the content. It opens its file for holders only, and knowing it makes no one a
 *      holder.
 * FH2. A file exists as a whole or not at all, at any moment and after a crash.
 * FH3. A file without a holder is deleted a day after it lost the last one, and no sooner.
 */
export interface Files {
  /**
   * Stores a file and gives it to `holder`, if present. Rejects with `file_too_large`, `disk_low`, `storage_failed`, or
   * the error of the content; nothing is kept then.
   */
  add(file: NewFile, holder?: Holder): Promise<StoredFile>;
  /**
   * A file that stays in its place, for a run. It is copied when a holder of another kind gets it, because such a holder needs it
   * unchanged; until then reading it rejects with `file_changed` if it was changed.
   */
  link(link: Link, holder: Holder): Promise<StoredFile>;
  /** The file with this handle, if the holder holds it. */
  find(handle: string, holder: Holder): Promise<StoredFile | undefined>;
  /** Rejects with `file_gone` if its bytes are gone. */
  read(file: StoredFile, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Gives files to a holder: at once in this process, and stored when the promise resolves. It never rejects. */
  give(handles: readonly string[], holder: Holder): Promise<void>;
  /** The handles of everything that a holder holds. */
  of(holder: Holder): Promise<string[]>;
  /** The bytes of all files that holders of a kind hold, or of those that two of them hold; each is counted once. */
  bytesOf(kind: HolderKind, ids?: readonly [string, string]): Promise<number>;
  /** Those of a kind, sorted by their ids. */
  holders(kind: HolderKind): Promise<Holder[]>;
  /** Calls back with the bytes of each file that was added. */
  onAdded(listener: (bytes: number) => void): void;
  /** The holder holds nothing any more; files without another holder are deleted without the day of grace. Returns their bytes. */
  release(holder: Holder): Promise<number>;
  /** The holder holds these files and no others. */
  replace(holder: Holder, handles: readonly string[]): Promise<void>;
  /** Deletes those without a holder, without the day of grace. For files whose run was not started. */
  discard(handles: readonly string[]): Promise<void>;
  /** Deletes unneeded files. `isThere` reports whether a holder still exists. Returns the number of deleted files. */
  sweep(isThere: (holder: Holder) => Promise<boolean>): Promise<number>;
  /** Waits for pending writes. */
  settled(): Promise<void>;
}

/** How long a file without a holder is kept, in milliseconds. */
export const UNHELD_MS = 24 * 3_600_000;

const COLUMNS = 'files.handle, blob, name, type, bytes, sha256';
const FIND = `SELECT ${COLUMNS} FROM files JOIN file_holders
  ON file_holders.project = files.project AND file_holders.handle = files.handle
  WHERE files.project = ? AND files.handle = ? AND kind = ? AND id = ?`;
const FIND_ANY = `SELECT ${COLUMNS} FROM files WHERE project = ? AND handle = ?`;
const ADD = `INSERT INTO files (project, handle, blob, name, type, bytes, sha256, held_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const HOLD = `INSERT INTO file_holders (project, kind, id, handle) VALUES (?, ?, ?, ?)
  ON CONFLICT (project, kind, id, handle) DO NOTHING`;
const HELD_BY = 'SELECT handle FROM file_holders WHERE project = ? AND kind = ? AND id = ?';
const IS_STORED = "blob NOT LIKE 'link:%'";
const BYTES_OF = `SELECT coalesce(CAST(sum(bytes) AS BIGINT), 0) AS bytes FROM files WHERE project = ? AND ${IS_STORED}
  AND handle IN (SELECT handle FROM file_holders WHERE project = ? AND kind = ?)`;
const BYTES_OF_TWO = `SELECT coalesce(CAST(sum(bytes) AS BIGINT), 0) AS bytes FROM files WHERE project = ? AND ${IS_STORED}
  AND handle IN (SELECT handle FROM file_holders WHERE project = ? AND kind = ? AND id IN (?, ?))`;
const LET_GO = 'DELETE FROM file_holders WHERE project = ? AND kind = ? AND id = ?';
const HOLDERS_OF = 'SELECT DISTINCT kind, id FROM file_holders WHERE project = ? AND kind = ? ORDER BY id';
const HOLDERS = 'SELECT DISTINCT kind, id FROM file_holders WHERE project = ?';
const IS_HELD = `EXISTS (SELECT 1 FROM file_holders
  WHERE file_holders.project = files.project AND file_holders.handle = files.handle)`;
const MARK = `UPDATE files SET held_at = ? WHERE project = ? AND ${IS_HELD}`;
const UNHELD_AT_ONCE = 500;
const UNHELD = `SELECT handle, blob FROM files WHERE project = ? AND held_at < ? AND NOT ${IS_HELD}
  LIMIT ${UNHELD_AT_ONCE}`;
const DROP = `DELETE FROM files WHERE project = ? AND handle = ? AND held_at < ? AND NOT ${IS_HELD}`;
const COPIED = 'UPDATE files SET blob = ?, sha256 = ? WHERE project = ? AND handle = ? AND blob = ?';
const HAS_BLOB = 'SELECT handle FROM files WHERE project = ? AND blob = ?';

interface Row {
  readonly handle: string;
  readonly blob: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface FilesDeps {
  readonly sql: Sql;
  readonly blobs: Blobs;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Reads a file where it is. Rejects with `file_changed`. */
  readonly linked?: (link: Link, range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
  /** Called when a new holder could not be stored; it still counts in this process. */
  readonly warn?: (error: unknown) => void;
  readonly project?: string;
}

export function createFiles(deps: FilesDeps): Files {
  return new SqlFiles(deps);
}

class SqlFiles implements Files {
  private readonly deps: FilesDeps;
  private readonly sql: Sql;
  private readonly blobs: Blobs;
  private readonly project: string;
  private readonly fresh = new FreshHolders();
  private readonly writing = new Set<Promise<unknown>>();
  private readonly listeners = new Set<(bytes: number) => void>();

  constructor(deps: FilesDeps) {
    this.deps = deps;
    this.sql = deps.sql;
    this.blobs = deps.blobs;
    this.project = deps.project ?? DEFAULT_PROJECT;
  }

  async add({ name, type, content, maxBytes }: NewFile, holder?: Holder): Promise<StoredFile> {
    const [{ cleanName }, { createSniffer, mediaTypeOf }] = await Promise.all([
      import('./file-name.ts'),
      import('./media-type.ts'),
    ]);
    const sniffer = createSniffer();
    const blob = await this.blobs.put(limited(sniffer.watch(content), maxBytes));
    try {
      const media = mediaTypeOf(await sniffer.found(), type);
      const $file = `f_${randomBytes(24).toString('base64url')}`;
      const value: FileValue = { $file, name: cleanName(name, media), type: media, bytes: blob.bytes };
      await this.sql.batch([
        [ADD, this.project, $file, blob.id, value.name, media, blob.bytes, blob.sha256, this.deps.now()],
        ...(holder ? [this.holding(holder, $file)] : []),
      ]);
      for (const listener of this.listeners) listener(blob.bytes);
      return { value, blob: blob.id, sha256: blob.sha256 };
    } catch (error) {
      await this.blobs.remove(blob.id).catch(() => undefined);
      throw error;
    }
  }

  async find(handle: string, holder: Holder): Promise<StoredFile | undefined> {
    const row = this.fresh.has(holder, handle)
      ? await this.sql.first<Row>(FIND_ANY, this.project, handle)
      : await this.sql.first<Row>(FIND, this.project, handle, holder.kind, holder.id);
    return row && fileOf(row);
  }

  async link(link: Link, holder: Holder): Promise<StoredFile> {
    const [{ cleanName }, { createSniffer, mediaTypeOf, SNIFFED }] = await Promise.all([
      import('./file-name.ts'),
      import('./media-type.ts'),
    ]);
    const blob = blobOf(link);
    const sniffer = createSniffer();
    for await (const _ of sniffer.watch(await this.open(blob, { first: 0, last: SNIFFED - 1 })));
    const media = mediaTypeOf(await sniffer.found(), undefined);
    const $file = `f_${randomBytes(24).toString('base64url')}`;
    const value: FileValue = { $file, name: cleanName(link.path, media), type: media, bytes: link.bytes };
    const sha256 = hash('sha256', blob, 'hex');
    await this.sql.batch([
      [ADD, this.project, $file, blob, value.name, media, link.bytes, sha256, this.deps.now()],
      this.holding(holder, $file),
    ]);
    return { value, blob, sha256 };
  }

  read({ blob }: StoredFile, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    return this.open(blob, range);
  }

  private async open(blob: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const link = linkOf(blob);
    if (link === undefined) return this.blobs.open(blob, range);
    if (this.deps.linked === undefined) throw changed();
    return this.deps.linked(link, range);
  }

  /** Copies those that are still in their original place. One that cannot be copied stays there: its reader gets the error. */
  private async copy(handles: readonly string[]): Promise<void> {
    for (const handle of handles) await this.copyOne(handle).catch((error) => this.deps.warn?.(error));
  }

  private async copyOne(handle: string): Promise<void> {
    const row = await this.sql.first<Row>(FIND_ANY, this.project, handle);
    if (row === undefined || linkOf(row.blob) === undefined) return;
    const copied = await this.blobs.put(await this.open(row.blob));
    const values = [copied.id, copied.sha256, this.project, handle, row.blob] as const;
    if ((await this.sql.run(COPIED, ...values)) === 0) await this.blobs.remove(copied.id);
  }

  give(handles: readonly string[], holder: Holder): Promise<void> {
    if (handles.length === 0) return Promise.resolve();
    this.fresh.add(holder, handles);
    const copied = holder.kind === 'run' ? Promise.resolve() : this.copy(handles);
    const wrote: Promise<void> = copied
      .then(() => this.sql.batch(handles.map((handle) => this.holding(holder, handle))))
      .then(() => this.fresh.remove(holder, handles), this.deps.warn)
      .finally(() => this.writing.delete(wrote));
    this.writing.add(wrote);
    return wrote;
  }

  async of({ kind, id }: Holder): Promise<string[]> {
    await this.settled();
    const rows = await this.sql.all<Pick<Row, 'handle'>>(HELD_BY, this.project, kind, id);
    return rows.map(({ handle }) => handle);
  }

  async bytesOf(kind: HolderKind, ids?: readonly [string, string]): Promise<number> {
    await this.settled();
    const given = [this.project, this.project, kind] as const;
    const row = await (ids === undefined
      ? this.sql.first<Pick<Row, 'bytes'>>(BYTES_OF, ...given)
      : this.sql.first<Pick<Row, 'bytes'>>(BYTES_OF_TWO, ...given, ...ids));
    return row?.bytes ?? 0;
  }

  async replace(holder: Holder, handles: readonly string[]): Promise<void> {
    if (holder.kind !== 'run') await this.copy(handles);
    await this.sql.batch([
      [LET_GO, this.project, holder.kind, holder.id],
      ...handles.map((handle) => this.holding(holder, handle)),
    ]);
  }

  async holders(kind: HolderKind): Promise<Holder[]> {
    await this.settled();
    return this.sql.all<Holder>(HOLDERS_OF, this.project, kind);
  }

  onAdded(listener: (bytes: number) => void): void {
    this.listeners.add(listener);
  }

  async release(holder: Holder): Promise<number> {
    const handles = await this.of(holder);
    await this.sql.run(LET_GO, this.project, holder.kind, holder.id);
    return this.dropAll(handles);
  }

  async discard(handles: readonly string[]): Promise<void> {
    await this.settled();
    await this.dropAll(handles);
  }

  async sweep(isThere: (holder: Holder) => Promise<boolean>): Promise<number> {
    await this.settled();
    for (const { kind, id } of await this.sql.all<Holder>(HOLDERS, this.project))
      if (!(await isThere({ kind, id }))) await this.sql.run(LET_GO, this.project, kind, id);
    await this.sql.run(MARK, this.deps.now(), this.project);
    const count = await this.dropUnheld();
    await this.dropLeftovers();
    return count;
  }

  async settled(): Promise<void> {
    while (this.writing.size > 0) await Promise.all(this.writing);
  }

  private holding({ kind, id }: Holder, handle: string): SqlStatement {
    return [HOLD, this.project, kind, id, handle];
  }

  /** Returns the bytes of those without a holder. */
  private async dropAll(handles: readonly string[]): Promise<number> {
    let bytes = 0;
    for (const handle of handles) {
      const row = await this.sql.first<Row>(FIND_ANY, this.project, handle);
      if (row && (await this.drop(row, Number.MAX_SAFE_INTEGER))) bytes += row.bytes;
    }
    return bytes;
  }

  /** Unless it got a holder meanwhile. */
  private async drop({ handle, blob }: Pick<Row, 'handle' | 'blob'>, before: number): Promise<boolean> {
    if ((await this.sql.run(DROP, this.project, handle, before)) === 0) return false;
    if (linkOf(blob) === undefined) await this.blobs.remove(blob);
    return true;
  }

  private async dropUnheld(): Promise<number> {
    const before = this.deps.now() - UNHELD_MS;
    let count = 0;
    for (;;) {
      const rows = await this.sql.all<Pick<Row, 'handle' | 'blob'>>(UNHELD, this.project, before);
      for (const row of rows) if (await this.drop(row, before)) count++;
      if (rows.length < UNHELD_AT_ONCE) return count;
    }
  }

  /** Bytes whose file was never stored, or was deleted just before a crash. */
  private async dropLeftovers(): Promise<void> {
    const before = this.deps.now() - UNHELD_MS;
    for await (const { id, at } of this.blobs.ids())
      if (at < before && !(await this.sql.first(HAS_BLOB, this.project, id))) await this.blobs.remove(id);
  }
}

/** Holders that are not stored yet. */
class FreshHolders {
  private readonly all = new Map<string, Map<string, number>>();

  add(holder: Holder, handles: readonly string[]): void {
    const name = nameOf(holder);
    const held = this.all.get(name) ?? new Map<string, number>();
    this.all.set(name, held);
    for (const handle of handles) held.set(handle, (held.get(handle) ?? 0) + 1);
  }

  remove(holder: Holder, handles: readonly string[]): void {
    const held = this.all.get(nameOf(holder));
    for (const handle of handles) {
      const times = (held?.get(handle) ?? 0) - 1;
      if (times > 0) held?.set(handle, times);
      else held?.delete(handle);
    }
    if (held?.size === 0) this.all.delete(nameOf(holder));
  }

  has(holder: Holder, handle: string): boolean {
    return this.all.get(nameOf(holder))?.has(handle) === true;
  }
}

function nameOf({ kind, id }: Holder): string {
  return `${kind} ${id}`;
}

function fileOf({ handle, blob, name, type, bytes, sha256 }: Row): StoredFile {
  return { value: { $file: handle, name, type, bytes }, blob, sha256 };
}

async function* limited(
  content: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > maxBytes) throw fileTooLarge(maxBytes);
    yield piece;
  }
}

export function fileTooLarge(maxBytes: number): WeftError {
  const shown = maxBytes.toLocaleString('en-US');
  return new WeftError(
    'file_too_large',
    `The file is larger than the ${shown} bytes that are accepted here.`,
  );
}
