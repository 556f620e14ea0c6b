import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConnectionInfo } from '#shared/connection.ts';
import {
  ACCESS_KEY,
  BUCKET,
  REGION,
  SECRET_KEY,
  startS3,
} from '../../../integrations/connections/testing/s3-server.ts';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { routeCaller } from '../../../testing/route-caller.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

test('weft connections lists, shows, tests and removes, with a server and without one', async () => {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const weft = async (...args: string[]) => {
    const io = testIo(folder, { env: { WEFT_DATA: data } });
    const code = await runCli(['connections', ...args], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  expect(await weft('list')).toEqual({ code: 0, out: '', err: 'There are no connections.\n' });

  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const { endpoint } = s3;
  const settings = { endpoint, region: REGION, bucket: BUCKET, accessKey: ACCESS_KEY, secretKey: SECRET_KEY };
  const server = await startBed({ data });
  const { call } = await routeCaller(server);
  for (const [name, more] of [
    ['files', {}],
    ['wrong', { secretKey: 'another-secret-key' }],
    ['other', {}],
  ] as const)
    await call('PUT /api/v1/connections/:name', {
      params: { name },
      body: { kind: 's3', settings: { ...settings, ...more }, grants: { flows: ['f'] } },
    });

  async function check(): Promise<void> {
    const listed = await weft('list');
    expect(listed.out).toContain(`files  s3  ${endpoint}/${BUCKET}  flows f`);
    const all = JSON.parse((await weft('list', '--json')).out) as ConnectionInfo[];
    expect(all.find(({ name }) => name === 'files')).toMatchObject({ kind: 's3', hidden: ['secretKey'] });
    const shown = await weft('show', 'files');
    expect(shown.out).toMatch(/bucket +weft-files\n/);
    expect(shown.out).toContain('(hidden)');
    expect(`${listed.out}${shown.out}${JSON.stringify(all)}`).not.toContain(SECRET_KEY);
    expect(await weft('test', 'files')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^files works: the bucket weft-files at 127\.0\.0\.1:\d+ \(\d+ ms\)\n$/),
    });
    const failed = await weft('test', 'wrong');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('SignatureDoesNotMatch') });
    expect(JSON.parse((await weft('test', 'wrong', '--json')).out)).toMatchObject({
      ok: false,
      error: { code: 'connection_refused' },
    });
    for (const name of ['show', 'test', 'remove'])
      expect(await weft(name, 'none')).toMatchObject({
        code: 1,
        err: expect.stringContaining('There is no connection none'),
      });
    expect(await weft('limit', 'files', '600/minute', '--burst', '20')).toMatchObject({
      code: 0,
      err: 'files: at most 600 uses a minute, 20 at once.\n',
    });
    expect((await weft('list')).out).toContain('; at most 600 uses a minute, 20 at once\n');
    expect((await weft('test', 'files')).code).toBe(0);
    for (const wrong of ['0/minute', '5', '5/year', 'many/hour'])
      expect(await weft('limit', 'files', wrong)).toMatchObject({
        code: 2,
        err: expect.stringContaining('10/second'),
      });
    expect(await weft('limit', 'files', 'none')).toMatchObject({ code: 0, err: 'files: no rate limit.\n' });
    expect(await weft('grant', 'files', 'g', 'f')).toEqual({
      code: 0,
      out: '',
      err: 'files: granted to flows f, g.\n',
    });
    expect((await weft('list')).out).toContain(`files  s3  ${endpoint}/${BUCKET}  flows f, g\n`);
    expect((await weft('grant', 'files', 'No id')).code).toBe(2);
    expect((await weft('grant', 'none', 'f')).code).toBe(1);
    expect((await weft('test', 'Not A Name')).code).toBe(2);
    expect((await weft('drop', 'files')).code).toBe(2);
  }

  await check();
  expect(await weft('remove', 'other')).toEqual({ code: 0, out: '', err: 'Removed other.\n' });
  const list = (await call('GET /api/v1/connections')) as { name: string }[];
  expect(list.map(({ name }) => name)).toEqual(['files', 'wrong']);
  const { entries } = await server.ctx.auditLog.list({ limit: 1 });
  expect(entries).toMatchObject([
    { what: 'connection removed', actor: { kind: 'command line' }, facts: { connection: 'other' } },
  ]);
  await server.stop();

  await check();
  expect((await weft('remove', 'wrong')).code).toBe(0);
  expect((await weft('list')).out).toBe(`files  s3  ${endpoint}/${BUCKET}  flows f, g\n`);
});
