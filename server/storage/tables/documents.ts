import type { StoreTables } from './store-tables.ts';

/** Used where there is no folder for `db.json`. */
export const documentTables: StoreTables = {
  tables: [
    `CREATE TABLE document (
      project TEXT NOT NULL, part TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, part)
    ) STRICT`,
  ],
  older: { before: [], after: [] },
};
