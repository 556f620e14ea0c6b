import { expect, test } from 'vitest';
import { AuditQuery } from '#shared/audit.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';

const ada = { kind: 'key', id: 'key:1', name: 'ada' } as const;
const owner = { kind: 'owner', id: 'browser', name: 'owner' } as const;

const asked = (query: Partial<AuditQuery> = {}): AuditQuery => AuditQuery.parse(query);

async function whatIn(log: AuditLog, query: Partial<AuditQuery> = {}): Promise<string[]> {
  return (await log.list(asked(query))).entries.map(({ what }) => what);
}

onBothDatabases(weftMigrations, (make) => {
  test('entries are listed as they were added, the newest first, those under way included', async () => {
    const { sql } = await make();
    const log = createAuditLog(sql, { now: () => 1000 });
    const facts = { flow: 'orders', version: 'v1', odd: { a: [1, null] } };
    await log.add({ actor: ada, what: 'flow published', facts, from: '10.0.0.7' });
    const adding = log.add({ actor: owner, what: 'signed in', facts: {} });
    expect((await log.list(asked())).entries).toEqual([
      { id: expect.any(String), at: '1970-01-01T00:00:01.000Z', actor: owner, what: 'signed in', facts: {} },
      {
        id: expect.any(String),
        at: '1970-01-01T00:00:01.000Z',
        actor: ada,
        what: 'flow published',
        facts,
        from: '10.0.0.7',
      },
    ]);
    await adding;
  });

  test('they are found by actor, action, flow and time, and in pages', async () => {
    const { sql } = await make();
    let now = 0;
    const log = createAuditLog(sql, { now: () => now });
    for (const [at, actor, what, flow] of [
      [1000, ada, 'flow made', 'a'],
      [2000, owner, 'flow made', 'b'],
      [3000, ada, 'flow published', 'a'],
      // The clock may be set back; the order stays.
      [2500, owner, 'variable set', undefined],
    ] as const) {
      now = at;
      await log.add({ actor, what, facts: { ...(flow && { flow }) } });
    }
    expect(await whatIn(log)).toEqual(['variable set', 'flow published', 'flow made', 'flow made']);
    expect(await whatIn(log, { actor: 'ada' })).toEqual(['flow published', 'flow made']);
    expect(await whatIn(log, { what: 'flow made', flow: 'b' })).toEqual(['flow made']);
    expect(await whatIn(log, { since: '1970-01-01T00:00:02.600Z' })).toEqual(['flow published']);
    const first = await log.list(asked({ limit: 3 }));
    const second = await log.list(asked({ limit: 3, before: first.next as string }));
    expect([first.entries.length, second.entries.map(({ facts }) => facts['flow']), second.next]).toEqual([
      3,
      ['a'],
      undefined,
    ]);
  });

  test('two processes lose no entry, projects are kept apart, and the oldest are dropped', async () => {
    const { sql, again } = await make();
    const logs = [sql, await again()].map((to) => createAuditLog(to, { now: () => 5, most: 1000 }));
    const other = createAuditLog(sql, { now: () => 1, project: 'other' });
    await other.add({ actor: ada, what: 'theirs', facts: {} });
    const each = Array.from({ length: 20 }, (_, at) => `did ${at}`);
    await Promise.all(each.flatMap((what) => logs.map((log) => log.add({ actor: ada, what, facts: {} }))));
    expect((await whatIn(logs[0] as AuditLog)).toSorted()).toEqual([...each, ...each].toSorted());
    const few = createAuditLog(sql, { now: () => 9, most: 3 });
    await few.add({ actor: ada, what: 'last', facts: {} });
    expect(await whatIn(few)).toHaveLength(3);
    expect(await whatIn(other)).toEqual(['theirs']);
  });
});
