import { expect, test } from 'vitest';
import { createServerKey } from '../../access/security/server-key.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createWaitLinks } from './links.ts';

onBothDatabases(weftMigrations, (make) => {
  test('a link fits only its own wait, for every process and after a restart; a guess creates no key', async () => {
    const { sql, again } = await make();
    const linksOf = (to: typeof sql, project?: string) =>
      createWaitLinks(createServerKey(to, 'wait-links', project), () => 'https://weft.example');
    const [links, others] = [linksOf(sql), linksOf(await again())];
    expect(await others.isToken('run1.ask', 'guess')).toBe(false);
    expect(await createServerKey(sql, 'wait-links').find()).toBeUndefined();
    const url = new URL(await links.urlOf('run1.ask'));
    expect(`${url.origin}${url.pathname}`).toBe('https://weft.example/wait/run1.ask');
    const token = url.searchParams.get('token') ?? '';
    expect(await others.isToken('run1.ask', token)).toBe(true);
    expect(await others.urlOf('run1.ask')).toBe(url.href);
    for (const [id, given] of [
      ['run1.other', token],
      ['run1.ask', ''],
      ['run1.ask', `${token}x`],
    ] as const)
      expect(await links.isToken(id, given)).toBe(false);
    expect(await linksOf(sql, 'other').urlOf('run1.ask')).not.toBe(url.href);
  });
});
