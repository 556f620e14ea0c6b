import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunPage, Schedule } from '#shared/api.ts';
import { type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { discard, type ServerSetup, startServer, tempFolder, type TestServer } from '../support/server.ts';

async function start(setup: ServerSetup): Promise<TestServer> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return server;
}

const ticking = (params: object) => ({
  format: 1,
  id: 'tick',
  nodes: {
    clock: { operator: 'trigger.schedule', params: { cron: '* * * * * *', ...params } },
    say: { operator: 'text.template', params: { template: '{{ input.at }}' } },
  },
  edges: [{ from: 'clock.out', to: 'say.in' }],
});

const runsOf = async (owner: Owner) => (await owner.data<RunPage>('GET', '/runs?flow=tick&limit=500')).runs;

/** The times that were started, as the runs' triggers gave them. */
async function startedTimes(owner: Owner): Promise<string[]> {
  const runs = await runsOf(owner);
  const inputs = await Promise.all(
    runs.map(async ({ run }) => {
      const { events } = await owner.data<{ events: { kind: string; input?: { at: string } }[] }>(
        'GET',
        `/runs/${run}/events`,
      );
      return events.find(({ kind }) => kind === 'run-started')?.input?.at ?? '';
    }),
  );
  return inputs.sort();
}

describe('a schedule', () => {
  test('starts its flow at each of its times, once, also over a kill and a restart', async () => {
    const flows = tempFolder('flows');
    const flow = { ...ticking({ catchUp: 'all', overlap: 'allow' }), settings: { record: 'full' } };
    writeFileSync(join(flows, 'tick.json'), JSON.stringify(flow));
    const server = await start({ flows });
    const owner = await signIn(server);
    await eventually(async () => expect((await runsOf(owner)).length).toBeGreaterThanOrEqual(3));
    const [schedule] = await owner.data<Schedule[]>('GET', '/schedules');
    expect(schedule).toMatchObject({ flow: 'tick', node: 'clock', cron: '* * * * * *', timezone: 'UTC' });
    expect(Date.parse(schedule?.next ?? '')).toBeGreaterThan(Date.parse(schedule?.seenTo ?? ''));
    // So long that all that ran is in the history.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.stop('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 2500));

    const later = await signIn(await start({ flows, data: server.data }));
    await eventually(async () => expect((await runsOf(later)).length).toBeGreaterThanOrEqual(8));
    const times = await startedTimes(later);
    expect(new Set(times).size).toBe(times.length);
    const [first = '', last = ''] = [times[0], times.at(-1)];
    const seconds = (Date.parse(last) - Date.parse(first)) / 1000 + 1;
    // One second may have been noted as started just before the kill.
    expect(times.length).toBeGreaterThanOrEqual(seconds - 1);
    expect((await runsOf(later)).every(({ source }) => source === 'schedule')).toBe(true);
  });

  test('that is changed or taken away takes effect at once', async () => {
    const flows = tempFolder('flows');
    const server = await start({ flows });
    const owner = await signIn(server);
    await owner.data('POST', '/flows', { flow: ticking({ cron: '0 9 * * 1-5', timezone: 'Europe/Oslo' }) });
    const schedules = () => owner.data<Schedule[]>('GET', '/schedules');
    await eventually(async () => expect(await schedules()).toHaveLength(1));
    const [schedule] = await schedules();
    const hour = new Intl.DateTimeFormat('en', {
      timeZone: 'Europe/Oslo',
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    });
    expect(hour.format(new Date(schedule?.next ?? 0))).toBe('09:00');
    const { revision } = await owner.data<{ revision: string }>('GET', '/flows/tick');
    const changed = await owner.data<{ revision: string }>('PUT', '/flows/tick', {
      revision,
      flow: ticking({}),
    });
    await eventually(async () => expect((await runsOf(owner)).length).toBeGreaterThanOrEqual(2));
    await owner.data('DELETE', `/flows/tick?revision=${changed.revision}`);
    await eventually(async () => expect(await schedules()).toEqual([]));
  });

  test('that cannot be read does not go live, and says why', async () => {
    const server = await start({});
    const owner = await signIn(server);
    const saved = await owner.data<{ problems: { code: string; message: string }[]; state: string }>(
      'POST',
      '/flows',
      {
        flow: ticking({ cron: 'tomorrow' }),
      },
    );
    expect(saved.state).toBe('draft');
    expect(saved.problems).toEqual([
      expect.objectContaining({
        code: 'bad-param',
        message: expect.stringContaining('"tomorrow" is not a schedule'),
      }),
    ]);
  });
});
