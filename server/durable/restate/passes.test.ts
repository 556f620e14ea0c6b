import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalBus } from '../../storage/bus.ts';
import { openPostgres } from '../../storage/postgres/open-postgres.ts';
import type { Sql } from '../../storage/sql.ts';
import { newDatabase } from '../../storage/testing/postgres-server.ts';
import { weftMigrations } from '../../storage/weft-tables.ts';
import type { PassEnd } from '../port.ts';
import { SharedRows } from '../postgres/shared-rows.ts';
import { Passes } from './passes.ts';
import type { Reason } from './run-object.ts';

let sql: Sql;

beforeAll(async () => {
  sql = await openPostgres(await newDatabase(), weftMigrations);
});
afterAll(() => sql.close());

/** A server that executes runs which wait for a time, and what Restate hears of one of them. */
function server(rows: SharedRows) {
  const passes = new Passes({
    rows,
    bus: createLocalBus(() => {}),
    node: 'n',
    now: () => 1000,
    complain: () => {},
  });
  const parked: PassEnd = { kind: 'parked', waitingFor: '[{"key":"w"}]', until: 1500 };
  passes.begin({ carryOn: async () => parked, parked: () => {}, ended: () => {} });
  return (run: string, why: Reason, parks: number) => {
    const { signal } = new AbortController();
    return passes.attempt({ run, why, parks, known: [], signal }).next();
  };
}

test('C6: a run is parked again if the server died before Restate knew of it, and has its timer then', async () => {
  const rows = new SharedRows(sql);
  await rows.add({ run: 'r', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 0 });
  const first = { settled: { kind: 'parked', in: 500, parks: 1 } };
  expect(await server(rows)('r', 'start', 0)).toEqual(first);
  // Nobody recorded that: the same invocation comes to another server.
  const again = { settled: { kind: 'parked', in: 500, parks: 2 } };
  expect(await server(rows)('r', 'start', 0)).toEqual(again);
  // A wake that a pass before has seen has nothing to do.
  expect(await server(rows)('r', 'wake', 2)).toEqual({ settled: { kind: 'idle' } });
});
