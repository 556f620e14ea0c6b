import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

test('weft webhooks lists registrations, narrows the list, forgets one of another address, and says what a trigger lacks', async () => {
  const bed = await startBed({ publicUrl: 'https://flows.example.com' });
  const { key } = await bed.ctx.keys.create({ name: 'ci', scopes: ['flows:read', 'flows:publish'] });
  const weft = async (...args: string[]) => {
    const io = testIo(await tempFolder(), {});
    const code = await runCli(['webhooks', ...args, '--url', bed.url, '--key', key], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  expect(await weft('list')).toMatchObject({ code: 0, err: 'Nothing is registered at a service.\n' });
  const { store } = await bed.ctx.hooks();
  const row = {
    flow: 'take',
    node: 'called',
    operator: 'github.events',
    use: 'hand' as const,
    of: 'by hand',
  };
  for (const base of ['https://flows.example.com', 'https://old.example.com'])
    await store.add({ ...row, key: base, base, params: '{"connection":"it"}', listens_until: 0 });
  await store.change('https://flows.example.com', {
    last_at: Date.UTC(2026, 10, 28),
    last_event: 'issues',
    problem: '{"code":"hook_taken","message":"Taken."}',
  });
  const { out } = await weft('list', '--state', 'failed');
  expect(out).toBe(
    'take.called  github.events  failed  at https://flows.example.com  last event 2026-11-28T00:00:00.000Z (issues)  hook_taken: Taken.\n',
  );
  expect(await weft('list', '--service', 'stripe')).toMatchObject({ out: '' });
  const [old] = JSON.parse((await weft('list', '--state', 'elsewhere', '--json')).out) as [{ id: string }];
  expect((await weft('forget', old.id)).code).toBe(0);
  expect(await weft('forget', old.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining('hook_not_found'),
  });
  expect(await store.all()).toHaveLength(1);
  expect(await weft('register', 'none', 'called')).toMatchObject({
    code: 1,
    err: expect.stringContaining('flow_not_found'),
  });
  expect(await weft('list', '--state', 'nonsense')).toMatchObject({ code: 2 });
});
