import { isLimited, type Limited, type RunLimits, tooMany } from '../../runs/run-limits.ts';
import { DEFAULT_PROJECT, type Sql, type SqlTransaction } from '../../../storage/database/sql.ts';
import type { Pass, TurnOrder } from '../port.ts';

/** A place without an unfinished run after this time was left behind, in milliseconds. */
const LATE_MS = 60_000;
const AT_ONCE = 200;

const TAKEN = 'SELECT count(*) AS n FROM durable_turn WHERE project = ? AND line = ? AND placed = 1';
const BEFORE =
  'SELECT count(*) AS n FROM durable_turn WHERE project = ? AND line = ? AND placed = 0 AND run < ?';
const OWN = 'SELECT placed FROM durable_turn WHERE project = ? AND run = ?';
const OVER = 'SELECT 1 FROM durable_run WHERE project = ? AND run = ? AND ended_at IS NOT NULL';
const PUT = `INSERT INTO durable_turn (project, run, line, most, placed, at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, run) DO UPDATE SET placed = excluded.placed`;
const LEAVE = 'DELETE FROM durable_turn WHERE project = ? AND run = ?';
const NEXT = `SELECT run FROM durable_turn WHERE project = ? AND line = ? AND placed = 0 ORDER BY run LIMIT 1`;
const LEFT = `DELETE FROM durable_turn WHERE project = ? AND at < ? AND NOT EXISTS (SELECT 1 FROM durable_run
  WHERE durable_run.project = durable_turn.project AND durable_run.run = durable_turn.run AND ended_at IS NULL)`;
/** The first run of each queue with a free place. */
const DUE = `SELECT min(run) AS run FROM durable_turn AS t WHERE project = ? AND placed = 0 AND most > (
  SELECT count(*) FROM durable_turn AS p WHERE p.project = t.project AND p.line = t.line AND p.placed = 1)
  GROUP BY line LIMIT ${AT_ONCE}`;

interface Count {
  readonly n: number;
}

interface Deps {
  readonly sql: Sql;
  readonly limits: Pick<RunLimits, 'groupOf'>;
  /** Lets a queued run continue. */
  readonly wake: (run: string) => Promise<void>;
  readonly complain: (error: unknown) => void;
  /** Unix milliseconds by a clock that the servers share. */
  readonly now: () => number;
  readonly project?: string;
}

/**
 * The turns of durable runs on servers that share a database.
 * ST1. Never more runs of a flow and key have a place than the flow allows, on all servers together: a run has its
 *      place in the database before it does anything.
 * ST2. The others get their places in the order of their ids, which is that of their starts.
 * ST3. A run that ends wakes the next; if its server died before that, `sweep` does.
 */
export class SharedTurns implements TurnOrder {
  private readonly deps: Deps;
  private readonly project: string;
  /** The queues of runs that asked for a place here and have not ended. */
  private readonly lines = new Map<string, string>();

  constructor(deps: Deps) {
    this.deps = deps;
    this.project = deps.project ?? DEFAULT_PROJECT;
  }

  async reserve(run: string, limited: Limited): Promise<void> {
    if (!isLimited(limited)) return;
    const waits = limited.flow.flow.settings?.whenFull !== 'reject';
    if ((await this.place(run, limited, { waits })) || waits) return;
    this.lines.delete(run);
    throw tooMany(limited);
  }

  async mayGoOn({ run: { run, cancelledBy } }: Pass, request: Limited): Promise<boolean> {
    if (!isLimited(request) || cancelledBy !== undefined) return true;
    return this.place(run, request, { waits: true });
  }

  async ended(run: string): Promise<void> {
    const line = this.lines.get(run);
    if (line === undefined) return;
    this.lines.delete(run);
    const { sql, wake, complain } = this.deps;
    try {
      await sql.run(LEAVE, this.project, run);
      const [next] = await sql.all<{ readonly run: string }>(NEXT, this.project, line);
      if (next !== undefined) await wake(next.run);
    } catch (error) {
      complain(error);
    }
  }

  /** Wakes runs whose turn came without a notice, and frees the places of runs that no longer exist. */
  async sweep(): Promise<void> {
    const { sql, wake } = this.deps;
    await sql.run(LEFT, this.project, this.deps.now() - LATE_MS);
    const due = await sql.all<{ readonly run: string }>(DUE, this.project);
    for (const { run } of due) await wake(run);
  }

  /** Whether the run has a place now. If it has none and `waits`, it is in the queue. */
  private place(run: string, limited: Limited, { waits }: { readonly waits: boolean }): Promise<boolean> {
    const { name, most } = this.deps.limits.groupOf(limited);
    this.lines.set(run, name);
    const put = (tx: SqlTransaction, placed: boolean): Promise<number> =>
      tx.run(PUT, this.project, run, name, most, placed ? 1 : 0, this.deps.now());
    return this.deps.sql.transaction(async (tx) => {
      const own = await tx.first<{ readonly placed: number }>(OWN, this.project, run);
      if (own?.placed === 1) return true;
      // A server that was suspended meanwhile must not take a place that would never be freed.
      if ((await tx.first(OVER, this.project, run)) !== undefined) return false;
      const taken = (await tx.first<Count>(TAKEN, this.project, name))?.n ?? 0;
      const before = (await tx.first<Count>(BEFORE, this.project, name, run))?.n ?? 0;
      const isFree = taken + before < most;
      if (isFree || waits) await put(tx, isFree);
      return isFree;
    });
  }
}
