import { createPostgresEngine } from '../server/execution/durable/postgres/postgres-engine.ts';
import type { DurableEngine } from '../server/execution/durable/port.ts';
import { createRestateEngine } from '../server/execution/durable/restate/restate-engine.ts';
import { openRestate, serviceOf } from '../server/execution/durable/restate/restate-link.ts';
import { openPostgres } from '../server/storage/database/postgres/open-postgres.ts';
import { noticeKeys } from '../server/storage/database/testing/bus.ts';
import { openPostgresBus } from '../server/storage/database/postgres/postgres-bus.ts';
import { weftMigrations } from '../server/storage/database/weft-tables.ts';
import type { TakeoverSpec } from './scenarios/cluster-takeover.ts';

/**
 * A server as far as durable runs go: tells of each pass that it begins. The first pass of a run never ends, so that the process is
 * killed in it; the second one ends the run.
 */
const spec = JSON.parse(process.argv[2] ?? '') as TakeoverSpec;
const sql = await openPostgres(spec.url, weftMigrations);
const bus = await openPostgresBus(spec.url, () => {}, noticeKeys);
const engine = await open();

engine.begin({
  async carryOn({ run: { run, passes } }) {
    process.send?.({ run, passes });
    if (passes === 1) await new Promise(() => {});
    return { kind: 'ended', status: 'ok', end: '{"v":null}', at: Date.now() };
  },
  parked: () => {},
  ended: ({ run }) => void engine.told(run),
});
process.on('message', ({ start: run }: { readonly start: string }) => {
  const facts = { flow: 'f', version: 'v', input: '{}', texts: [], startedAt: Date.now() };
  void engine.start({ run, ...facts });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function open(): Promise<DurableEngine> {
  const shared = { sql, bus, node: crypto.randomUUID(), now: Date.now, complain: () => {} };
  if (spec.restate === undefined) return createPostgresEngine({ ...shared, url: spec.url });
  const { url, adminUrl, door, port } = spec.restate;
  const link = await openRestate({
    url,
    adminUrl,
    executes: { serviceUrl: `http://127.0.0.1:${door}`, host: '127.0.0.1', port },
    service: await serviceOf(sql),
  });
  return createRestateEngine({ ...shared, link });
}
