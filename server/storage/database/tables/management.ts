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

/** Version 0.2.0 kept sessions in a file. */
export const sessionTables: readonly string[] = [
  `CREATE TABLE sessions (
    project TEXT NOT NULL, hash TEXT NOT NULL, password TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (project, hash)
  ) STRICT`,
];

/** Used where servers share a database: data that otherwise live in files and memory. */
export const clusterTables: readonly string[] = [
  // State that all servers of a project agree on, such as the proof that they have one secrets key.
  'CREATE TABLE agreed (project TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (project, name)) STRICT',
  // One row a project: every writer waits for it, so numbers follow the order of the commits.
  'CREATE TABLE change_head (project TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (project)) STRICT',
  `CREATE TABLE change (
    project TEXT NOT NULL, seq INTEGER NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (project, seq)
  ) STRICT`,
  `CREATE TABLE node (
    project TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL, started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL, applied INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (project, id)
  ) STRICT`,
  `CREATE TABLE claim (
    project TEXT NOT NULL, name TEXT NOT NULL, node TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (project, name)
  ) STRICT`,
  `CREATE TABLE secret (
    project TEXT NOT NULL, name TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (project, name)
  ) STRICT`,
  // Which server executes the first request of a key.
  'ALTER TABLE idempotency ADD COLUMN node TEXT',
];

/** Tables by which servers on one database count as one. */
export const acrossTables: readonly string[] = [
  `CREATE TABLE spent_signature (
    project TEXT NOT NULL, key TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (project, key)
  ) STRICT`,
  'CREATE INDEX spent_signature_until ON spent_signature (project, until)',
  // A row for each run at work of flows with a limit; `n` is below the limit.
  `CREATE TABLE limit_place (
    project TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, node TEXT NOT NULL, until INTEGER NOT NULL,
    PRIMARY KEY (project, name, n)
  ) STRICT`,
  'CREATE INDEX limit_place_node ON limit_place (project, node)',
  // The time at which a bucket of calls is full again, in milliseconds.
  'CREATE TABLE rate_bucket (project TEXT NOT NULL, name TEXT NOT NULL, full_at REAL NOT NULL, PRIMARY KEY (project, name)) STRICT',
  'CREATE INDEX rate_bucket_full ON rate_bucket (project, full_at)',
  // Runs in memory end with the tag of their server, which the others reach at this address.
  'ALTER TABLE node ADD COLUMN tag TEXT',
  'ALTER TABLE node ADD COLUMN url TEXT',
];

/** Facts that servers on one database report to each other. */
export const nodeTables: readonly string[] = [
  // JSON: its place among the processes of a machine, whether it is leaving, and the flows that it cannot serve.
  'ALTER TABLE node ADD COLUMN about TEXT',
  // Addresses that sign in a browser and were used, until they would have expired.
  `CREATE TABLE spent_address (
    project TEXT NOT NULL, hash TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (project, hash)
  ) STRICT`,
];

/** Flows that are not files. */
export const flowTables: readonly string[] = [
  `CREATE TABLE flow_file (
    project TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (project, id)
  ) STRICT`,
  `CREATE TABLE flow_draft (
    project TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL,
    writers TEXT NOT NULL, PRIMARY KEY (project, id)
  ) STRICT`,
  `CREATE TABLE flow_layout (
    project TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, id)
  ) STRICT`,
  // Each version once; n grows each time one goes live.
  `CREATE TABLE flow_version (
    project TEXT NOT NULL, flow TEXT NOT NULL, version TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL,
    at TEXT NOT NULL, actor TEXT NOT NULL, label TEXT, PRIMARY KEY (project, flow, version)
  ) STRICT`,
  `CREATE TABLE flow_live (
    project TEXT NOT NULL, flow TEXT NOT NULL, version TEXT NOT NULL, PRIMARY KEY (project, flow)
  ) STRICT`,
  `CREATE TABLE flow_trash (
    project TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, text TEXT, draft TEXT, layout TEXT,
    PRIMARY KEY (project, id, at)
  ) STRICT`,
];

/** The routes of live flows that are not files. */
export const routeTables: readonly string[] = [
  // One flow for each, so that two servers cannot publish two flows with one route. The hash is that of the flow's text.
  `CREATE TABLE flow_route (
    project TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, flow TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (project, method, path)
  ) STRICT`,
  'CREATE INDEX flow_route_flow ON flow_route (project, flow)',
];

/** Tests and evaluation sets that are not files; JSON, as in a file. */
export const flowTestTables: readonly string[] = [
  'CREATE TABLE flow_tests (project TEXT NOT NULL, flow TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, flow)) STRICT',
  'CREATE TABLE evaluation_set (project TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, id)) STRICT',
];

/** Flows that are files of a git repository as well. */
export const sourceOfFlowsTables: readonly string[] = [
  'CREATE TABLE flow_source (project TEXT NOT NULL, address TEXT NOT NULL, head TEXT NOT NULL, PRIMARY KEY (project)) STRICT',
  'CREATE TABLE flow_origin (project TEXT NOT NULL, flow TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (project, flow)) STRICT',
];

/** The history of runs, where it is not a folder. */
export const historyTables: readonly string[] = [
  `CREATE TABLE run_line (
    project TEXT NOT NULL, run TEXT NOT NULL, flow TEXT NOT NULL, status TEXT NOT NULL, source TEXT NOT NULL,
    code TEXT, parent TEXT, started_at REAL NOT NULL, words TEXT NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (project, run)
  ) STRICT`,
  'CREATE INDEX run_line_flow ON run_line (project, flow, run)',
  'CREATE INDEX run_line_parent ON run_line (project, parent, run) WHERE parent IS NOT NULL',
  'CREATE INDEX run_line_at ON run_line (project, started_at)',
  `CREATE TABLE run_batch (
    project TEXT NOT NULL, run TEXT NOT NULL, first INTEGER NOT NULL, started_at REAL NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (project, run, first)
  ) STRICT`,
  'CREATE INDEX run_batch_at ON run_batch (project, started_at)',
  `CREATE TABLE run_value (
    project TEXT NOT NULL, run TEXT NOT NULL, hash TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, run, hash)
  ) STRICT`,
  `CREATE TABLE run_tape (
    project TEXT NOT NULL, run TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (project, run)
  ) STRICT`,
];

/** Tokens of connections, and sign-ins under way. */
export const oauthTables: readonly string[] = [
  // `facts` is JSON that may be shown; `version` grows with each change; `holder` refreshes the token until `held_until`.
  `CREATE TABLE oauth_token (
    project TEXT NOT NULL, connection TEXT NOT NULL, version INTEGER NOT NULL, sealed TEXT NOT NULL, facts TEXT NOT NULL,
    holder TEXT, held_until INTEGER NOT NULL, PRIMARY KEY (project, connection)
  ) STRICT`,
  // By the hash of `state`. `outcome` is JSON, and null until the sign-in has ended.
  `CREATE TABLE oauth_attempt (
    project TEXT NOT NULL, id TEXT NOT NULL, connection TEXT NOT NULL, sealed TEXT NOT NULL, until INTEGER NOT NULL,
    polled_at INTEGER NOT NULL, outcome TEXT, PRIMARY KEY (project, id)
  ) STRICT`,
  'CREATE INDEX oauth_attempt_until ON oauth_attempt (project, until)',
];
