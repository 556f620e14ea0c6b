import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { RecordedStep } from '../port.ts';
import { EngineWorker } from './engine-worker.ts';
import type { FromEngine } from './protocol.ts';

/**
 * A run that asks, waits for a decision and continues, on a disk that refuses any of its writes: the n-th one and a
 * number after it. A disk reports a refusal during a statement, or only at its commit.
 */

const run = { run: 'r1', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1 };
const TABLES = ['weft_runs', 'workflow_runs', 'step_attempts', 'workflow_signals'];
const REFUSALS = {
  atOnce: "SELECT RAISE(ABORT, 'disk full')",
  // A reference to nothing, which is checked when the statement or its transaction is over.
  whenCommitted: 'INSERT INTO refused VALUES (1)',
};
/** When the decision comes: while the run still asks, once it waits, or long after there is room again. */
const DECISIONS = ['asked', 'parked', 'late'] as const;
interface Fault {
  readonly first: number;
  readonly count: number;
  readonly how: keyof typeof REFUSALS;
}

let writes: number;

beforeEach(() => {
  writes = 0;
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function inject(engine: EngineWorker, { first, count, how }: Fault): DatabaseSync {
  const { db } = engine as unknown as { db: DatabaseSync };
  db.function('is_refused', () => {
    writes++;
    return writes >= first && writes < first + count ? 1 : 0;
  });
  db.exec(`CREATE TABLE none (id PRIMARY KEY);
    CREATE TABLE refused (id REFERENCES none DEFERRABLE INITIALLY DEFERRED)`);
  for (const table of TABLES)
    for (const write of ['INSERT', 'UPDATE', 'DELETE'])
      db.exec(`CREATE TEMP TRIGGER refuse_${write}_${table} AFTER ${write} ON ${table} WHEN is_refused() = 1
        BEGIN ${REFUSALS[how]}; END`);
  return db;
}

/** The server's side of the run: it asks, parks until the decision, and continues. */
class Server {
  readonly engine: EngineWorker;
  readonly ended: string[] = [];
  readonly problems: unknown[] = [];
  private answered = false;
  private readonly decision: (typeof DECISIONS)[number];
  private inPass = 0;

  constructor(decision: Server['decision']) {
    this.decision = decision;
    this.engine = new EngineWorker({ file: ':memory:', full: false }, (message: FromEngine) =>
      this.take(message),
    );
  }

  decide(): void {
    if (this.answered) return;
    this.answered = true;
    void this.engine.wake(run.run);
  }

  private take(said: FromEngine): void {
    if ('steps' in said) void this.carryOn(said);
    else if ('ended' in said) this.ended.push(said.ended.status);
    else if ('parked' in said && this.decision === 'parked') setImmediate(() => this.decide());
  }

  private async carryOn({ pass, steps }: { pass: number; steps: readonly RecordedStep[] }): Promise<void> {
    if (++this.inPass > 1) this.problems.push('two passes at once');
    const { passes } = this.engine;
    try {
      await this.step(pass, 'asked', steps);
      if (this.decision === 'asked') this.decide();
      await new Promise((resolve) => setImmediate(resolve));
      if (this.answered) await this.step(pass, 'went on', steps);
      const end = this.answered
        ? ({ kind: 'ended', status: 'ok', end: '{}', at: 1 } as const)
        : ({ kind: 'parked', waitingFor: '["asked"]' } as const);
      this.inPass--;
      passes.end(pass, end);
    } catch (error) {
      this.inPass--;
      passes.giveUp(pass, (error as Error).message);
    }
  }

  private async step(pass: number, key: string, steps: readonly RecordedStep[]): Promise<void> {
    if (steps.some((step) => step.key === key)) return;
    this.engine.passes.record(pass, { key, result: '{}', replaces: [] });
  }
}

async function goesOn(decision: (typeof DECISIONS)[number], fault: Fault): Promise<unknown> {
  const server = new Server(decision);
  const { engine } = server;
  onTestFinished(() => engine.close());
  const db = inject(engine, fault);
  engine.begin();
  // A refused caller asks again.
  const start = async (): Promise<void> =>
    void (await engine.start(run).catch(() => setTimeout(() => void start(), 1000)));
  await start();
  for (let minutes = 0; minutes < 5 && server.ended.length === 0; minutes++) {
    await vi.advanceTimersByTimeAsync(60_000);
    server.decide();
  }
  await vi.advanceTimersByTimeAsync(5000);
  return {
    ended: server.ended,
    problems: server.problems,
    status: engine.table.get(run.run)?.status,
    steps: engine.steps(run.run).map(({ key }) => key),
    workflows: db.prepare('SELECT status FROM workflow_runs').all(),
  };
}

for (const how of ['atOnce', 'whenCommitted'] as const)
  for (const decision of DECISIONS)
    test(`a run goes on and ends once, whichever writes are refused (${how}), decided when ${decision}`, async () => {
      const stuck: string[] = [];
      const good = await goesOn(decision, { first: 0, count: 0, how });
      expect(good).toMatchObject({ ended: ['ok'], problems: [], steps: ['asked', 'went on'], status: 'ok' });
      const all = writes;
      for (const count of [1, 3])
        for (let first = 1; first <= all + 1; first++) {
          writes = 0;
          const found = await goesOn(decision, { first, count, how });
          if (JSON.stringify(found) !== JSON.stringify(good))
            stuck.push(`${count} refused from write ${first}: ${JSON.stringify(found)}`);
        }
      expect(stuck).toEqual([]);
    });
