import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunPage, Schedule } from '#shared/api.ts';
import { ask, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { startProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { discard, product, type ServerSetup, startServer, type TestServer } from '../support/server.ts';

/** Several servers on one flows folder, each with its own data folder. */
const ticking = {
  format: 1,
  id: 'tick',
  nodes: {
    clock: { operator: 'trigger.schedule', params: { cron: '* * * * * *', catchUp: 'all' } },
    say: { operator: 'text.template', params: { template: '{{ input.at }}' } },
  },
  edges: [{ from: 'clock.out', to: 'say.in' }],
  settings: { record: 'full' },
};

function tickingFolder(): string {
  const flows = scratchFolder('flows');
  writeFileSync(join(flows, 'tick.json'), JSON.stringify(ticking));
  return flows;
}

async function start(setup: ServerSetup): Promise<TestServer & { owner: Owner }> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

const runsOf = async ({ owner }: { owner: Owner }) =>
  (await owner.data<RunPage>('GET', '/runs?flow=tick&limit=500')).runs;
const ready = async ({ url }: TestServer) => (await ask(`${url}/readyz`)).body as { schedules?: string };
const told = async ({ owner }: { owner: Owner }) =>
  (await owner.data<{ schedulesElsewhere?: string }>('GET', '/session')).schedulesElsewhere;

async function timesOf({ owner }: { owner: Owner }): Promise<string[]> {
  const times = (await runsOf({ owner })).map(async ({ run }) => {
    const { events } = await owner.data<{ events: { kind: string; input?: { at: string } }[] }>(
      'GET',
      `/runs/${run}/events`,
    );
    return events.find(({ kind }) => kind === 'run-started')?.input?.at ?? '';
  });
  return (await Promise.all(times)).sort();
}

test('the second server starts no schedules and says so; when the first is killed, it starts those that come', async () => {
  const flows = tickingFolder();
  const first = await start({ flows });
  const second = await start({ flows });
  expect(await ready(first)).not.toHaveProperty('schedules');
  expect(await ready(second)).toMatchObject({ status: 'ready', schedules: 'elsewhere' });
  expect(await told(second)).toContain(`(process ${first.process.pid}, started `);
  expect(second.output()).toContain('starts the schedules of');
  const [listed] = await second.owner.data<Schedule[]>('GET', '/schedules');
  expect(listed).toEqual({
    flow: 'tick',
    node: 'clock',
    cron: '* * * * * *',
    timezone: 'UTC',
    next: expect.any(String),
  });

  await eventually(async () => expect((await runsOf(first)).length).toBeGreaterThanOrEqual(3));
  expect(await runsOf(second)).toEqual([]);
  const before = await timesOf(first);
  const killed = Date.now();
  await first.stop('SIGKILL');
  await eventually(async () => expect((await runsOf(second)).length).toBeGreaterThanOrEqual(2));
  const after = await timesOf(second);
  expect(after.filter((at) => before.includes(at))).toEqual([]);
  // It does not make up for the time before, although the schedule asks for that: that was the other server's.
  expect(Date.parse(after[0] as string)).toBeGreaterThan(killed - 1000);
  expect(await ready(second)).not.toHaveProperty('schedules');
  expect(await told(second)).toBeUndefined();

  const back = await start({ flows, data: first.data });
  expect(await ready(back)).toMatchObject({ schedules: 'elsewhere' });
});

test('WEFT_SCHEDULES=on starts them beside the first, and off leaves them alone', async () => {
  const flows = tickingFolder();
  const off = await start({ flows, env: { WEFT_SCHEDULES: 'off' } });
  const first = await start({ flows });
  const on = await start({ flows, env: { WEFT_SCHEDULES: 'on' } });
  await eventually(async () => {
    expect((await runsOf(first)).length).toBeGreaterThan(0);
    expect((await runsOf(on)).length).toBeGreaterThan(0);
  });
  for (const server of [off, first, on]) {
    expect(await ready(server)).not.toHaveProperty('schedules');
    expect(await told(server)).toBeUndefined();
  }
  expect(await runsOf(off)).toEqual([]);
});

test('a second server on one data folder is refused, naming the first', async () => {
  const first = await start({});
  await expect(startServer({ data: first.data })).rejects.toThrow(
    `Another server uses the data folder ${first.data} (process ${first.process.pid}, started `,
  );
});

test('weft dev serves beside a server on the same flows, whichever was there first', async () => {
  const flows = tickingFolder();
  writeFileSync(
    join(flows, 'hello.json'),
    JSON.stringify({
      format: 1,
      id: 'hello',
      nodes: {
        t: { operator: 'trigger.http', params: { path: '/hello', auth: 'none' } },
        say: { operator: 'text.template', params: { template: 'hello' } },
      },
      edges: [{ from: 't.out', to: 'say.in' }],
    }),
  );
  const dev = startProgram(process.execPath, [join(product, 'server/weft.js'), 'dev', flows, '--port', '0']);
  onTestFinished(() => void dev.child.kill('SIGKILL'));
  const [, url = ''] = await dev.prints(/serves on (http:\S+?);/);
  const server = await start({ flows });
  expect(await ready(server)).not.toHaveProperty('schedules');
  await eventually(async () => expect((await runsOf(server)).length).toBeGreaterThan(0));
  expect((await ask(`${url}/api/v1/awel/trigger/hello`)).body).toBe('hello');
  const later = startProgram(process.execPath, [
    join(product, 'server/weft.js'),
    'dev',
    flows,
    '--port',
    '0',
  ]);
  onTestFinished(() => void later.child.kill('SIGKILL'));
  await later.prints(/serves on http/);
});
