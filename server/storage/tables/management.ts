import type { StoreTables } from './store-tables.ts';

/** Version 0.1.0 wrote the audit to its log only. */
export const auditTables: StoreTables = {
  tables: [
    `CREATE TABLE audit (
      project TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
      actor_name TEXT NOT NULL, what TEXT NOT NULL, flow TEXT, facts TEXT NOT NULL, address TEXT,
      PRIMARY KEY (project, id)
    ) STRICT`,
    'CREATE INDEX audit_flow ON audit (project, flow, id) WHERE flow IS NOT NULL',
  ],
  older: { before: [], after: [] },
};

/** Used where there is no folder for `db.json`. */
export const documentTables: StoreTables = {
  tables: [
    `CREATE TABLE document (
      project TEXT NOT NULL, part TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, part)
    ) STRICT`,
  ],
  older: { before: [], after: [] },
};
