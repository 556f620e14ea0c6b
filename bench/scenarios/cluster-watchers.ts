import { join } from 'node:path';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import type { BenchContext, Line } from '../harness.ts';
import { startWeft, tempFolder } from '../servers.ts';
import { signIn } from '../session.ts';
import { startWatchers } from '../watchers.ts';
import { eventsFlow, writeOperator } from './websocket.ts';

const MANY = 1000;
const PACE_MS = 10;

/** Watchers of a run that are connected with one process while another one executes it. */
export async function watchersThroughAnother({ quick, say }: BenchContext): Promise<Line[]> {
  using here = tempFolder();
  using there = tempFolder();
  writeOperator(here.path);
  const env = {
    WEFT_DATABASE_URL: await newDatabase(),
    WEFT_SECRETS_KEY: '11'.repeat(32),
    WEFT_OPERATORS: join(here.path, 'operators'),
  };
  await using asked = await startWeft(here.path, { env });
  await using executes = await startWeft(there.path, { env, ipc: true });
  await using watchers = startWatchers();
  const session = await signIn(executes);
  await session.text('/flows', 'POST', { text: JSON.stringify(eventsFlow) });
  const turns = quick ? 100 : 1000;
  const run = await session.start(eventsFlow.id, { turns, each: 1, paceMs: PACE_MS });
  await watchers.open({
    port: asked.port,
    run,
    headers: { ...session.headers, origin: asked.origin },
    watchers: MANY,
  });
  const before = [asked.cpuMs(), executes.cpuMs()] as const;
  const finished = watchers.finish();
  executes.child.send('begin');
  const { messages, frames, ms, failed, firstFailure } = await finished;
  const share = (cpuMs: number): string => `${((cpuMs / ms) * 100).toFixed(0)} %`;
  say(
    `${MANY} watchers through another process: ${messages} events in ${frames} frames in ${(ms / 1000).toFixed(1)} s`,
  );
  return [
    {
      name: `of ${MANY} watchers of one run through another process, lost an event or got one twice`,
      figure: failed + (messages < MANY * turns ? 1 : 0),
      unit: '',
      bar: { kind: 'at most', value: 0 },
      note:
        firstFailure ??
        `${turns} log events at ${1000 / PACE_MS}/s; ${share(asked.cpuMs() - before[0])} of a core where they are connected, ${share(executes.cpuMs() - before[1])} where the run is`,
    },
  ];
}
