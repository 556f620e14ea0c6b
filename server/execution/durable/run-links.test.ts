import { expect, test } from 'vitest';
import { createServerKey } from '../../access/security/server-key.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createRunLinks } from './run-links.ts';

const tokenOf = (url: string) => new URL(url, 'http://x').searchParams.get('token') ?? '';

onBothDatabases(weftMigrations, (make) => {
  test('an address fits its own run, for every process and after a restart, and no other', async () => {
    const { sql, again } = await make();
    const links = createRunLinks(createServerKey(sql, 'run-links'));
    const url = await links.of('run-1');
    expect(url).toMatch(/^\/api\/v1\/run-status\/run-1\?token=[\w-]{43}$/);
    const token = tokenOf(url);
    const others = createRunLinks(createServerKey(await again(), 'run-links'));
    expect(await others.fits('run-1', token)).toBe(true);
    expect(await others.of('run-1')).toBe(url);
    expect(await links.fits('run-2', token)).toBe(false);
    for (const wrong of ['', 'x', token.slice(1), `A${token.slice(1)}x`])
      expect(await links.fits('run-1', wrong)).toBe(false);
    const foreign = createRunLinks(createServerKey(sql, 'run-links', 'other'));
    await foreign.prepare();
    expect(await foreign.fits('run-1', token)).toBe(false);
  });

  test('the key exists before the first run, and a guess makes none', async () => {
    const { sql, again } = await make();
    const key = createServerKey(await again(), 'run-links');
    const links = createRunLinks(createServerKey(sql, 'run-links'));
    expect(await links.fits('run-1', 'guess')).toBe(false);
    expect(await key.find()).toBeUndefined();
    await links.prepare();
    expect(await key.find()).toBeDefined();
  });
});
