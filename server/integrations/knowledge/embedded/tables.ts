import type { Migration } from '../../../storage/database/migration.ts';

/**
 * The tables of `knowledge.db`. The full-text index has no copy of the text, which is in `chunks`. Vectors are stored by the hash
 * of their text, so that the same text is embedded once.
 */
export const knowledgeMigrations: readonly Migration[] = [
  {
    n: 1,
    name: 'spaces, documents, chunks',
    statements: [
      `CREATE TABLE spaces (
        project TEXT NOT NULL, id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, description TEXT NOT NULL,
        owner TEXT NOT NULL, model TEXT, split TEXT NOT NULL, extra TEXT NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL, UNIQUE (project, name)
      ) STRICT`,
      `CREATE TABLE documents (
        project TEXT NOT NULL, id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, name TEXT NOT NULL,
        kind TEXT NOT NULL, type TEXT NOT NULL, url TEXT, metadata TEXT NOT NULL, split TEXT NOT NULL,
        hash TEXT NOT NULL, bytes INTEGER NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL, problem TEXT,
        unread TEXT NOT NULL, pages INTEGER, chunks INTEGER NOT NULL, embedded INTEGER NOT NULL,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (project, space, name)
      ) STRICT`,
      "CREATE INDEX documents_unfinished ON documents (project, status) WHERE status IN ('waiting', 'reading', 'embedding')",
      `CREATE TABLE sources (
        project TEXT NOT NULL, document INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (project, document)
      ) STRICT`,
      `CREATE TABLE chunks (
        project TEXT NOT NULL, id INTEGER PRIMARY KEY AUTOINCREMENT, space INTEGER NOT NULL, document INTEGER NOT NULL,
        n INTEGER NOT NULL, text TEXT NOT NULL, heading TEXT NOT NULL, page INTEGER, first INTEGER NOT NULL,
        last INTEGER NOT NULL, hash TEXT NOT NULL, UNIQUE (project, document, n)
      ) STRICT`,
      'CREATE INDEX chunks_space ON chunks (project, space)',
      'CREATE INDEX chunks_hash ON chunks (project, hash)',
      `CREATE VIRTUAL TABLE chunk_words USING fts5(
        text, heading, name, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
      )`,
      // A document is usually written as a whole; the default of 1 MB makes it slower.
      "INSERT INTO chunk_words (chunk_words, rank) VALUES ('hashsize', 8000000)",
      `CREATE TABLE vectors (
        project TEXT NOT NULL, model TEXT NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (project, model, hash)
      ) STRICT`,
    ],
  },
  { n: 2, name: 'vectors by hash', statements: ['CREATE INDEX vectors_hash ON vectors (project, hash)'] },
  {
    n: 3,
    name: 'vectors of large spaces side by side',
    statements: [
      `CREATE TABLE near (
        space INTEGER PRIMARY KEY, model TEXT NOT NULL, dimensions INTEGER NOT NULL, made_by TEXT NOT NULL,
        dropped INTEGER NOT NULL
      ) STRICT`,
    ],
  },
  {
    n: 4,
    name: 'lengths of vectors',
    statements: ['CREATE INDEX vectors_length ON vectors (project, model, length(vector) / 4)'],
  },
];
