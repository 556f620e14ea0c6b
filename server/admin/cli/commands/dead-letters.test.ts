import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeadLetter } from '#shared/calls-api.ts';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';
import { eventually } from '../../../../tests/support/eventually.ts';

const failing = {
  format: 1,
  id: 'failing',
  nodes: {
    start: {
      operator: 'trigger.http',
      params: { path: '/f', methods: ['POST'], auth: 'none', answer: 'immediately' },
    },
    ask: { operator: 'http.request', params: { url: 'http://127.0.0.1:1/' } },
  },
  edges: [{ from: 'start.out', to: 'ask.in' }],
};

test('weft dead-letters lists, retries and drops over a running server, and lists and drops without one', async () => {
  const folder = await tempFolder();
  const [data, flows] = [join(folder, 'data'), join(folder, 'flows')];
  mkdirSync(flows);
  writeFileSync(join(flows, 'failing.json'), JSON.stringify(failing));
  const weft = async (...args: string[]) => {
    const io = testIo(folder, { env: { WEFT_DATA: data } });
    const code = await runCli(['dead-letters', ...args], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  expect(await weft('list')).toEqual({ code: 0, out: '', err: 'There are no dead letters.\n' });
  const letters = async () => JSON.parse((await weft('list', '--json')).out) as DeadLetter[];
  const server = await startBed({ data, flows: [flows] });
  const headers = { 'content-type': 'application/json' };
  for (let n = 0; n < 2; n++)
    await fetch(`${server.url}/api/v1/awel/trigger/f`, { method: 'POST', body: '{}', headers });
  await eventually(async () => expect(await letters()).toHaveLength(2));
  const [newest, oldest] = await letters();
  expect((await weft('list', '--flow', 'failing')).out).toContain(`${newest?.run}  `);

  const retried = await weft('retry', newest?.run ?? '', 'none');
  expect(retried).toMatchObject({ code: 1, out: expect.stringContaining('is retried as') });
  expect(retried.err).toContain('none: ');
  await eventually(async () => {
    const runs = (await letters()).map(({ run }) => run);
    expect(runs).toHaveLength(2);
    expect(runs).not.toContain(newest?.run);
  });
  expect(await weft('drop', oldest?.run ?? '')).toEqual({ code: 0, out: '', err: 'Dropped 1.\n' });
  await server.stop();

  expect(await letters()).toHaveLength(1);
  expect(await weft('retry', '--flow', 'failing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('command_needs_server: A server retries runs'),
  });
  expect(JSON.parse((await weft('drop', '--flow', 'failing', '--json')).out)).toEqual({ dropped: 1 });
  expect(await letters()).toEqual([]);
  expect((await weft('drop')).code).toBe(2);
  expect((await weft('retry', 'a', '--flow', 'failing')).code).toBe(2);
});
