import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { OpenWorkflow } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { Forgotten, NewRun, RecordedStep } from '../port.ts';
import { type Body, type BodyInput, FlowBody, signalOf } from './flow-body.ts';
import { RecordedSteps } from './recorded-steps.ts';
import { Passes } from './passes.ts';
import type { EngineSetup, FromEngine } from './protocol.ts';
import { RunTable } from './run-table.ts';
import {
  arrangeIndexes,
  dropWorkflows,
  hasten,
  inTransaction,
  LEASE_MS,
  nextDue,
  releaseLeases,
  WORKFLOW,
  workflowOf,
} from './workflow-table.ts';

/** The most runs that are executed at once. */
const MAX_AT_ONCE = 100;
/** The longest time between two checks for due runs, because the clock may be set; in milliseconds. */
const LOOK_MS = 20_000;
/** Delay before a failed write is retried, in milliseconds. */
const AGAIN_MS = 1000;
/** How long another process may hold a lock of the database while it is retried, in milliseconds. */
const LOCKED_MS = 10_000;
const LOOK_AGAIN_MS = 20;
/** A pass that was given up is retried until it succeeds. */
const FOR_EVER = { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 0 } as const;

/**
 * Runs as workflows of the library: each has the same generic body, which makes the server interpret its flow.
 * E1. The library claims, stores steps by name, parks and wakes; `workflow-table.ts` and `recorded-steps.ts` add what
 *      it lacks.
 * E2. Nothing polls: the engine looks for due runs when one was added, woken or ended, and when the next time comes.
 * E3. An accepted run is executed, however long the disk refuses its writes: they are retried until they succeed.
 */
export class EngineWorker {
  readonly table: RunTable;
  readonly passes: Passes;
  private readonly send: (message: FromEngine) => void;
  private readonly db: DatabaseSync;
  private readonly backend: BackendSqlite;
  private readonly library: OpenWorkflow;
  private readonly recorded: RecordedSteps;
  private readonly body: FlowBody;
  private readonly workflow: ReturnType<OpenWorkflow['defineWorkflow']>;
  private worker: ReturnType<OpenWorkflow['newWorker']> | undefined = undefined;
  private timer: NodeJS.Timeout | undefined = undefined;
  private scheduled = false;
  private closed = false;
  /** Nothing can be claimed until the next look. */
  private dry = false;

  constructor({ file, full }: EngineSetup, send: EngineWorker['send']) {
    this.send = send;
    this.passes = new Passes(send);
    this.backend = connect(file);
    // The library's connection: a second one would wait for the locks of the first.
    this.db = (this.backend as unknown as { db: DatabaseSync }).db;
    this.db.exec(`PRAGMA busy_timeout = ${LOCKED_MS}`);
    prepareOnce(this.db);
    this.db.exec(`PRAGMA synchronous = ${full ? 'FULL' : 'NORMAL'}`);
    arrangeIndexes(this.db);
    this.table = new RunTable(this.db);
    this.recorded = new RecordedSteps(this.db, this.backend);
    const { db, recorded, table, passes } = this;
    this.body = new FlowBody({ db, recorded, table, passes, send });
    this.adapt();
    this.library = new OpenWorkflow({ backend: this.backend });
    this.workflow = this.library.defineWorkflow({ name: WORKFLOW, retryPolicy: FOR_EVER }, (call) =>
      this.body.run(call as Parameters<Body>[0]),
    );
  }

  /** Starts to hand out passes. May be called again if it throws. */
  begin(): void {
    releaseLeases(this.db, this.recorded.owned());
    const unreported = this.table.unreported();
    const pending = this.table.withStatus('pending');
    this.worker ??= this.library.newWorker({ concurrency: MAX_AT_ONCE });
    for (const run of unreported) this.send({ ended: run });
    for (const run of pending) if (workflowOf(this.db, run) === undefined) void this.makeWorkflow({ run });
    this.look();
  }

  async start(added: NewRun): Promise<{ run: string; created: boolean }> {
    const { run } = added;
    const known = this.table.add(added);
    if (known !== undefined) return { run: known, created: false };
    await this.makeWorkflow({ run });
    return { run, created: true };
  }

  async wake(run: string): Promise<void> {
    this.body.wake(run);
    await this.insist(async () => {
      hasten(this.db, run);
      await this.library.sendSignal({ signal: signalOf(run).signal });
    });
  }

  async cancel(run: string, by: string): Promise<boolean> {
    if (!this.table.cancel(run, by)) return false;
    await this.wake(run);
    return true;
  }

  steps(run: string): RecordedStep[] {
    const workflow = workflowOf(this.db, run);
    return [...this.table.given(run), ...(workflow === undefined ? [] : this.recorded.steps(workflow).steps)];
  }

  prune(time: number): string[] {
    return inTransaction(this.db, () => {
      const gone = this.table.prune(time);
      dropWorkflows(this.db, gone);
      return gone;
    });
  }

  forget(runs: readonly string[]): Forgotten {
    return inTransaction(this.db, () => {
      const forgotten = this.table.forget(runs);
      dropWorkflows(this.db, forgotten.gone);
      return forgotten;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await stopBackend(this.backend);
  }

  // --------------------------------------------------------------------------------------------------------- claiming

  /** Makes leases last, and saves queries after one that found nothing. */
  private adapt(): void {
    const { backend } = this;
    const claim = backend.claimWorkflowRun.bind(backend);
    const claimOne = async (params: Parameters<typeof claim>[0]): ReturnType<typeof claim> => {
      if (this.dry) return null;
      const run = await claim({ ...params, leaseDurationMs: LEASE_MS });
      if (run === null) this.dry = true;
      this.recorded.claimed(run);
      return run;
    };
    // The library claims for all free places at once. In sequence, the first claim that finds nothing saves the rest.
    let before: Promise<unknown> = Promise.resolve();
    backend.claimWorkflowRun = (params) => {
      const claimed = before.then(() => claimOne(params));
      before = claimed.catch(() => {});
      return claimed;
    };
    const extend = backend.extendWorkflowRunLease.bind(backend);
    backend.extendWorkflowRunLease = (params) => extend({ ...params, leaseDurationMs: LEASE_MS });
    this.watchLeaving('sleepWorkflowRun');
    this.watchLeaving('completeWorkflowRun');
    this.watchLeaving('failWorkflowRun');
  }

  /**
   * Retries the library's release of a claimed workflow: one whose release could not be written would stay claimed for
   * ever.
   */
  private watchLeaving(how: 'sleepWorkflowRun' | 'completeWorkflowRun' | 'failWorkflowRun'): void {
    const { backend } = this;
    type Leave = (params: { readonly workflowRunId: string }) => Promise<never>;
    const leave = backend[how].bind(backend) as unknown as Leave;
    const watched: Leave = async (params) => {
      this.recorded.left(params.workflowRunId);
      try {
        return await leave(params);
      } catch (error) {
        setTimeout(() => this.recover(), AGAIN_MS);
        throw error;
      } finally {
        this.look();
      }
    };
    Object.assign(backend, { [how]: watched });
  }

  /** Hands out due runs soon; several calls are combined into one look. */
  private look(): void {
    if (this.scheduled || this.closed || this.worker === undefined) return;
    this.scheduled = true;
    setImmediate(() => void this.tick());
  }

  private async tick(): Promise<void> {
    this.scheduled = false;
    if (this.closed) return;
    clearTimeout(this.timer);
    let left = AGAIN_MS;
    try {
      this.dry = false;
      await this.worker?.tick();
      const due = nextDue(this.db) ?? Number.POSITIVE_INFINITY;
      // If all places are taken, the next one that becomes free looks.
      left = this.body.size >= MAX_AT_ONCE ? LOOK_MS : Math.min(Math.max(due - Date.now(), 1), LOOK_MS);
    } catch {
      // Writes that the disk refuses are retried.
    }
    if (!this.closed) this.timer = setTimeout(() => this.look(), left);
  }

  private makeWorkflow(input: BodyInput): Promise<void> {
    return this.insist(() => this.workflow.run(input, { idempotencyKey: input.run }));
  }

  /** Runs an action that counts as done, and then looks for due runs; resolves after the first attempt. */
  private async insist(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.look();
    } catch {
      setTimeout(() => !this.closed && void this.insist(work), AGAIN_MS);
    }
  }

  /** Releases the workflows that are no longer executed. */
  private recover(): void {
    if (this.closed) return;
    try {
      releaseLeases(this.db, this.recorded.owned());
      this.look();
    } catch {
      setTimeout(() => this.recover(), AGAIN_MS);
    }
  }
}

/**
 * The library prepares every statement again for each use, which takes longer than running most of them. A write that
 * returns its row is read to its end, where it is committed: `get` stops after the row, and would not report a refusal
 * of the disk at that point.
 */
function prepareOnce(db: DatabaseSync): void {
  const prepare = db.prepare.bind(db);
  const known = new Map<string, StatementSync>();
  db.prepare = (sql, options) => {
    const before = known.get(sql);
    if (before !== undefined) return before;
    const statement = prepare(sql, options);
    if (/\bRETURNING\b/.test(sql))
      statement.get = (...values: unknown[]) => statement.all(...(values as SQLInputValue[]))[0];
    known.set(sql, statement);
    return statement;
  };
}

/**
 * The library's connection waits for no lock while it opens, and a lock may be held for a moment: by a check for lost
 * data at the start, a recovery of the database after a crash, or a backup. Throws if the database stays locked.
 */
function connect(file: string): BackendSqlite {
  const until = Date.now() + LOCKED_MS;
  for (;;) {
    try {
      return BackendSqlite.connect(file);
    } catch (error) {
      if (!/database is locked/.test((error as Error).message) || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
  }
}

/**
 * Closes the library's file. Its later requests are never answered: unfinished work is left for the next process, and
 * the library would otherwise print that the file is closed.
 */
async function stopBackend(backend: BackendSqlite): Promise<void> {
  const stop = backend.stop.bind(backend);
  for (const name of Object.getOwnPropertyNames(BackendSqlite.prototype))
    Object.defineProperty(backend, name, { value: () => new Promise(() => {}) });
  await stop();
}
