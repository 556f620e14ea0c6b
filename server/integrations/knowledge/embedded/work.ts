import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { type Chunk, splitDocument } from '#shared/split-document.ts';
import { documentOf, hashOf, idOf } from '../stored-rows.ts';
import { indexed } from '../words.ts';
import { type Db, DOCUMENT, dropChunks, dropVector, hashesOf, putSource, type Whole } from './db.ts';
import { addDocument, addVector, fillPlaces, listLarge, unlistDocument } from './near.ts';
import type { Rows } from './protocol.ts';

/** The steps of loading a document. */

const CURRENT = 'project = ? AND id = ? AND version = ?';
const WITHOUT_VECTOR = `FROM chunks c WHERE c.project = ? AND c.document = ?
  AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.project = c.project AND v.model = ? AND v.hash = c.hash)`;

export function workRows(
  db: Db,
  whole: Whole,
): Pick<
  Rows,
  'unfinished' | 'claim' | 'release' | 'source' | 'begin' | 'fetched' | 'replaceChunks' | 'finish'
> &
  Embedding {
  const { project } = db;
  return {
    ...embeddingRows(db, whole),
    unfinished: () =>
      db
        .all(`${DOCUMENT} AND status IN ('waiting', 'reading', 'embedding') ORDER BY id`, project)
        .map(({ id }) => idOf(id)),
    // The lock of the data folder keeps other processes away.
    claim: () => true,
    release: () => undefined,
    source(id) {
      const row = db.first(
        `SELECT documents.*, content, model, spaces.name AS space_name FROM documents
         JOIN sources ON sources.project = documents.project AND sources.document = documents.id
         JOIN spaces ON spaces.id = documents.space WHERE documents.project = ? AND documents.id = ?`,
        ...[project, Number(id)],
      );
      const document = documentOf(row);
      if (row === undefined || document === undefined) return undefined;
      const content = row['content'] as Uint8Array;
      const [version, space] = [row['version'] as number, row['space_name'] as string];
      return { document, version, space, model: row['model'] as string | null, content };
    },
    begin: (id, version) =>
      db.run(`UPDATE documents SET status = 'reading' WHERE ${CURRENT}`, project, Number(id), version) > 0,
    fetched: (id, version, content, type) =>
      whole(() => {
        const changed = db.run(
          `UPDATE documents SET hash = ?, bytes = ?, type = ? WHERE ${CURRENT}`,
          ...[hashOf(content), content.length, type, project, Number(id), version],
        );
        if (changed > 0) putSource(db, Number(id), content);
        return changed > 0;
      }),
    replaceChunks: (id, version, read) => whole(() => replaceChunks(db, Number(id), version, read)),
    finish(id, version, problem) {
      db.run(
        `UPDATE documents SET status = ?, problem = ?, updated_at = ? WHERE ${CURRENT}`,
        ...[
          problem ? 'failed' : 'ready',
          problem && JSON.stringify(problem),
          Date.now(),
          project,
          Number(id),
          version,
        ],
      );
    },
  };
}

type Embedding = Pick<Rows, 'toEmbed' | 'addVectors'>;

function embeddingRows(db: Db, whole: Whole): Embedding {
  const { project } = db;
  return {
    toEmbed: (id, model, limit) =>
      db.all(
        `SELECT c.hash, min(CASE c.heading WHEN '' THEN c.text ELSE c.heading || char(10) || c.text END) AS text
         ${WITHOUT_VECTOR} GROUP BY c.hash LIMIT ?`,
        ...[project, Number(id), model, limit],
      ),
    addVectors: (id, model, vectors) =>
      whole(() => {
        for (const [hash, vector] of vectors) {
          const isNew = db.run(
            'INSERT INTO vectors (project, model, hash, vector) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
            ...[project, model, hash, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)],
          );
          if (isNew > 0) addVector(db, model, hash);
        }
        const of = db.first<{ space: number }>(
          `SELECT d.space FROM documents d JOIN spaces s ON s.id = d.space
           WHERE d.project = ? AND d.id = ? AND s.model = ?`,
          ...[project, Number(id), model],
        );
        if (of !== undefined) listLarge(db, of.space, model);
        const left = db.first<{ n: number }>(
          `SELECT count(*) AS n ${WITHOUT_VECTOR}`,
          project,
          Number(id),
          model,
        );
        db.run(
          'UPDATE documents SET embedded = chunks - ? WHERE project = ? AND id = ?',
          ...[left?.n ?? 0, project, Number(id)],
        );
      }),
  };
}

function replaceChunks(
  db: Db,
  id: number,
  version: number,
  { parts, pages, unread }: Parameters<Rows['replaceChunks']>[2],
): boolean {
  const { project } = db;
  const row = db.first(`SELECT * FROM documents WHERE ${CURRENT}`, project, id, version);
  const document = documentOf(row);
  if (document === undefined) return false;
  const old = hashesOf(db, id);
  unlistDocument(db, id);
  dropChunks(db, id, { keepVectors: true });
  let n = 0;
  for (const chunk of splitDocument(parts, document.split)) addChunk(db, document, n++, chunk);
  addDocument(db, Number(document.space), id);
  for (const hash of old) dropVector(db, hash);
  db.run(
    `UPDATE documents SET status = 'embedding', chunks = ?, embedded = 0, pages = ?, unread = ?, updated_at = ?
     WHERE project = ? AND id = ?`,
    ...[n, pages, JSON.stringify(unread), Date.now(), project, id],
  );
  fillPlaces(db, Number(document.space));
  return true;
}

function addChunk(
  { project, run }: Db,
  { id, space, name }: KnowledgeDocument,
  n: number,
  chunk: Chunk,
): void {
  const { text, heading, page, start, end } = chunk;
  run(
    `INSERT INTO chunks (project, space, document, n, text, heading, page, first, last, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      project,
      Number(space),
      Number(id),
      n,
      text,
      heading,
      page,
      start,
      end,
      hashOf(`${heading}\n${text}`),
    ],
  );
  run(
    'INSERT INTO chunk_words (rowid, text, heading, name) VALUES (last_insert_rowid(), ?, ?, ?)',
    ...[indexed(text), indexed(heading), indexed(name)],
  );
}
