import { expect, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createStartTokens, START_TOKEN_MS } from './start-tokens.ts';

const key = Buffer.alloc(32, 7);

onBothDatabases(weftMigrations, (make) => {
  test('a token is good once, at whichever server it is shown, and only for a quarter of an hour', async () => {
    const { sql, again } = await make();
    let now = 1_000_000;
    const a = createStartTokens({ keys: () => [key], sql, now: () => now });
    const b = createStartTokens({ keys: () => [key], sql: await again(), now: () => now });
    const token = a.issue();
    const taken = await Promise.all([a, b, a, b].map((server) => server.take(token)));
    expect(taken.filter((good) => good).length).toBe(1);
    const late = a.issue();
    now += START_TOKEN_MS;
    expect(await b.take(late)).toBe(false);
    expect(await b.take(a.issue())).toBe(true);
    // Nothing is kept for longer than it matters.
    const kept = await sql.all<{ readonly hash: string }>('SELECT hash FROM spent_address');
    expect(kept.length).toBe(2);
    now += START_TOKEN_MS + 1;
    expect(await b.take(a.issue())).toBe(true);
    expect((await sql.all('SELECT hash FROM spent_address')).length).toBe(1);
  });

  test('a token that was made up, changed, or signed with another key is none', async () => {
    const { sql } = await make();
    const tokens = createStartTokens({ keys: () => [key], sql, now: () => 0 });
    const other = createStartTokens({ keys: () => [Buffer.alloc(32, 8)], sql, now: () => 0 });
    const token = tokens.issue();
    const changed = `${token[0] === 'A' ? 'B' : 'A'}${token.slice(1)}`;
    for (const wrong of ['', 'x', 'x'.repeat(200), changed, `${token}x`, other.issue()])
      expect(await tokens.take(wrong), wrong).toBe(false);
    expect(await tokens.take(token)).toBe(true);
  });
});
