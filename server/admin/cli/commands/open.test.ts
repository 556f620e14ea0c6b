import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

async function open(data: string) {
  const io = testIo(await tempFolder(), { env: { WEFT_DATA: data } });
  const code = await runCli(['open'], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

test('prints an address of the running server that signs one browser in, once', async () => {
  const bed = await startBed();
  const { data } = bed.ctx.config;
  const { code, out } = await open(data);
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n$/)]);
  const enter = () => fetch(out.trim(), { redirect: 'manual' });
  const [first, second] = [await enter(), await enter()];
  expect(first.headers.get('set-cookie')).toMatch(/^weft_session_/);
  expect(second.status).toBe(401);
  expect(await second.text()).toContain('npm run weft -- open');
  const other = await fetch((await open(data)).out.trim(), { redirect: 'manual' });
  expect(other.status).toBe(303);
});

test('prints why there is no address', async () => {
  expect(await open(join(await tempFolder(), 'data'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('command_needs_server: A server signs browsers in'),
  });
  const bed = await startBed({ editor: 'off' });
  expect(await open(bed.ctx.config.data)).toMatchObject({
    code: 1,
    err: expect.stringContaining('WEFT_EDITOR=off'),
  });
});
