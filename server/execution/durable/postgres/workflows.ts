import { BackendPostgres } from 'openworkflow/postgres';
import postgres from 'postgres';
import { isDirect } from '../../../storage/database/postgres/open-postgres.ts';
import { refusedStart } from '../../../storage/database/postgres/refused-start.ts';
import { gathered } from '../../../storage/database/gathered.ts';
import { backoff, Pool, withoutTypes } from '../../../storage/database/postgres/pool.ts';
import type { RecordedStep } from '../port.ts';

/**
 * How long a claim lasts without being renewed, in milliseconds: afterwards the runs of a dead server are taken over.
 */
const LEASE_MS = 3000;
/**
 * The number for `pg_advisory_lock`, so that two servers do not create the library's tables at once; arbitrary but
 * unique.
 */
const MIGRATION_LOCK = 1_463_113_333;
/**
 * How long the creation of an index waits for the table, in milliseconds: running servers queue behind it.
 * `LOCK_TIMEOUT` is the SQLSTATE.
 */
const LOCK_MS = 500;
const LOCK_TIMEOUT = '55P03';
const NAME = 'flow-run';
const NAMESPACE = 'default';
/**
 * The schema of the library's tables; not its default name, so that another user of the library in the same database
 * has its own.
 */
export const SCHEMA = 'weft_workflows';
const RUNS = `${SCHEMA}.workflow_runs`;
/** The number of concurrent statements. */
const CONNECTIONS = 5;
const PAGE = 1000;
/** Long enough for a run that waits for people only, in milliseconds. */
const FOR_EVER_MS = 100 * 365 * 24 * 3_600_000;

/**
 * Writes all of these steps in one statement, each under the library's own condition: the workflow is running and
 * claimed by this worker. Locked in a fixed order, so that two servers never wait for each other.
 */
const RECORD = `WITH asked AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS a (workflow, worker, name, output)
  ), owned AS (
    SELECT id, worker_id FROM (SELECT DISTINCT workflow FROM asked ORDER BY workflow) AS wanted, LATERAL (
      SELECT id, worker_id FROM ${RUNS}
      WHERE namespace_id = '${NAMESPACE}' AND id = wanted.workflow AND status = 'running' FOR NO KEY UPDATE
    ) AS run
  )
  INSERT INTO ${SCHEMA}.step_attempts (namespace_id, id, workflow_run_id, step_name, kind, status, config, output,
    started_at, finished_at, created_at, updated_at)
  SELECT '${NAMESPACE}', gen_random_uuid(), owned.id, asked.name, 'function', 'completed', '{}', asked.output::jsonb,
    NOW(), NOW(), date_trunc('milliseconds', NOW()), NOW()
  FROM asked JOIN owned ON owned.id = asked.workflow AND owned.worker_id = asked.worker
  RETURNING workflow_run_id, step_name`;
/** Writes one step in place of others, under the same condition. */
const REPLACE = `WITH owned AS (
    SELECT id FROM ${RUNS} WHERE namespace_id = '${NAMESPACE}' AND id = $1 AND worker_id = $2 AND status = 'running'
    FOR NO KEY UPDATE
  ), gone AS (
    DELETE FROM ${SCHEMA}.step_attempts AS step USING owned
    WHERE step.namespace_id = '${NAMESPACE}' AND step.workflow_run_id = owned.id AND step.kind = 'function'
      AND step.step_name = ANY($5::text[])
  )
  INSERT INTO ${SCHEMA}.step_attempts (namespace_id, id, workflow_run_id, step_name, kind, status, config, output,
    started_at, finished_at, created_at, updated_at)
  SELECT '${NAMESPACE}', gen_random_uuid(), owned.id, $3, 'function', 'completed', '{}', $4::text::jsonb,
    NOW(), NOW(), date_trunc('milliseconds', NOW()), NOW()
  FROM owned
  RETURNING step_name`;
/** Changes nothing, and is refused where nothing may be changed. */
const PING = `UPDATE ${RUNS} SET updated_at = updated_at WHERE false`;
/** The library's condition for a claim, without claiming: a server with nothing to do then asks for less. */
const DUE = `SELECT EXISTS (SELECT 1 FROM ${RUNS} WHERE namespace_id = '${NAMESPACE}'
  AND status IN ('pending', 'running', 'sleeping') AND available_at <= NOW()) AS due`;
/**
 * Without them each claim of the library reads all unfinished runs for their deadlines, of which ours have none, and
 * sorts all that are due. Its results do not depend on them. Only a claim fulfils their conditions: a query for one run
 * would otherwise read such an index instead of the key.
 */
const INDEXES = {
  weft_deadlines: '(namespace_id, deadline_at) WHERE deadline_at IS NOT NULL',
  weft_due: `(namespace_id, (CASE WHEN status = 'pending' THEN 0 ELSE 1 END), available_at, created_at)
    WHERE status IN ('pending', 'running', 'sleeping') AND available_at IS NOT NULL`,
};
/**
 * The library's indexes for its lists, its own idempotency keys and the claim, which `weft_due` serves. Nothing here
 * reads them; each claim, renewal and end would write them; and without statistics PostgreSQL chose one of them instead
 * of the key.
 */
const UNREAD = [
  'workflow_runs_created_at_desc_idx',
  'workflow_runs_status_available_at_created_at_idx',
  'workflow_runs_status_created_at_desc_idx',
  'workflow_runs_workflow_name_idempotency_key_created_at_idx',
  'workflow_runs_workflow_name_status_created_at_desc_idx',
  'step_attempts_workflow_run_step_name_created_at_idx',
];
/** The library removes nothing itself. Steps are deleted with their workflow. */
const REMOVE = [
  `DELETE FROM ${SCHEMA}.workflow_signals WHERE namespace_id = '${NAMESPACE}' AND workflow_run_id = ANY($1::text[])`,
  `DELETE FROM ${RUNS} WHERE namespace_id = '${NAMESPACE}' AND id = ANY($1::text[])`,
];

/** A workflow that this server executes. */
export interface Claimed {
  readonly workflow: string;
  /** Unique to the claim. */
  readonly worker: string;
  readonly run: string;
  /** How often it was claimed, this time included. */
  readonly attempt: number;
}

interface Recording {
  readonly of: Claimed;
  readonly key: string;
  readonly output: string;
}

/** A step's stored result: `n` counts the run's records, because the library orders only by milliseconds. */
interface Kept {
  readonly n: number;
  readonly result: string;
}

export interface WorkflowsDeps {
  readonly url: string;
  /** A connection to the same database without a transaction pooler; `url` by default. */
  readonly direct?: string;
  /** Unix milliseconds by the database's clock. */
  readonly now: () => number;
  /** How long a claim lasts without being renewed, in milliseconds. */
  readonly leaseMs?: number;
}

/** Creates the library's tables, or migrates them to its version. Throws a `StartError` that begins with a code. */
export async function migrateWorkflows(direct: string): Promise<void> {
  const lock = postgres(direct, { ...withoutTypes, max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    await lock`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    await (await BackendPostgres.connect(direct, { schema: SCHEMA })).stop();
    await arrangeIndexes(lock);
  } catch (error) {
    throw refusedStart((error as Error).cause ?? error);
  } finally {
    // Ending the connection releases the lock.
    await lock.end({ timeout: 1 });
  }
}

/**
 * The library's workflows, one for each run, through its public interface and the statements above.
 * OW1. Claims, their order, their leases and their ends are the library's.
 * OW2. A step is recorded only for the claimant. Steps that come while others are being written are written together.
 */
export class Workflows {
  private readonly pool: Pool<{ readonly client: postgres.Sql; readonly backend: BackendPostgres }>;
  readonly leaseMs: number;
  private readonly now: () => number;

  constructor({ url, direct = url, now, leaseMs = LEASE_MS }: WorkflowsDeps) {
    this.now = now;
    this.leaseMs = leaseMs;
    this.pool = new Pool({
      open: () => {
        const client = postgres(url, {
          ...withoutTypes,
          max: CONNECTIONS,
          prepare: isDirect(url, direct),
          connect_timeout: 5,
          backoff,
          onnotice: () => {},
          transform: { column: { from: postgres.toCamel } },
        }) as unknown as postgres.Sql;
        return { client, backend: BackendPostgres.fromPool(client, { schema: SCHEMA }) };
      },
      clientOf: ({ client }) => client,
    });
  }

  /** Resolves once the database answers. Rejects with `storage_failed`, also if it is read-only. */
  async ping(): Promise<void> {
    await this.pool.use(({ client }) => client.unsafe(PING));
  }

  /** Whether there is a workflow that can continue. */
  async isDue(): Promise<boolean> {
    const [row] = await this.pool.use(({ client }) => client.unsafe(DUE, [], { prepare: true }));
    return row?.['due'] === true;
  }

  async create(run: string): Promise<string> {
    const none = { version: null, idempotencyKey: null, context: null, availableAt: null, deadlineAt: null };
    const parent = { parentStepAttemptNamespaceId: null, parentStepAttemptId: null };
    const made = await this.pool.use(({ backend }) =>
      backend.createWorkflowRun({ ...none, ...parent, workflowName: NAME, config: {}, input: { run } }),
    );
    return made.id;
  }

  /** The next workflow that can continue, if there is one. */
  async claim(): Promise<Claimed | undefined> {
    const worker = crypto.randomUUID();
    const params = { workerId: worker, leaseDurationMs: this.leaseMs };
    const found = await this.pool.use(({ backend }) => backend.claimWorkflowRun(params));
    if (found === null) return undefined;
    const { run } = found.input as { readonly run: string };
    return { workflow: found.id, worker, run, attempt: found.attempts };
  }

  /** False if another server may have it by now. */
  async renew(of: Claimed): Promise<boolean> {
    try {
      await this.pool.use(({ backend }) =>
        backend.extendWorkflowRunLease({ ...ownerOf(of), leaseDurationMs: this.leaseMs }),
      );
      return true;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'storage_failed') throw error;
      return false;
    }
  }

  async complete(of: Claimed): Promise<void> {
    await this.pool.use(({ backend }) => backend.completeWorkflowRun({ ...ownerOf(of), output: null }));
  }

  /** Releases the claim; the workflow can be claimed again in `ms` milliseconds. */
  async release(of: Claimed, ms: number): Promise<void> {
    const availableAt = new Date(this.now() + ms);
    await this.pool.use(({ backend }) => backend.sleepWorkflowRun({ ...ownerOf(of), availableAt }));
  }

  /**
   * Releases the claim until the signal is sent, at the latest until `until` (Unix milliseconds, the database's clock).
   */
  async park(of: Claimed, signal: string, until = this.now() + FOR_EVER_MS): Promise<void> {
    const availableAt = new Date(until);
    const context = { kind: 'signal-wait', signal, timeoutAt: availableAt.toISOString() } as const;
    const wait = { stepName: signal, kind: 'signal-wait', config: {}, context } as const;
    await this.pool.use(({ backend }) => backend.createStepAttempt({ ...ownerOf(of), ...wait }));
    await this.pool.use(({ backend }) => backend.sleepWorkflowRun({ ...ownerOf(of), availableAt }));
  }

  /** Continues the workflow that waits for the signal. */
  async signal(signal: string): Promise<void> {
    await this.pool.use(({ backend }) => backend.sendSignal({ signal, data: null, idempotencyKey: null }));
  }

  /** Whether the workflow is not claimed at present. */
  async isIdle(workflow: string): Promise<boolean> {
    const found = await this.pool.use(({ backend }) => backend.getWorkflowRun({ workflowRunId: workflow }));
    return found !== null && found.workerId === null;
  }

  /** In recording order; `next` is the number of the next step. */
  async steps(workflow: string, of?: Claimed): Promise<{ steps: RecordedStep[]; next: number }> {
    const found: (Kept & { readonly key: string })[] = [];
    for (let after: string | undefined; ; ) {
      const asked = { workflowRunId: workflow, limit: PAGE, ...(after !== undefined && { after }) };
      const { data, pagination } = await this.pool.use(({ backend }) => backend.listStepAttempts(asked));
      for (const step of data) {
        if (step.kind === 'function' && step.status === 'completed')
          found.push({ key: step.stepName, ...(step.output as unknown as Kept) });
        if (step.kind === 'signal-wait' && step.status === 'running' && of !== undefined)
          await this.endWait(of, step.id);
      }
      if (pagination.next === null) break;
      after = pagination.next;
    }
    found.sort((a, b) => a.n - b.n);
    // A step whose answer was lost was recorded again with the same number.
    const once = found.filter(({ n }, at) => n !== found[at - 1]?.n);
    return { steps: once.map(({ key, result }) => ({ key, result })), next: (once.at(-1)?.n ?? -1) + 1 };
  }

  /** False if another server has claimed the workflow. Rejects with `storage_failed`. */
  record(of: Claimed, key: string, kept: Kept): Promise<boolean> {
    return this.write({ of, key, output: JSON.stringify(kept) });
  }

  /** Records a step in place of those with the keys of `replaces`, all or nothing. False as above. */
  async replace(of: Claimed, key: string, kept: Kept, replaces: readonly string[]): Promise<boolean> {
    const values = [of.workflow, of.worker, key, JSON.stringify(kept), replaces as string[]];
    const rows = await this.pool.use(({ client }) => client.unsafe(REPLACE, values, { prepare: true }));
    return rows.length === 1;
  }

  async remove(workflows: readonly string[]): Promise<void> {
    if (workflows.length === 0) return;
    for (const text of REMOVE)
      await this.pool.use(({ client }) => client.unsafe(text, [workflows as string[]]));
  }

  /** Writes in progress get `seconds` to end. */
  async close(seconds = 5): Promise<void> {
    await this.pool.end(seconds);
  }

  /** Ends the wait of a park that is over. */
  private async endWait(of: Claimed, stepAttemptId: string): Promise<void> {
    await this.pool.use(({ backend }) =>
      backend.completeStepAttempt({ ...ownerOf(of), stepAttemptId, output: null }),
    );
  }

  private readonly write = gathered(
    async (all: readonly Recording[]): Promise<boolean[]> => {
      const column = (read: (one: Recording) => string): string[] => all.map(read);
      const values = [
        column(({ of }) => of.workflow),
        column(({ of }) => of.worker),
        column(({ key }) => key),
        column(({ output }) => output),
      ];
      const rows = await this.pool.use(({ client }) => client.unsafe(RECORD, values, { prepare: true }));
      const made = new Set(rows.map((row) => `${row['workflowRunId']} ${row['stepName']}`));
      return all.map(({ of, key }) => made.has(`${of.workflow} ${key}`));
    },
    ({ output }) => output.length,
  );
}

/** A table that stays in use gets its indexes at a later start. */
async function arrangeIndexes(client: postgres.Sql): Promise<void> {
  const exists = async (name: string): Promise<boolean> => {
    const [known] = await client`SELECT to_regclass(${`${SCHEMA}.${name}`}) AS name`;
    return known?.['name'] !== null;
  };
  try {
    for (const [name, of] of Object.entries(INDEXES))
      if (!(await exists(name))) await change(client, `CREATE INDEX ${name} ON ${RUNS} ${of}`);
    for (const name of UNREAD) if (await exists(name)) await change(client, `DROP INDEX ${SCHEMA}.${name}`);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== LOCK_TIMEOUT) throw error;
  }
}

/** Gives up soon if the table is in use. */
async function change(client: postgres.Sql, text: string): Promise<void> {
  await client.begin(async (tx) => {
    await tx.unsafe(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await tx.unsafe(text);
  });
}

function ownerOf({ workflow, worker }: Claimed): { workflowRunId: string; workerId: string } {
  return { workflowRunId: workflow, workerId: worker };
}
