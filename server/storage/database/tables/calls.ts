import type { StoreTables } from './store-tables.ts';

/** The tables of schedules, and of what follows a run. */
export const callTables: StoreTables = {
  tables: [
    `CREATE TABLE schedules (
      project TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, pattern TEXT NOT NULL, last INTEGER NOT NULL,
      PRIMARY KEY (project, flow, node)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE deliveries (
      project TEXT NOT NULL, run TEXT NOT NULL, since INTEGER NOT NULL, next_at INTEGER,
      arrived INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, told TEXT NOT NULL,
      body TEXT, PRIMARY KEY (project, run)
    ) STRICT`,
    'CREATE INDEX deliveries_next ON deliveries (project, next_at) WHERE next_at IS NOT NULL',
    'CREATE INDEX deliveries_over ON deliveries (project, since) WHERE next_at IS NULL',
    'CREATE INDEX deliveries_open ON deliveries (project, since) WHERE arrived = 0',
    `CREATE TABLE dead_letters (
      project TEXT NOT NULL, run TEXT NOT NULL, flow TEXT NOT NULL, letter TEXT NOT NULL, PRIMARY KEY (project, run)
    ) STRICT`,
    'CREATE INDEX dead_letters_flow ON dead_letters (project, flow, run)',
    `CREATE TABLE model_usage (
      project TEXT NOT NULL, day TEXT NOT NULL, flow TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL,
      calls INTEGER NOT NULL, input REAL NOT NULL, output REAL NOT NULL, cached REAL NOT NULL, cost REAL NOT NULL,
      unpriced INTEGER NOT NULL, PRIMARY KEY (project, day, flow, model, key)
    ) STRICT, WITHOUT ROWID`,
  ],
  older: {
    before: [
      `CREATE TABLE IF NOT EXISTS schedules (
        flow TEXT NOT NULL, node TEXT NOT NULL, pattern TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (flow, node)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE IF NOT EXISTS deliveries (
        run TEXT PRIMARY KEY, since INTEGER NOT NULL, next_at INTEGER, arrived INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, told TEXT NOT NULL, body TEXT
      ) STRICT`,
      `CREATE TABLE IF NOT EXISTS dead_letters (
        run TEXT PRIMARY KEY, flow TEXT NOT NULL, letter TEXT NOT NULL
      ) STRICT`,
      `CREATE TABLE IF NOT EXISTS model_usage (
        day TEXT NOT NULL, flow TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL, calls INTEGER NOT NULL,
        input REAL NOT NULL, output REAL NOT NULL, cached REAL NOT NULL, cost REAL NOT NULL, unpriced INTEGER NOT NULL,
        PRIMARY KEY (day, flow, model, key)
      ) STRICT, WITHOUT ROWID`,
      'DROP INDEX IF EXISTS deliveries_next',
      'DROP INDEX IF EXISTS deliveries_over',
      'DROP INDEX IF EXISTS deliveries_open',
      'DROP INDEX IF EXISTS dead_letters_flow',
      'ALTER TABLE schedules RENAME TO schedules_0',
      'ALTER TABLE deliveries RENAME TO deliveries_0',
      'ALTER TABLE dead_letters RENAME TO dead_letters_0',
      'ALTER TABLE model_usage RENAME TO model_usage_0',
    ],
    after: [
      "INSERT INTO schedules SELECT 'default', flow, node, pattern, last FROM schedules_0",
      `INSERT INTO deliveries
       SELECT 'default', run, since, next_at, arrived, attempts, problem, told, body FROM deliveries_0`,
      "INSERT INTO dead_letters SELECT 'default', run, flow, letter FROM dead_letters_0",
      `INSERT INTO model_usage
       SELECT 'default', day, flow, model, key, calls, input, output, cached, cost, unpriced FROM model_usage_0`,
      'DROP TABLE schedules_0',
      'DROP TABLE deliveries_0',
      'DROP TABLE dead_letters_0',
      'DROP TABLE model_usage_0',
    ],
  },
};

/** Results of evaluations, as JSON; fields that queries use have columns. */
export const evaluationTables: readonly string[] = [
  `CREATE TABLE evaluations (
    project TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, summary TEXT NOT NULL,
    results TEXT NOT NULL, PRIMARY KEY (project, name, id)
  ) STRICT`,
  'CREATE INDEX evaluations_at ON evaluations (project, name, at)',
];

/** Sources: the position of each, and which of its items are done. */
export const sourceTables: readonly string[] = [
  `CREATE TABLE sources (
    project TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, operator TEXT NOT NULL, cursor TEXT NOT NULL,
    PRIMARY KEY (project, flow, node)
  ) STRICT`,
  `CREATE TABLE source_items (
    project TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, item TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (project, flow, node, item)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX source_items_at ON source_items (project, at)',
];

/** The latest pause of each schedule. */
export const pauseTables: readonly string[] = [
  `CREATE TABLE schedule_pauses (
    project TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, by_whom TEXT NOT NULL, paused_at INTEGER NOT NULL,
    resumed_at INTEGER, PRIMARY KEY (project, flow, node)
  ) STRICT`,
];

/** The registrations of triggers at services (`hook-store.ts`). */
export const hookTables: readonly string[] = [
  `CREATE TABLE hooks (
    project TEXT NOT NULL, key TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, operator TEXT NOT NULL,
    use TEXT NOT NULL, of_what TEXT NOT NULL, base TEXT NOT NULL, params TEXT NOT NULL, sealed TEXT, remote TEXT,
    turn INTEGER NOT NULL, registered_at INTEGER, ends_at INTEGER, last_at INTEGER, last_event TEXT,
    listens_until INTEGER NOT NULL, heard TEXT, current INTEGER NOT NULL, may_replace INTEGER NOT NULL,
    asks INTEGER NOT NULL, problem TEXT, PRIMARY KEY (project, key)
  ) STRICT`,
  'CREATE INDEX hooks_node ON hooks (project, flow, node)',
];
