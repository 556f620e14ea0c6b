import { DatabaseSync } from 'node:sqlite';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import type { SplitSettings } from '#shared/split-document.ts';
import type { NewDocument, NewSpace, PageAsked, StoredSpace } from '../store.ts';
import { chunkOf, documentOf, hashOf, spaceOf } from '../stored-rows.ts';
import {
  addDistance,
  type Db,
  DOCUMENT,
  dropChunks,
  putSource,
  type Row,
  statementsOf,
  type Whole,
} from './db.ts';
import type { Rows, StoreSetup } from './protocol.ts';
import { fillPlaces, tidyNear, unlistDocument, unlistSpace } from './near.ts';
import { createSearch } from './search.ts';
import { workRows } from './work.ts';

/** How long to wait for another writer of the same file, in milliseconds. */
const BUSY_MS = 10_000;

/** The store's reads and writes, on the thread that calls them. */
export function createRows({ file, project, writes }: StoreSetup): Rows {
  const db = new DatabaseSync(file, { timeout: BUSY_MS, allowExtension: true });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 4294967296;');
  const own = statementsOf(db, project, addDistance(db));
  const whole = <T>(work: () => T): T => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK');
    }
  };
  if (writes) tidyNear(own, whole);
  return {
    ...spaceRows(own, whole),
    ...documentRows(own, whole),
    ...workRows(own, whole),
    search: createSearch(own),
    withoutMeaning: () => null,
    close: () => db.close() as never,
  };
}

// --------------------------------------------------------------------------------------------------------- spaces

const SPACE = `SELECT spaces.*,
  (SELECT count(*) FROM documents d WHERE d.project = spaces.project AND d.space = spaces.id) AS documents,
  (SELECT coalesce(sum(d.chunks), 0) FROM documents d WHERE d.project = spaces.project AND d.space = spaces.id) AS chunks
  FROM spaces WHERE project = ?`;

function spaceRows(db: Db, whole: Whole) {
  const { project } = db;
  const space = (id: string) => spaceOf(db.first(`${SPACE} AND id = ?`, project, Number(id)));
  const spaceNamed = (name: string) => spaceOf(db.first(`${SPACE} AND name = ?`, project, name));
  return {
    spaces: () => db.all(`${SPACE} ORDER BY id`, project).map((row) => spaceOf(row) as StoredSpace),
    space,
    spaceNamed,
    addSpace: (made: NewSpace) =>
      whole(() => {
        if (spaceNamed(made.name)) return undefined;
        const now = Date.now();
        db.run(
          `INSERT INTO spaces (project, name, description, owner, model, split, extra, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[project, made.name, made.description, made.owner, made.model],
          ...[JSON.stringify(made.split), JSON.stringify(made.extra), now, now],
        );
        return spaceNamed(made.name);
      }),
    changeSpace: (id: string, change: Partial<NewSpace>) =>
      whole(() => {
        const before = space(id);
        if (before === undefined) return undefined;
        const next = { ...before, ...change };
        if (next.name !== before.name && spaceNamed(next.name)) return 'taken' as const;
        db.run(
          `UPDATE spaces SET name = ?, description = ?, owner = ?, model = ?, split = ?, extra = ?, updated_at = ?
           WHERE project = ? AND id = ?`,
          ...[next.name, next.description, next.owner, next.model],
          ...[JSON.stringify(next.split), JSON.stringify(next.extra), Date.now(), project, Number(id)],
        );
        if (next.model !== before.model) embedAgain(db, Number(id), next.model);
        return space(id);
      }),
    removeSpace: (id: string) =>
      whole(() => {
        const documents = db.all<{ id: number }>(
          'SELECT id FROM documents WHERE project = ? AND space = ?',
          ...[project, Number(id)],
        );
        unlistSpace(db, Number(id));
        for (const document of documents) dropDocument(db, document.id);
        return db.run('DELETE FROM spaces WHERE project = ? AND id = ?', project, Number(id)) > 0;
      }),
  };
}

/** Documents whose chunks have to be embedded with another model; without a model they are ready. */
function embedAgain(db: Db, space: number, model: string | null): void {
  const status = model === null ? 'ready' : 'embedding';
  unlistSpace(db, space);
  db.run(
    `UPDATE documents SET status = ?, embedded = 0, version = version + 1
     WHERE project = ? AND space = ? AND status IN ('ready', 'embedding')`,
    ...[status, db.project, space],
  );
}

// ------------------------------------------------------------------------------------------------------ documents

function documentRows(db: Db, whole: Whole) {
  const { project } = db;
  const document = (id: string) => documentOf(db.first(`${DOCUMENT} AND id = ?`, project, Number(id)));
  const documentNamed = (space: string, name: string) =>
    documentOf(db.first(`${DOCUMENT} AND space = ? AND name = ?`, project, Number(space), name));
  return {
    document,
    documentNamed,
    documents(space: string | undefined, { offset, limit }: PageAsked) {
      const which = 'project = ? AND (CAST(? AS INTEGER) IS NULL OR space = ?)';
      const id = space === undefined ? null : Number(space);
      const rows = db.all(
        `SELECT * FROM documents WHERE ${which} ORDER BY id LIMIT ? OFFSET ?`,
        ...[project, id, id, limit, offset],
      );
      const count = db.first<{ n: number }>(
        `SELECT count(*) AS n FROM documents WHERE ${which}`,
        project,
        id,
        id,
      );
      return { items: rows.map((row) => documentOf(row) as KnowledgeDocument), total: count?.n ?? 0 };
    },
    putDocument: (made: NewDocument) => whole(() => putDocument(db, made)),
    restart: (id: string, split?: SplitSettings) =>
      whole(() => {
        db.run(
          `UPDATE documents SET status = 'waiting', problem = NULL, version = version + 1, updated_at = ?,
           split = coalesce(?, split) WHERE project = ? AND id = ?`,
          ...[Date.now(), split === undefined ? null : JSON.stringify(split), project, Number(id)],
        );
        return document(id);
      }),
    changeDocument: (id: string, metadata: KnowledgeDocument['metadata']) =>
      whole(() => {
        db.run(
          'UPDATE documents SET metadata = ?, updated_at = ? WHERE project = ? AND id = ?',
          ...[JSON.stringify(metadata), Date.now(), project, Number(id)],
        );
        return document(id);
      }),
    removeDocument: (id: string) => whole(() => removeDocument(db, document(id))),
    chunks(id: string, { offset, limit }: PageAsked) {
      const which = 'FROM chunks WHERE project = ? AND document = ?';
      const rows = db.all(
        `SELECT * ${which} ORDER BY n LIMIT ? OFFSET ?`,
        project,
        Number(id),
        limit,
        offset,
      );
      const count = db.first<{ n: number }>(`SELECT count(*) AS n ${which}`, project, Number(id));
      return { items: rows.map(chunkOf), total: count?.n ?? 0 };
    },
  };
}

function putDocument(db: Db, made: NewDocument): KnowledgeDocument {
  const { project } = db;
  const find = () =>
    db.first(`${DOCUMENT} AND space = ? AND name = ?`, project, Number(made.space), made.name);
  const before = find();
  const hash = hashOf(made.content);
  const split = JSON.stringify(made.split);
  const metadata = JSON.stringify(made.metadata);
  const now = Date.now();
  const isSame =
    before?.['status'] === 'ready' &&
    made.kind !== 'url' &&
    before['hash'] === hash &&
    before['split'] === split &&
    before['type'] === made.type;
  if (before === undefined)
    db.run(
      `INSERT INTO documents (project, space, name, kind, type, url, metadata, split, hash, bytes, version, status,
       unread, chunks, embedded, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'waiting', '[]', 0, 0, ?, ?)`,
      ...[project, Number(made.space), made.name, made.kind, made.type, made.url, metadata, split, hash],
      ...[made.content.length, now, now],
    );
  else if (isSame) db.run('UPDATE documents SET metadata = ? WHERE id = ?', metadata, before['id'] as number);
  else
    db.run(
      `UPDATE documents SET kind = ?, type = ?, url = ?, metadata = ?, split = ?, hash = ?, bytes = ?,
       version = version + 1, status = 'waiting', problem = NULL, updated_at = ? WHERE id = ?`,
      ...[
        made.kind,
        made.type,
        made.url,
        metadata,
        split,
        hash,
        made.content.length,
        now,
        before['id'] as number,
      ],
    );
  const row = find() as Row;
  if (!isSame) putSource(db, row['id'] as number, made.content);
  return documentOf(row) as KnowledgeDocument;
}

function removeDocument(db: Db, document: KnowledgeDocument | undefined): boolean {
  if (document === undefined) return false;
  const isGone = dropDocument(db, Number(document.id));
  fillPlaces(db, Number(document.space));
  return isGone;
}

function dropDocument(db: Db, id: number): boolean {
  const { project } = db;
  unlistDocument(db, id);
  dropChunks(db, id);
  db.run('DELETE FROM sources WHERE project = ? AND document = ?', project, id);
  return db.run('DELETE FROM documents WHERE project = ? AND id = ?', project, id) > 0;
}
