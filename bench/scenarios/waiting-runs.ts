import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Flow } from '#shared/flow.ts';
import { type BenchContext, type Line, measureSlowness, median, type Scenario } from '../harness.ts';
import { flowFolder, type Server, startWeft } from '../servers.ts';

const RUNS = 2000;
/** What the other side takes for each answer. */
const WAIT_MS = 1000;
/** Connections to one origin, by the server's defaults. */
const CONNECTIONS = 512;
const SHARE = 1.25;

/** Runs that only wait for one host: they end as soon as its connections allow. */
export const waitingRuns: Scenario = {
  name: 'waiting-runs',
  title: 'Runs that wait for one host',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    await using site = await startSlowSite();
    using folder = flowFolder([flowOf(site.port)]);
    const env = { WEFT_MAX_RUNS: '5000', WEFT_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` };
    await using server = await startWeft(folder.path, { env });
    const slowness = measureSlowness();
    const runs = quick ? RUNS / 2 : RUNS;
    // The first round also loads the client and opens all connections.
    await allRuns(server, runs);
    const rounds: number[] = [];
    const before = server.cpuMs();
    for (let round = 0; round < (quick ? 1 : 3); round++) rounds.push(await allRuns(server, runs));
    const cpu = (server.cpuMs() - before) / rounds.length / 1000;
    say(`${cpu.toFixed(1)} s of the server’s CPU time a round`);
    return [
      {
        name: `${runs.toLocaleString('en')} waiting runs on one host`,
        figure: median(rounds),
        unit: 's',
        bar: { kind: 'at most', value: (SHARE * Math.ceil(runs / CONNECTIONS) * WAIT_MS) / 1000 },
        slowness,
        note: `1 s each, at most ${site.most()} at once outside; ${cpu.toFixed(1)} s of the server’s CPU time a round`,
      },
    ];
  },
};

function flowOf(port: number): Flow {
  const url = `http://127.0.0.1:${port}/`;
  return {
    format: 1,
    id: 'waits',
    nodes: {
      trigger: { operator: 'trigger.http', params: { path: '/bench/waits', auth: 'none' } },
      ask: { operator: 'http.request', params: { url, response: 'text' } },
    },
    edges: [{ from: 'trigger.out', to: 'ask.in' }],
  };
}

/** Seconds until all runs have their answers. */
async function allRuns({ origin }: Server, runs: number): Promise<number> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const start = performance.now();
  const url = `${origin}/api/v1/awel/trigger/bench/waits`;
  await Promise.all(Array.from({ length: runs }, () => oneRun(url, agent)));
  agent.destroy();
  return (performance.now() - start) / 1000;
}

function oneRun(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a run was answered ${response.statusCode}`));
      response.resume().on('end', resolve).on('error', reject);
    }).on('error', reject);
  });
}

interface SlowSite extends AsyncDisposable {
  readonly port: number;
  /** The most requests that it had at once. */
  readonly most: () => number;
}

async function startSlowSite(): Promise<SlowSite> {
  let here = 0;
  let most = 0;
  const server = createServer((_request, response) => {
    most = Math.max(most, ++here);
    setTimeout(() => {
      here--;
      response.end('x');
    }, WAIT_MS);
  });
  server.listen(0, '127.0.0.1', 1024);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    most: () => most,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
