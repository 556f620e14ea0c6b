import { describe, expect, test } from 'vitest';
import type { ChangeLog } from '../../storage/database/change-log.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { openRowFlows } from './row-flows.ts';
import type { FlowStore } from './flow-store.ts';
import { actorNamed } from './testing/flow-fixture.ts';
import { flowStoreContract } from './testing/flow-store.contract.ts';

type Follower = Parameters<ChangeLog['follow']>[1];
type Logged = readonly [by: Follower | undefined, id: string];

/** A change log of stores in this process: the others hear at once. */
function logOf(all: Set<Follower>, logged: Logged[]): ChangeLog {
  let own: Follower | undefined;
  let seq = 0;
  const spread = async (): Promise<void> => {
    const changes = logged.splice(0);
    for (const follower of all) {
      const ids = new Set(changes.filter(([by]) => by !== follower).map(([, id]) => id));
      if (ids.size > 0) await follower(ids);
    }
  };
  return {
    async add(_tx, _kind, id) {
      logged.push([own, id]);
      return ++seq;
    },
    spread,
    follow(_kind, follower) {
      own = follower;
      all.add(follower);
    },
    catchUp: spread,
    async alone(_name, work) {
      await spread();
      return work();
    },
  };
}

onBothDatabases(weftMigrations, (make) => {
  async function world() {
    const { sql } = await make();
    const followers = new Set<Follower>();
    const logged: Logged[] = [];
    let isAway = false;
    const cut: Sql = {
      ...sql,
      transaction: (work, options) =>
        isAway ? Promise.reject(new ServiceError('storage_failed')) : sql.transaction(work, options),
    };
    const open = (on: Sql = sql): Promise<FlowStore> =>
      openRowFlows({ sql: on, changes: logOf(followers, logged), now: Date.now, warn: () => {} });
    const other = await open();
    return {
      store: await open(cut),
      again: () => open(),
      other,
      async outside(id: string, text: string | undefined) {
        const path = other.place(id);
        await other.alone(() => {
          const found = other.read(path);
          const before = found === 'same' ? undefined : found?.hash;
          return text === undefined ? other.remove(id, path, 0) : other.stage(path, text).commit(before);
        });
      },
      unmount: () => void (isAway = true),
      mount: () => void (isAway = false),
    };
  }

  flowStoreContract('flows in rows', world);

  test('one of two servers that write a draft at the same state is refused', async () => {
    const { store, other } = await world();
    await store.drafts.write('a', 'mine', { writers: ['ada'] });
    await expect(other.drafts.write('a', 'theirs', { writers: ['bob'] })).rejects.toMatchObject({
      code: 'revision_conflict',
    });
    expect(store.drafts.all()[0]?.writers).toEqual(['ada']);
  });

  test('a flow that another server has changed is not removed', async () => {
    const { store, other } = await world();
    await store.stage(store.place('a'), 'one').commit(undefined);
    await expect(other.remove('a', other.place('a'), 0)).rejects.toMatchObject({ code: 'conflict' });
    expect(store.scan()).toHaveLength(1);
  });

  test('a version has its last author and label, and is live as long as its flow exists', async () => {
    const { store } = await world();
    const kept = { text: 'one', label: undefined, at: '2026-01-01T00:00:00.000Z' };
    const { versions } = store;
    await versions.keep('a', { ...kept, version: 'v1', actor: actorNamed('ada') });
    await versions.label('a', 'v1', { label: 'first', actor: actorNamed('ada') });
    await versions.keep('a', { ...kept, version: 'v2', actor: actorNamed('bob') });
    await versions.keep('a', { ...kept, version: 'v1', actor: actorNamed('eve') });
    expect(await versions.list('a')).toMatchObject([
      { version: 'v1', author: 'eve', label: 'first', live: true },
      { version: 'v2', author: 'bob', live: false },
    ]);
    await store.stage(store.place('a'), 'one').commit(undefined);
    await versions.retire('a');
    expect(await versions.lastLive('a')).toBe('v1');
    await store.remove('a', store.place('a'), 0);
    await versions.retire('a');
    expect(await versions.lastLive('a')).toBeUndefined();
  });

  describe('a route', () => {
    const at = (path: string) => [{ node: 'in', path, methods: ['GET'] }];
    const put = (store: FlowStore, id: string, path: string, before?: string) =>
      store.stage(store.place(id), `${id} at ${path}`).commit(before, at(path));
    const hashOf = (store: FlowStore, id: string): string | undefined => {
      const found = store.read(store.place(id));
      return found === 'same' ? undefined : found?.hash;
    };

    test('that two servers publish at once belongs to one flow; the other one is refused', async () => {
      const { store, other } = await world();
      const both = await Promise.allSettled([put(store, 'a', '/same/:x'), put(other, 'b', '/same/:y')]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'publish_conflict', message: expect.stringContaining('GET /same/:') },
      });
      expect([...store.scan(), ...other.scan()]).toHaveLength(1);
    });

    test('is free when its flow has another one, or is removed', async () => {
      const { store, other } = await world();
      await put(store, 'a', '/one');
      await put(store, 'a', '/two', hashOf(store, 'a'));
      await put(other, 'b', '/one');
      await expect(put(other, 'c', '/two')).rejects.toMatchObject({ code: 'publish_conflict' });
      await store.remove('a', store.place('a'), 0);
      await put(other, 'c', '/two');
      expect(hashOf(other, 'c')).toBeDefined();
    });

    test('of a text that was stored without it is stored at the next start', async () => {
      const { store, again } = await world();
      const nodes = { in: { operator: 'trigger.http', params: { path: '/old/', methods: ['GET'] } } };
      const text = JSON.stringify({ format: 1, id: 'a', nodes, edges: [] });
      await store.stage(store.place('a'), text).commit(undefined);
      const later = await again();
      await expect(put(later, 'b', '/old')).rejects.toMatchObject({ code: 'publish_conflict' });
    });
  });
});
