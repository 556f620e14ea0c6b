/** Used where servers share a database: durable runs, which a data folder keeps in `durable.db`. */
export const durableTables: readonly string[] = [
  // `attempt` is the library's number of the claim that wrote last: an earlier claim changes nothing any more.
  // `wakes` counts the reasons to go on, `seen` those that the last pass began with.
  `CREATE TABLE durable_run (
    project TEXT NOT NULL, run TEXT NOT NULL, name TEXT, flow TEXT NOT NULL, version TEXT NOT NULL,
    input TEXT NOT NULL, texts TEXT NOT NULL, given TEXT, started_at REAL NOT NULL, status TEXT NOT NULL,
    passes INTEGER NOT NULL, waiting TEXT, cancelled_by TEXT, result TEXT, ended_at REAL, told INTEGER NOT NULL,
    teller TEXT, workflow TEXT, attempt INTEGER NOT NULL, parks INTEGER NOT NULL, wakes INTEGER NOT NULL,
    seen INTEGER NOT NULL, PRIMARY KEY (project, run)
  ) STRICT`,
  'CREATE UNIQUE INDEX durable_run_name ON durable_run (project, name) WHERE name IS NOT NULL',
  'CREATE INDEX durable_run_flow ON durable_run (project, flow, run)',
  'CREATE INDEX durable_run_status ON durable_run (project, status, run)',
  'CREATE INDEX durable_run_untold ON durable_run (project, run) WHERE ended_at IS NOT NULL AND told = 0',
  'CREATE INDEX durable_run_ended ON durable_run (project, ended_at) WHERE ended_at IS NOT NULL',
  "CREATE INDEX durable_run_woken ON durable_run (project, run) WHERE status = 'waiting' AND wakes <> seen",
  "CREATE INDEX durable_run_parked ON durable_run (project) WHERE status = 'waiting' AND waiting <> '[]'",
  "CREATE INDEX durable_run_unmade ON durable_run (project, run) WHERE status = 'pending' AND workflow IS NULL",
  // Decisions that the runs may not know yet.
  "CREATE INDEX waits_decided ON waits (project, run) WHERE status = 'decided' AND over_at IS NULL",
  // Data that many runs share, such as a version of a flow; `at`: when it was last relied on.
  `CREATE TABLE durable_text (
    project TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (project, name)
  ) STRICT`,
  // Runs of flows that limit their runs: those with a place, and those in the queue.
  `CREATE TABLE durable_turn (
    project TEXT NOT NULL, run TEXT NOT NULL, line TEXT NOT NULL, most INTEGER NOT NULL, placed INTEGER NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (project, run)
  ) STRICT`,
  'CREATE INDEX durable_turn_line ON durable_turn (project, line, placed, run)',
];
