import type { Sql, SqlTransaction } from '../../../storage/database/sql.ts';

const STATE = 'SELECT address, head AS "commit" FROM flow_source WHERE project = ?';
const PUT_STATE = `INSERT INTO flow_source (project, address, head) VALUES (?, ?, ?)
  ON CONFLICT (project) DO UPDATE SET address = excluded.address, head = excluded.head`;
const ALL = 'SELECT flow, path, hash AS blob FROM flow_origin WHERE project = ?';
const PUT = `INSERT INTO flow_origin (project, flow, path, hash) VALUES (?, ?, ?, ?)
  ON CONFLICT (project, flow) DO UPDATE SET path = excluded.path, hash = excluded.hash`;
const DROP = 'DELETE FROM flow_origin WHERE project = ? AND flow = ?';
const DROP_ALL = 'DELETE FROM flow_origin WHERE project = ?';

/** The repository file that a flow was imported from, or written to. */
export interface Origin {
  readonly path: string;
  readonly blob: string;
}

/** The state that was imported last. */
export interface SourceState {
  readonly address: string;
  readonly commit: string;
}

/** Maps flows of the database to files of the repository. Changed only in the transactions that change the flows. */
export class Origins {
  private readonly sql: Sql;
  private readonly project: string;

  constructor(sql: Sql, project: string) {
    this.sql = sql;
    this.project = project;
  }

  state(): Promise<SourceState | undefined> {
    return this.sql.first<SourceState & Record<string, string>>(STATE, this.project);
  }

  async all(): Promise<Map<string, Origin>> {
    const rows = await this.sql.all<{ flow: string; path: string; blob: string }>(ALL, this.project);
    return new Map(rows.map(({ flow, path, blob }) => [flow, { path, blob }]));
  }

  /** `origin` undefined: the flow is no longer a file there. */
  async put(tx: SqlTransaction, flow: string, origin: Origin | undefined): Promise<void> {
    if (origin === undefined) await tx.run(DROP, this.project, flow);
    else await tx.run(PUT, this.project, flow, origin.path, origin.blob);
  }

  async putState(tx: SqlTransaction, { address, commit }: SourceState): Promise<void> {
    await tx.run(PUT_STATE, this.project, address, commit);
  }

  /** Flows of another repository stay, as flows of the database. */
  async forgetAll(tx: SqlTransaction): Promise<void> {
    await tx.run(DROP_ALL, this.project);
  }
}
