import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { helloFlow } from '../flows.ts';
import { type BenchContext, type Line, median, medianRatio, type Scenario } from '../harness.ts';
import { CONNECTIONS, type LoadRequest, rawRequest, startLoader } from '../load.ts';
import { cpuMs } from '../proc.ts';
import { type Server, startWeft, tempFolder, flowFolder } from '../servers.ts';
import { signIn } from '../session.ts';
import { cpuPerRequest, createMeasure, type Round } from '../throughput.ts';
import { watchersThroughAnother } from './cluster-watchers.ts';

const hello = helloFlow('hello', '/bench/hello');
const off = helloFlow('off', '/bench/off', { settings: { record: 'off' } });

function requestOf(path: string): LoadRequest {
  return {
    raw: rawRequest('GET', `/api/v1/awel/trigger/bench/${path}?name=Ada`),
    body: '"Hello, Ada, your age is 18"',
  };
}

/** What a database costs the trigger of a pure flow, and what several processes cost against one. */
export const cluster: Scenario = {
  name: 'cluster',
  title: `Trigger of a pure flow with a PostgreSQL database and in two processes, ${CONNECTIONS} keep-alive connections`,
  async run(ctx: BenchContext): Promise<Line[]> {
    using folder = tempFolder();
    using own = tempFolder();
    using several = tempFolder();
    using common = flowFolder([hello, off]);
    const env = { WEFT_DATABASE_URL: await newDatabase(), WEFT_SECRETS_KEY: '11'.repeat(32) };
    await using alone = await startWeft(folder.path);
    await using shared = await startWeft(own.path, { env });
    await using loader = startLoader();
    // Both by the API, since what it loads stays in the memory of the server that is asked.
    for (const server of [alone, shared]) {
      const session = await signIn(server);
      for (const flow of [hello, off]) await session.text('/flows', 'POST', { text: JSON.stringify(flow) });
    }
    const measure = createMeasure(loader, ctx);
    const idleMs = ctx.quick ? 1000 : 10_000;
    // Before others are on their core: what those do there costs the one that is measured too.
    const pair = { folder: alone, database: shared };
    const quiet = {
      idle: await idleShares(pair, idleMs),
      pure: await measure({ folder: [alone, requestOf('off')], database: [shared, requestOf('off')] }, 0.6),
      kept: await measure(
        { folder: [alone, requestOf('hello')], database: [shared, requestOf('hello')] },
        0.6,
      ),
    };
    await using two = await startWeft(several.path, { env: { ...env, WEFT_PROCESSES: '2' } });
    await using folderTwo = await startWeft(common.path, { env: { WEFT_PROCESSES: '2' } });
    const both: Server = { ...two, cpuMs: () => cpuOfAll(two) };
    const bothOfFolder: Server = { ...folderTwo, cpuMs: () => cpuOfAll(folderTwo) };
    const idle = await idleShares({ ...pair, two: both, folderTwo: bothOfFolder }, idleMs);
    // First, because lines of runs are still being stored when the requests have ended.
    const pure = await measure(
      {
        folder: [alone, requestOf('off')],
        database: [shared, requestOf('off')],
        two: [both, requestOf('off')],
        folderTwo: [bothOfFolder, requestOf('off')],
      },
      0.6,
    );
    const kept = await measure(
      {
        folder: [alone, requestOf('hello')],
        database: [shared, requestOf('hello')],
        folderTwo: [bothOfFolder, requestOf('hello')],
      },
      0.6,
    );
    return [...linesOfDatabase(quiet), ...linesOf(pure, kept, idle), ...(await watchersThroughAnother(ctx))];
  },
};

type Pair = 'folder' | 'database';

interface Quiet {
  readonly idle: Record<Pair, number>;
  readonly pure: Record<Pair, Round[]>;
  readonly kept: Record<Pair, Round[]>;
}

function linesOfDatabase({ idle, pure, kept }: Quiet): Line[] {
  const line = (name: string, { folder, database }: Record<Pair, Round[]>): Line => {
    const [without, withOne] = [costs(folder, idle.folder), costs(database, idle.database)];
    return {
      name,
      figure: medianRatio(withOne, without),
      unit: 'x',
      bar: { kind: 'at most', value: 1.03 },
      note: `${us(withOne)} against ${us(without)}, load of the machine ${loadavg()[0]?.toFixed(0)}`,
    };
  };
  return [
    line('CPU time of the server a request, with a database against without', kept),
    line('the same without a record of runs', pure),
  ];
}

type All = 'folder' | 'database' | 'two' | 'folderTwo';

function linesOf(
  pure: Record<All, Round[]>,
  kept: Record<Exclude<All, 'two'>, Round[]>,
  idle: Record<All, number>,
): Line[] {
  const folderOff = costs(pure.folder, idle.folder);
  const databaseOff = costs(pure.database, idle.database);
  const inTwo = costs(pure.two, idle.two);
  const folderTwoOff = costs(pure.folderTwo, idle.folderTwo);
  const inFolderTwo = costs(kept.folderTwo, idle.folderTwo);
  const [inFolder, inDatabase] = [costs(kept.folder, idle.folder), costs(kept.database, idle.database)];
  const each = [idle.folder, idle.database, idle.two].map((share) => `${(share * 1000).toFixed(1)} ms`);
  return [
    {
      name: '  with a database, beside two more processes of it on the same core',
      figure: medianRatio(inDatabase, inFolder),
      unit: 'x',
      note: `${us(inDatabase)} against ${us(inFolder)}, ${medianRatio(databaseOff, folderOff).toFixed(2)} times without a record of runs`,
    },
    {
      name: 'requests per CPU second, two processes and their supervisor against one',
      figure: medianRatio(databaseOff, inTwo),
      unit: 'x',
      bar: { kind: 'at least', value: 0.85 },
      note: `${us(inTwo)} against ${us(databaseOff)}, on one core, without a record of runs`,
    },
    {
      name: 'the same on a data folder, without a database',
      figure: medianRatio(folderOff, folderTwoOff),
      unit: 'x',
      bar: { kind: 'at least', value: 0.85 },
      note: `${us(folderTwoOff)} against ${us(folderOff)}, on one core, without a record of runs`,
    },
    {
      name: 'the same with the line of each run that is kept by default',
      figure: medianRatio(inFolder, inFolderTwo),
      unit: 'x',
      bar: { kind: 'at least', value: 0.85 },
      note: `${us(inFolderTwo)} against ${us(inFolder)}`,
    },
    {
      name: '  processor time a second with nothing to do, with a database',
      figure: idle.database * 1000,
      unit: 'ms',
      note: `without a database, with one, in two processes: ${each.join(', ')}`,
    },
  ];
}

function costs(rounds: readonly Round[], idle: number): number[] {
  return rounds.map((round) => atFullCore(round, idle));
}

function us(all: readonly number[]): string {
  return `${(median(all) * 1000).toFixed(1)} µs`;
}

/** What each server takes of a core while nobody asks it for anything. */
async function idleShares<K extends string>(
  servers: Readonly<Record<K, Server>>,
  ms: number,
): Promise<Record<K, number>> {
  const names = Object.keys(servers) as K[];
  const began = performance.now();
  const before = names.map((name) => servers[name].cpuMs());
  await sleep(ms);
  const passed = performance.now() - began;
  const share = (name: K, at: number): number => (servers[name].cpuMs() - (before[at] as number)) / passed;
  return Object.fromEntries(names.map((name, at) => [name, share(name, at)] as const)) as Record<K, number>;
}

/**
 * Processor time of a request, in milliseconds, on a core of the server's own. What a server does each second costs the fewer
 * requests the more the less of a core it gets, so it is taken off here and spread over as many as a whole core answers.
 */
function atFullCore(round: Round, idle: number): number {
  return (cpuPerRequest(round) - (idle * round.ms) / round.requests) / (1 - idle);
}

/** CPU time of a process and of those that it has started. */
function cpuOfAll({ child }: Server): number {
  const pid = child.pid as number;
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + cpuMs(one), 0);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
