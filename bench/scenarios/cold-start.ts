import { join } from 'node:path';
import { manyHelloFlows } from '../flows.ts';
import { type BenchContext, type Line, interleave, median, medianRatio, type Scenario } from '../harness.ts';
import { flowFolder, type Server, startBaseline, startWeft, tempFolder } from '../servers.ts';

const FLOWS = 100;

/** From the start of the process to the first 200, against a bare Fastify server's. */
export const coldStart: Scenario = {
  name: 'cold-start',
  title: `Cold start with ${FLOWS} flows, from the start of the process to its first 200, against bare Fastify`,
  async run({ quick }: BenchContext): Promise<Line[]> {
    const flows = manyHelloFlows(FLOWS);
    using kept = flowFolder(flows);
    using cache = tempFolder();
    const bare = (): Promise<number> =>
      untilFirst200(() => startBaseline('bare-fastify'), '/examples/hello?name=Ada');
    const weft = (folder: string, cacheFolder: string): Promise<number> =>
      untilFirst200(
        () => startWeft(folder, { env: { NODE_COMPILE_CACHE: cacheFolder } }),
        '/bench/hello-7?name=Ada',
      );

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
    ];
  },
};

async function untilFirst200(start: () => Promise<Server>, path: string): Promise<number> {
  const started = performance.now();
  await using server = await start();
  const response = await fetch(`${server.origin}/api/v1/awel/trigger${path}`);
  const body = await response.text();
  const ms = performance.now() - started;
  if (response.status !== 200) throw new Error(`The first answer was ${response.status}: ${body}`);
  return ms;
}

function line(name: string, { weft, bare }: Record<'weft' | 'bare', number[]>, value: number): Line {
  const note = `${Math.round(median(weft))} ms against ${Math.round(median(bare))} ms`;
  return { name, figure: medianRatio(weft, bare), unit: 'x', bar: { kind: 'at most', value }, note };
}
