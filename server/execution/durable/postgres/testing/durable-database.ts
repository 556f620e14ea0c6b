import { createRequire } from 'node:module';
import { createLocalBus } from '../../../../storage/database/bus.ts';
import { migratePostgres, openPostgres } from '../../../../storage/database/postgres/open-postgres.ts';
import { newDatabase } from '../../../../storage/database/testing/postgres-server.ts';
import { weftMigrations } from '../../../../storage/database/weft-tables.ts';
import type { OpenEngine } from '../../testing/durable-bed.ts';
import { createPostgresEngine } from '../postgres-engine.ts';
import { migrateWorkflows } from '../workflows.ts';

const library: unknown = createRequire(import.meta.url)('../../../../../package.json').dependencies
  .openworkflow;

/** A new database of a real PostgreSQL with the tables of durable runs, all empty. */
export function durableDatabase(): Promise<string> {
  return newDatabase({
    of: [weftMigrations, library],
    async fill(url) {
      await migrateWorkflows(url);
      await migratePostgres(url, weftMigrations);
    },
  });
}

const databases = new Map<string, Promise<string>>();

/** The engine on a database of its own for each folder. */
export const openOnPostgres: OpenEngine = async (folder) => {
  const known = databases.get(folder) ?? durableDatabase();
  databases.set(folder, known);
  const url = await known;
  const sql = await openPostgres(url, weftMigrations);
  const bus = createLocalBus(() => {});
  const node = crypto.randomUUID();
  const engine = createPostgresEngine({ sql, url, bus, node, now: Date.now, complain: () => {} });
  const { begin, close } = engine;
  engine.begin = (host) => {
    begin.call(engine, host);
    // The waits of the bed are in no table, where decided ones would be found.
    void engine.list({ status: ['waiting'], limit: 100 }).then(async (waiting) => {
      await host.decided?.(waiting.map(({ run, waitingFor = '[]' }) => ({ run, waitingFor })));
    });
  };
  engine.close = async () => {
    await close.call(engine);
    await sql.close();
  };
  return {
    engine,
    async kill() {
      await engine.kill();
      // As after the lease of the dead process has expired: with a shorter lease, a process on a busy machine would
      // lose it.
      await sql.run("UPDATE weft_workflows.workflow_runs SET available_at = now() WHERE status = 'running'");
      await sql.close();
    },
  };
};
