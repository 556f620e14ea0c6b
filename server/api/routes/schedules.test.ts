import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Schedule } from '#shared/api.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { runCli } from '../../admin/cli/program.ts';
import { testIo } from '../../admin/cli/testing/test-io.ts';
import { type Bed, signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';

/** Schedules over the API and the command line, on a server with its data folder. */

const clock = { operator: 'trigger.schedule', params: { cron: '0 4 * * *', input: { of: 'night' } } };
const flow = (id: string, more: object) => ({ format: 1, id, nodes: { clock }, edges: [], ...more });

interface Answer {
  readonly status: number;
  readonly body: { readonly data?: unknown; readonly err_code?: string };
}

async function folders(): Promise<{ folder: string; data: string; flows: string }> {
  const folder = await tempFolder();
  const flows = join(folder, 'flows');
  mkdirSync(flows);
  const twice = { nodes: { clock, other: clock } };
  const files = { night: {}, memory: { settings: { durable: false } }, twice };
  for (const [id, more] of Object.entries(files))
    writeFileSync(join(flows, `${id}.json`), JSON.stringify(flow(id, more)));
  return { folder, data: join(folder, 'data'), flows };
}

async function asking(bed: Bed) {
  const owner = await signIn(bed);
  return async (method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, { method, headers: { ...owner, ...headers } });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
}

type Ask = Awaited<ReturnType<typeof asking>>;

const nightOf = async (ask: Ask): Promise<Schedule | undefined> =>
  ((await ask('GET', '/schedules')).body.data as Schedule[]).find((one) => one.flow === 'night');

async function outputOf(ask: Ask, run: string): Promise<unknown> {
  const { body } = await eventually(async () => {
    const answer = await ask('GET', `/runs/${run}`);
    expect(answer.body.data).toMatchObject({ status: 'ok', source: 'schedule' });
    return answer;
  });
  return body.data;
}

test('a schedule is paused until it goes on, over a restart, and starts at once when it is told to', async () => {
  const { data, flows } = await folders();
  const first = await startBed({ data, flows: [flows] });
  const before = await asking(first);
  expect(await nightOf(before)).toMatchObject({ next: expect.any(String) as string });
  const paused = await before('POST', '/schedules/night/clock/pause');
  expect(paused).toMatchObject({
    status: 200,
    body: { data: { flow: 'night', paused: { by: expect.any(String) as string } } },
  });
  expect((await before('POST', '/schedules/night/clock/pause')).body.data).toEqual(paused.body.data);
  await first.stop();

  const ask = await asking(await startBed({ data, flows: [flows] }));
  const found = await nightOf(ask);
  expect(found).toMatchObject({ paused: (paused.body.data as Schedule).paused });
  expect(found).not.toHaveProperty('next');
  const started = await ask('POST', '/schedules/night/clock/run');
  expect(started.status).toBe(202);
  await outputOf(ask, (started.body.data as { run: string }).run);
  const resumed = (await ask('POST', '/schedules/night/clock/resume')).body.data;
  expect(resumed).toMatchObject({ next: expect.any(String) as string });
  expect(resumed).not.toHaveProperty('paused');
  expect((await ask('POST', '/schedules/night/clock/resume')).body.data).toEqual(resumed);
});

test('a run is started once for each key, also of a flow whose runs are in memory; other places are refused', async () => {
  const { data, flows } = await folders();
  const ask = await asking(await startBed({ data, flows: [flows] }));
  const once = { 'idempotency-key': 'now-1' };
  const runs = [1, 2].map(() => ask('POST', '/schedules/night/clock/run', once));
  const [one, two] = await Promise.all(runs);
  expect(one?.body.data).toEqual(two?.body.data);
  const inMemory = await ask('POST', '/schedules/memory/clock/run');
  await outputOf(ask, (inMemory.body.data as { run: string }).run);
  for (const [place, verb] of [
    ['night/other', 'pause'],
    ['none/clock', 'resume'],
    ['none/clock', 'run'],
  ])
    expect(await ask('POST', `/schedules/${place}/${verb}`)).toMatchObject({
      status: 404,
      body: { err_code: 'schedule_not_found' },
    });
});

test('weft schedules lists, pauses, resumes and runs', async () => {
  const { folder, data, flows } = await folders();
  const bed = await startBed({ data, flows: [flows] });
  const { key } = await bed.ctx.keys.create({ name: 'ops', scopes: ['flows:read', 'runs:write'] });
  const weft = async (...args: string[]) => {
    const io = testIo(folder, { env: { WEFT_DATA: data } });
    const code = await runCli(['schedules', ...args, '--url', bed.url, '--key', key], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  expect((await weft('list')).out).toMatch(/^memory\.clock {2}0 4 \* \* \* UTC {2}next 20/m);
  expect(await weft('pause', 'night')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/paused by /) as string,
  });
  expect(JSON.parse((await weft('list', '--json')).out)).toContainEqual(
    expect.objectContaining({ flow: 'night', paused: expect.anything() as unknown }),
  );
  expect((await weft('run', 'night')).out).toMatch(/^[0-9a-z]+\n$/);
  expect((await weft('resume', 'night', 'clock')).out).toContain('next 20');
  expect(await weft('pause', 'twice')).toMatchObject({
    code: 2,
    err: expect.stringContaining('name one of clock, other') as string,
  });
  expect(await weft('pause', 'none')).toMatchObject({ code: 2 });
  expect(await weft('pause', 'night', 'other')).toMatchObject({
    code: 1,
    err: expect.stringContaining('schedule_not_found') as string,
  });
});
