import { join } from 'node:path';
import { helloFlow, manyHelloFlows } from '../flows.ts';
import { type BenchContext, type Line, interleave, median, medianRatio, type Scenario } from '../harness.ts';
import { flowFolder, type Server, startBaseline, startWeft, tempFolder } from '../servers.ts';

const FLOWS = 100;
const TRIGGERS = '/api/v1/awel/trigger';

/** From the start of the process to the first 200, against a bare Fastify server's. */
export const coldStart: Scenario = {
  name: 'cold-start',
  title: `Cold start with ${FLOWS} flows, from the start of the process to its first 200, against bare Fastify`,
  async run({ quick }: BenchContext): Promise<Line[]> {
    const flows = manyHelloFlows(FLOWS);
    using kept = flowFolder(flows);
    using cache = tempFolder();
    const bare = (): Promise<number> =>
      untilFirst200(() => startBaseline('bare-fastify'), `${TRIGGERS}/examples/hello?name=Ada`);
    const weft = (folder: string, cacheFolder: string): Promise<number> =>
      untilFirst200(() => startIn(folder, cacheFolder), `${TRIGGERS}/bench/hello-7?name=Ada`);

    // As after an installation: neither compiled code nor a data folder is there.
    async function first(): Promise<number> {
      using folder = flowFolder(flows);
      return await weft(folder.path, join(folder.path, 'compiled'));
    }

    await bare();
    const fresh = await interleave({ bare, weft: first }, quick ? 1 : 7);
    // Fills the cache; node writes it when the process ends in order.
    await weft(kept.path, cache.path);
    const again = await interleave({ bare, weft: () => weft(kept.path, cache.path) }, quick ? 2 : 11);

    return [
      line('from the second start on', again, 2.5),
      line('first start (nothing compiled before, empty data folder)', fresh, 4),
      line(
        'one flow, to the first 200 of /healthz, against a server of that route alone',
        await bareStart(quick),
      ),
    ];
  },
};

/** What somebody sees who compares two starts from outside: no flow is called, and the other server has nothing to prepare. */
async function bareStart(quick: boolean): Promise<Record<'weft' | 'bare', number[]>> {
  using folder = flowFolder([helloFlow('one', '/one')]);
  using cache = tempFolder();
  const weft = (): Promise<number> => untilFirst200(() => startIn(folder.path, cache.path), '/healthz');
  const bare = (): Promise<number> => untilFirst200(() => startBaseline('one-route'), '/healthz');
  await weft();
  await bare();
  return await interleave({ bare, weft }, quick ? 2 : 11);
}

function startIn(folder: string, cacheFolder: string): Promise<Server> {
  return startWeft(folder, { env: { NODE_COMPILE_CACHE: cacheFolder } });
}

async function untilFirst200(start: () => Promise<Server>, path: string): Promise<number> {
  const started = performance.now();
  await using server = await start();
  const response = await fetch(`${server.origin}${path}`);
  const body = await response.text();
  const ms = performance.now() - started;
  if (response.status !== 200) throw new Error(`The first answer was ${response.status}: ${body}`);
  return ms;
}

function line(name: string, { weft, bare }: Record<'weft' | 'bare', number[]>, most?: number): Line {
  const note = `${Math.round(median(weft))} ms against ${Math.round(median(bare))} ms`;
  const bar = most === undefined ? {} : { bar: { kind: 'at most', value: most } as const };
  return { name, figure: medianRatio(weft, bare), unit: 'x', ...bar, note };
}
