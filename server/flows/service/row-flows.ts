import { formatLayout, MAX_FLOW_BYTES } from '#engine/check';
import { Layout } from '#shared/layout.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import type { ChangeLog } from '../../storage/database/change-log.ts';
import { DEFAULT_PROJECT, type Sql, type SqlTransaction } from '../../storage/database/sql.ts';
import { type DraftNote, type DraftStore, noteText, readNote } from './drafts.ts';
import { revisionConflict } from './entry.ts';
import type { FileContent, FlowFile } from './flow-files.ts';
import type { DeletedFlows, FlowStore, StagedText } from './flow-store.ts';
import { createRowTrash, keepDeleted } from './row-trash.ts';
import { exchangeRoutes, freeRoutes, noteRoutes, takeRoutes } from './row-routes.ts';
import { createRowVersions } from './row-versions.ts';
import type { RoutePlace } from './trigger-routes.ts';
import type { VersionStore } from './versions.ts';
import type { FlowWatch, WatchHandlers } from './watch-flows.ts';

const FILES = 'SELECT id, text, hash, at FROM flow_file WHERE project = ?';
const DRAFTS = 'SELECT id, text, hash, at, writers FROM flow_draft WHERE project = ?';
const ADD = `INSERT INTO flow_file (project, id, text, hash, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, id) DO NOTHING`;
const REPLACE = 'UPDATE flow_file SET text = ?, hash = ?, at = ? WHERE project = ? AND id = ? AND hash = ?';
const ADD_DRAFT = `INSERT INTO flow_draft (project, id, text, hash, at, writers) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, id) DO NOTHING`;
const REPLACE_DRAFT = `UPDATE flow_draft SET text = ?, hash = ?, at = ?, writers = ?
  WHERE project = ? AND id = ? AND hash = ?`;
const DROP_DRAFT = 'DELETE FROM flow_draft WHERE project = ? AND id = ?';
const DROP_FILE = 'DELETE FROM flow_file WHERE project = ? AND id = ?';
const DROP_LAYOUT = 'DELETE FROM flow_layout WHERE project = ? AND id = ?';
const LAYOUT = 'SELECT json FROM flow_layout WHERE project = ? AND id = ?';
const PUT_LAYOUT = `INSERT INTO flow_layout (project, id, json) VALUES (?, ?, ?)
  ON CONFLICT (project, id) DO UPDATE SET json = excluded.json`;

interface FileRow {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
  readonly at: number;
}
interface DraftRow extends FileRow {
  readonly writers: string;
}

export interface RowFlowsDeps {
  readonly sql: Sql;
  readonly changes: ChangeLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly warn: (error: unknown, message: string) => void;
  readonly project?: string;
  /** Whether flows also come from files of a repository, whose versions are then kept here. */
  readonly keepsFiles?: boolean;
}

/** A text from the repository; undefined: the flow is gone there. */
export interface TakenText {
  readonly id: string;
  readonly text: string | undefined;
  /** Whether it can serve; if not, the serving version goes on, with its routes. */
  readonly works: boolean;
}

/** Stores further data in the same transaction. */
export type Along = (tx: SqlTransaction) => Promise<void>;

/** The place of the files: flows in rows are named like files, but have no folder. */
const HOME = 'database:/';
const ENDING = '.json';

/**
 * Flows in the rows of a database, for servers that share it; read once, then from memory, in step with the change log. Only servers
 * write there, and each stores its own versions, so changes published by others are not stored again.
 */
export async function openRowFlows(deps: RowFlowsDeps): Promise<RowFlows> {
  const store = new RowFlows(deps);
  await store.readAll();
  await store.noteRoutes();
  return store;
}

export class RowFlows implements FlowStore {
  readonly isShared = true;
  readonly drafts: DraftStore;
  readonly versions: VersionStore;
  readonly deleted: DeletedFlows;
  private readonly deps: RowFlowsDeps;
  private readonly project: string;
  protected readonly rows: Rows = { files: new Map(), drafts: new Map() };
  /** The hashes of files at their last read. */
  private readonly seen = new Map<string, string>();
  private readonly handlers = new Set<WatchHandlers>();
  private last: Promise<unknown> = Promise.resolve();
  /** The newest change of a turn, which all servers have to apply. */
  private made = 0;

  constructor(deps: RowFlowsDeps) {
    const { sql, changes, warn, keepsFiles, project = DEFAULT_PROJECT } = deps;
    this.deps = deps;
    this.project = project;
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => this.inTurn(work);
    this.deleted = createRowTrash(sql, project);
    this.versions = createRowVersions({ sql, changes, project, keepsFiles, inTurn, warn });
    this.drafts = {
      all: () => [...this.rows.drafts.values()].map(draftOf),
      write: (...draft) => this.writeDraft(...draft),
      remove: (id) => this.removeDraft(id),
    };
    changes.follow('flow', (ids) => this.readChanged(ids));
  }

  readAll(): Promise<void> {
    const { sql } = this.deps;
    return this.inTurn(async () => {
      const all = await sql.all<FileRow>(FILES, this.project);
      const allDrafts = await sql.all<DraftRow>(DRAFTS, this.project);
      this.rows.files = new Map(all.map((row) => [row.id, row]));
      this.rows.drafts = new Map(allDrafts.map((row) => [row.id, row]));
    });
  }

  /** Stores the routes of texts that were stored without; once, at the start. */
  noteRoutes(): Promise<void> {
    return noteRoutes(this.deps.sql, this.project, this.rows.files.values());
  }

  scan(): FlowFile[] {
    return [...this.rows.files.keys()].sort().map(fileOf);
  }

  at(path: string): FlowFile | undefined {
    return path.startsWith(HOME) && path.endsWith(ENDING) ? fileOf(idOf(path)) : undefined;
  }

  place(id: string): string {
    return pathOf(id);
  }

  read(path: string, known?: string): FileContent | 'same' | undefined {
    const row = this.rows.files.get(idOf(path));
    if (row === undefined) {
      this.seen.delete(path);
      return undefined;
    }
    this.seen.set(path, row.hash);
    return row.hash === known ? 'same' : contentOf(row);
  }

  isThere(path: string): boolean {
    return this.rows.files.has(idOf(path));
  }

  changed(known: Iterable<string>): string[] {
    const all = new Set([...known, ...this.seen.keys(), ...[...this.rows.files.keys()].map(pathOf)]);
    return [...all].filter(
      (path) => path.startsWith(HOME) && this.rows.files.get(idOf(path))?.hash !== this.seen.get(path),
    );
  }

  stage(path: string, text: string): StagedText {
    return {
      commit: (before, routes) => this.write({ id: idOf(path), text, routes, before }),
      discard: async () => {},
    };
  }

  async layout(path: string): Promise<Layout | undefined> {
    const row = await this.deps.sql.first<{ readonly json: string }>(LAYOUT, this.project, idOf(path));
    return row && Layout.safeParse(JSON.parse(row.json)).data;
  }

  saveLayout(path: string, layout: Layout): Promise<void> {
    const id = idOf(path);
    const write = async (tx: SqlTransaction): Promise<void> =>
      void (await tx.run(PUT_LAYOUT, this.project, id, formatLayout(layout)));
    return this.change(id, write, () => {});
  }

  remove(id: string, _path: string, at: number): Promise<void> {
    return this.removeAlong(id, at, async () => {});
  }

  removeAlong(id: string, at: number, along: Along): Promise<void> {
    const { files, drafts } = this.rows;
    const write = async (tx: SqlTransaction): Promise<void> => {
      await moveToTrash(tx, [this.project, id], { at, file: files.get(id), draft: drafts.get(id) });
      await along(tx);
    };
    return this.change(id, write, () => {
      this.rows.files.delete(id);
      this.rows.drafts.delete(id);
    });
  }

  watch(handlers: WatchHandlers): FlowWatch {
    this.handlers.add(handlers);
    handlers.onReady();
    return { close: async () => void this.handlers.delete(handlers) };
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    const { changes } = this.deps;
    try {
      return await changes.alone('flows', work);
    } finally {
      const { made } = this;
      this.made = 0;
      if (made > 0) await changes.spread(made);
    }
  }

  /** The hash of a flow's text. */
  hash(id: string): string | undefined {
    return this.rows.files.get(id)?.hash;
  }

  /**
   * Imports texts, all at once. Returns the paths of those that differ from before. Rejects with
   * `revision_conflict` if this server did not know the text to be replaced.
   */
  async take(taken: readonly TakenText[], along: Along): Promise<string[]> {
    const { sql, changes, now } = this.deps;
    const at = now();
    const news = taken.filter(({ id, text }) => this.rows.files.get(id)?.text !== text);
    await this.inTurn(async () => {
      this.made = await sql.transaction(async (tx) => {
        await putTaken(tx, this.project, { at, news, before: this.rows.files });
        await along(tx);
        let { made } = this;
        for (const { id } of news) made = await changes.add(tx, 'flow', id);
        return made;
      });
      for (const { id, text } of news) {
        if (text === undefined) this.rows.files.delete(id);
        else this.rows.files.set(id, { id, text, hash: contentHash(text), at });
      }
    });
    return news.map(({ id }) => pathOf(id));
  }

  /** Replaces the text with the hash `before`, or creates one if it is undefined. */
  async write({ id, text, routes, before }: LiveText, along?: Along): Promise<void> {
    const { project } = this;
    checkSize(text);
    const row: FileRow = { id, text, hash: contentHash(text), at: this.deps.now() };
    const write = async (tx: SqlTransaction): Promise<void> => {
      const changed =
        before === undefined
          ? await tx.run(ADD, project, id, text, row.hash, row.at)
          : await tx.run(REPLACE, text, row.hash, row.at, project, id, before);
      if (changed === 0) throw revisionConflict(id, undefined);
      if (routes !== undefined) await takeRoutes(tx, { project, id, hash: row.hash }, routes);
      await along?.(tx);
    };
    await this.change(id, write, () => {
      this.rows.files.set(id, row);
      this.seen.set(pathOf(id), row.hash);
    });
  }

  private async writeDraft(
    id: string,
    text: string,
    note: DraftNote,
  ): Promise<Pick<FileContent, 'hash' | 'modifiedAt'>> {
    const { project } = this;
    const writers = noteText(note);
    const row: DraftRow = { id, text, hash: contentHash(text), at: this.deps.now(), writers };
    const before = this.rows.drafts.get(id)?.hash;
    const write = async (tx: SqlTransaction): Promise<void> => {
      const changed =
        before === undefined
          ? await tx.run(ADD_DRAFT, project, id, text, row.hash, row.at, writers)
          : await tx.run(REPLACE_DRAFT, text, row.hash, row.at, writers, project, id, before);
      if (changed === 0) throw revisionConflict(id, undefined);
    };
    await this.change(id, write, () => void this.rows.drafts.set(id, row));
    return { hash: row.hash, modifiedAt: row.at };
  }

  private removeDraft(id: string): Promise<void> {
    const write = async (tx: SqlTransaction): Promise<void> =>
      void (await tx.run(DROP_DRAFT, this.project, id));
    return this.change(id, write, () => void this.rows.drafts.delete(id));
  }

  /** Reads and reports the changes of other servers. */
  private async readChanged(ids: ReadonlySet<string> | 'all'): Promise<void> {
    const known = (): string[] => [...this.rows.files.keys(), ...this.rows.drafts.keys()];
    const before = known();
    if (ids === 'all') await this.readAll();
    else for (const id of ids) await this.readOne(id);
    const asked = ids === 'all' ? new Set([...before, ...known()]) : ids;
    for (const { onOthers } of this.handlers) await onOthers([...asked].map(pathOf));
  }

  private readOne(id: string): Promise<void> {
    const { sql } = this.deps;
    return this.inTurn(async () => {
      const file = await sql.first<FileRow>(`${FILES} AND id = ?`, this.project, id);
      const draft = await sql.first<DraftRow>(`${DRAFTS} AND id = ?`, this.project, id);
      if (file === undefined) this.rows.files.delete(id);
      else this.rows.files.set(id, file);
      if (draft === undefined) this.rows.drafts.delete(id);
      else this.rows.drafts.set(id, draft);
    });
  }

  /** Changes rows of one flow, and then memory. */
  private change(id: string, work: (tx: SqlTransaction) => Promise<void>, done: () => void): Promise<void> {
    const { sql, changes } = this.deps;
    return this.inTurn(async () => {
      const seq = await sql.transaction(async (tx) => {
        await work(tx);
        return changes.add(tx, 'flow', id);
      });
      this.made = Math.max(this.made, seq);
      done();
    });
  }

  /** In turn, so that a read never overwrites a change that this server has made since. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}

export interface LiveText {
  readonly id: string;
  readonly text: string;
  readonly before: string | undefined;
  /** Undefined: they are stored at the next start. */
  readonly routes: readonly RoutePlace[] | undefined;
}

interface Rows {
  files: Map<string, FileRow>;
  drafts: Map<string, DraftRow>;
}

function pathOf(id: string): string {
  return `${HOME}${id}${ENDING}`;
}

function idOf(path: string): string {
  return path.slice(HOME.length, -ENDING.length);
}

function fileOf(id: string): FlowFile {
  return { id, path: pathOf(id), shown: `${id}${ENDING}`, rank: `0000\0${id}${ENDING}` };
}

function contentOf({ text, hash, at }: FileRow): FileContent {
  const bytes = Buffer.from(text);
  return { bytes, failure: undefined, hash, modifiedAt: at, size: bytes.length };
}

function draftOf(row: DraftRow): ReturnType<DraftStore['all']>[number] {
  return { id: row.id, content: contentOf(row), ...readNote(row.writers) };
}

export function checkSize(text: string): void {
  if (Buffer.byteLength(text) > MAX_FLOW_BYTES)
    throw new ServiceError('body_too_large', `A flow has at most ${MAX_FLOW_BYTES / 1e6} MB.`);
}

/**
 * A flow that is gone from the repository keeps its draft, so that no work is lost. Only a text known to this server is replaced: while it
 * stood still, another one may have saved.
 */
async function putTaken(
  tx: SqlTransaction,
  project: string,
  { at, news, before }: { at: number; news: readonly TakenText[]; before: ReadonlyMap<string, FileRow> },
): Promise<void> {
  for (const { id, text } of news) {
    const known = before.get(id);
    const place = [project, id] as const;
    let changed = 1;
    if (text === undefined && known !== undefined) {
      changed = await tx.run(`${DROP_FILE} AND hash = ?`, ...place, known.hash);
      await keepDeleted(tx, place, { at, text: known.text });
    } else if (text !== undefined) {
      const hash = contentHash(text);
      changed =
        known === undefined
          ? await tx.run(ADD, ...place, text, hash, at)
          : await tx.run(REPLACE, text, hash, at, ...place, known.hash);
    }
    if (changed === 0) throw revisionConflict(id, undefined);
  }
  await exchangeRoutes(tx, project, news);
}

/** Deletes the flow only in the state that this server knows. */
async function moveToTrash(
  tx: SqlTransaction,
  which: readonly [project: string, id: string],
  { at, file, draft }: { at: number; file: FileRow | undefined; draft: DraftRow | undefined },
): Promise<void> {
  const isSame = async (text: string, known: FileRow | undefined): Promise<boolean> =>
    (await tx.first<FileRow>(`${text} AND id = ?`, ...which))?.hash === known?.hash;
  if (!(await isSame(FILES, file)) || !(await isSame(DRAFTS, draft)))
    throw new ServiceError('conflict', `Flow ${which[1]} was changed during the removal; it stays.`);
  const layout = await tx.first<{ readonly json: string }>(LAYOUT, ...which);
  if (file === undefined && draft === undefined) return;
  await keepDeleted(tx, which, { at, text: file?.text, draft: draft?.text, layout: layout?.json });
  for (const text of [DROP_FILE, DROP_DRAFT, DROP_LAYOUT]) await tx.run(text, ...which);
  await freeRoutes(tx, ...which);
}
