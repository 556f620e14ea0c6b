import { readdirSync, readFileSync } from 'node:fs';
import { newDatabase } from '../../server/storage/testing/postgres-server.ts';
import { helloFlow } from '../flows.ts';
import { type BenchContext, type Line, median, medianRatio, type Scenario } from '../harness.ts';
import { CONNECTIONS, type LoadRequest, rawRequest, startLoader } from '../load.ts';
import { cpuMs } from '../proc.ts';
import { type Server, startWeft, tempFolder, flowFolder } from '../servers.ts';
import { signIn } from '../session.ts';
import { cpuPerRequest, createMeasure } from '../throughput.ts';

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
    using folder = flowFolder([hello, off]);
    using own = tempFolder();
    using several = tempFolder();
    using common = flowFolder([hello, off]);
    const env = { WEFT_DATABASE_URL: await newDatabase(), WEFT_SECRETS_KEY: '11'.repeat(32) };
    await using alone = await startWeft(folder.path);
    await using shared = await startWeft(own.path, { env });
    await using two = await startWeft(several.path, { env: { ...env, WEFT_PROCESSES: '2' } });
    await using folderTwo = await startWeft(common.path, { env: { WEFT_PROCESSES: '2' } });
    await using loader = startLoader();
    const session = await signIn(shared);
    for (const flow of [hello, off]) await session.text('/flows', 'POST', { text: JSON.stringify(flow) });
    const both: Server = { ...two, cpuMs: () => cpuOfAll(two) };
    const bothOfFolder: Server = { ...folderTwo, cpuMs: () => cpuOfAll(folderTwo) };
    const measure = createMeasure(loader, ctx);
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
    const [folderOff, databaseOff, inTwo, folderTwoOff] = [
      pure.folder,
      pure.database,
      pure.two,
      pure.folderTwo,
    ].map((all) => all.map(cpuPerRequest));
    const [inFolder, inDatabase, inFolderTwo] = [kept.folder, kept.database, kept.folderTwo].map((all) =>
      all.map(cpuPerRequest),
    );
    const us = (all: readonly number[] = []): string => `${(median(all) * 1000).toFixed(1)} µs`;
    return [
      {
        name: 'CPU time of the server a request, with a database against without',
        figure: ratio(inDatabase, inFolder),
        unit: 'x',
        bar: { kind: 'at most', value: 1.03 },
        note: `${us(inDatabase)} against ${us(inFolder)}`,
      },
      {
        name: 'the same without a record of runs',
        figure: ratio(databaseOff, folderOff),
        unit: 'x',
        bar: { kind: 'at most', value: 1.03 },
        note: `${us(databaseOff)} against ${us(folderOff)}`,
      },
      {
        name: 'requests per CPU second, two processes and their supervisor against one',
        figure: ratio(databaseOff, inTwo),
        unit: 'x',
        bar: { kind: 'at least', value: 0.85 },
        note: `${us(inTwo)} against ${us(databaseOff)}, on one core, without a record of runs`,
      },
      {
        name: 'the same on a data folder, without a database',
        figure: ratio(folderOff, folderTwoOff),
        unit: 'x',
        bar: { kind: 'at least', value: 0.85 },
        note: `${us(folderTwoOff)} against ${us(folderOff)}, on one core, without a record of runs`,
      },
      {
        name: 'the same with the line of each run that is kept by default',
        figure: ratio(inFolder, inFolderTwo),
        unit: 'x',
        bar: { kind: 'at least', value: 0.85 },
        note: `${us(inFolderTwo)} against ${us(inFolder)}`,
      },
    ];
  },
};

const ratio = (above: readonly number[] = [], below: readonly number[] = []): number =>
  medianRatio(above, below);

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
