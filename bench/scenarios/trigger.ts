import { chainFlow, exampleFlow, helloFlow } from '../flows.ts';
import {
  type Bar,
  type BenchContext,
  interleave,
  type Line,
  median,
  medianRatio,
  type Scenario,
} from '../harness.ts';
import {
  assertGood,
  CONNECTIONS,
  type Loader,
  type LoadRequest,
  type LoadSpec,
  rawRequest,
  startLoader,
} from '../load.ts';
import { pinning } from '../proc.ts';
import { flowFolder, type Server, startBaseline, startWeft } from '../servers.ts';

const PREFIX = '/api/v1/awel/trigger';
const KEY = 'a-key-for-the-benchmark-only';

/** Requests a second through a trigger, against the same answers from a route written by hand. */
export const trigger: Scenario = {
  name: 'trigger',
  title: `Trigger over HTTP, ${CONNECTIONS} keep-alive connections, against a bare Fastify route`,
  async run(ctx: BenchContext): Promise<Line[]> {
    using folder = flowFolder([
      exampleFlow('simple_dag_example'),
      exampleFlow('order_triage'),
      helloFlow('full', '/bench/full', { settings: { record: 'full' } }),
      helloFlow('off', '/bench/off', { settings: { record: 'off' } }),
      helloFlow('keyed', '/bench/keyed', { trigger: { auth: 'api-key' } }),
      chainOverHttp(1),
      chainOverHttp(101),
    ]);
    await using weft = await startWeft(folder.path, { env: { WEFT_API_KEYS: KEY } });
    await using bare = await startBaseline('bare-fastify');
    await using raw = await startBaseline('raw-http');
    await using loader = startLoader();
    const measure = createMeasure(loader, ctx);

    const hello = await measure({
      weft: [weft, helloRequest('/examples/hello')],
      bare: [bare, bareHello],
      raw: [raw, bareHello],
    });
    const variants = await measure(
      {
        bare: [bare, bareHello],
        full: [weft, helloRequest('/bench/full')],
        keyed: [weft, helloRequest('/bench/keyed', { authorization: `Bearer ${KEY}` })],
        off: [weft, helloRequest('/bench/off')],
      },
      0.6,
    );
    const orders = await measure({ weft: [weft, orderRequest], bare: [bare, orderRequest] }, 0.6);
    const chains = await measure({ short: [weft, chainRequest(1)], long: [weft, chainRequest(101)] }, 0.4);

    return [
      ...against('GET, 2 nodes, shipped defaults', hello.weft, hello.bare, {
        kind: 'at least',
        value: 0.8,
        stretch: 0.95,
      }),
      ...against('the same, everything recorded (record: full)', variants.full, variants.bare, {
        kind: 'at least',
        value: 0.6,
      }),
      ...against('the same behind an API key', variants.keyed, variants.bare),
      ...against('the same without a record', variants.off, variants.bare),
      ...against('POST, order triage (4 of 7 nodes run)', orders.weft, orders.bare),
      ...against('raw node:http, for orientation', hello.raw, hello.bare),
      {
        name: 'each further pure node, over HTTP',
        figure:
          ((median(chains.long.map(cpuPerRequest)) - median(chains.short.map(cpuPerRequest))) * 1000) / 100,
        unit: 'µs',
        note: 'CPU time of the server',
      },
    ];
  },
};

// ------------------------------------------------------------------------------------------------------- requests

function helloRequest(path: string, headers?: Record<string, string>): LoadRequest {
  return {
    raw: rawRequest('GET', `${PREFIX}${path}?name=Ada`, headers && { headers }),
    body: '"Hello, Ada, your age is 18"',
  };
}

const bareHello = helloRequest('/examples/hello');

const orderRequest: LoadRequest = {
  raw: rawRequest('POST', `${PREFIX}/examples/orders`, {
    body: { customer: 'Ada', amount: 120, items: ['pen'] },
  }),
  body: '{"customer":"Ada","amount":120,"items":["pen"],"decision":"approved","note":"Thank you, Ada: 1 item(s) on their way."}',
};

function chainOverHttp(length: number) {
  const { nodes } = helloFlow('any', `/bench/chain-${length}`);
  return chainFlow(`chain_${length}`, length, nodes['trigger']);
}

function chainRequest(length: number): LoadRequest {
  return { ...helloRequest(`/bench/chain-${length}`), body: '{"name":"Ada","age":18}' };
}

// ------------------------------------------------------------------------------------------------------ measuring

interface Round {
  readonly perSecond: number;
  readonly requests: number;
  readonly cpuMs: number;
  readonly ms: number;
  readonly clientCpuMs: number;
}

type Measure = <K extends string>(
  cases: Readonly<Record<K, readonly [Server, LoadRequest]>>,
  share?: number,
) => Promise<Record<K, Round[]>>;

/** Rounds in turns after a warm-up of each (by requests, since the compiler waits for calls, not for time); `share` leaves some out for the less important. */
function createMeasure(loader: Loader, { quick }: BenchContext): Measure {
  const spec = ([server, request]: readonly [Server, LoadRequest]) => ({
    port: server.port,
    requests: [request],
    status: request === orderRequest ? 201 : 200,
    connections: CONNECTIONS,
  });
  /** The first cases meet servers that have not compiled anything yet. */
  const warmUp = quick ? 20_000 : 60_000;
  return async (cases, share = 1) => {
    const ms = quick ? 150 : 500;
    const names = Object.keys(cases) as (keyof typeof cases)[];
    const timed = names.map((name) => {
      const [server] = cases[name];
      return [name, () => timeRound(loader, server, { ...spec(cases[name]), ms })] as const;
    });
    for (const name of names)
      assertGood(await loader.run({ ...spec(cases[name]), count: Math.round(warmUp * share ** 2) }));
    const rounds = Math.ceil((quick ? 5 : 31) * share);
    return (await interleave(Object.fromEntries(timed), rounds)) as Record<keyof typeof cases, Round[]>;
  };
}

async function timeRound(loader: Loader, server: Server, spec: LoadSpec): Promise<Round> {
  const before = server.cpuMs();
  const result = await loader.run(spec);
  assertGood(result);
  const { requests, ms, clientCpuMs } = result;
  return { perSecond: (requests / ms) * 1000, requests, cpuMs: server.cpuMs() - before, ms, clientCpuMs };
}

function sum(rounds: readonly Round[], part: keyof Round): number {
  return rounds.reduce((total, round) => total + round[part], 0);
}

function cpuPerRequest({ cpuMs, requests }: Round): number {
  return cpuMs / requests;
}

/**
 * Throughput compares the servers only as long as they are what limits it. Where other programs took their core, the same
 * bar is held against CPU time per request, which is throughput on a core of one's own.
 */
function against(name: string, own: readonly Round[], bare: readonly Round[], bar?: Bar): Line[] {
  const rates = own.map(({ perSecond }) => perSecond);
  const bareRates = bare.map(({ perSecond }) => perSecond);
  const busy = Math.min(busyShare(own), busyShare(bare));
  const isLimit = Number.isNaN(busy) || busy >= BUSY;
  return [
    {
      name,
      figure: medianRatio(rates, bareRates),
      unit: 'x',
      bar: isLimit ? bar : undefined,
      note: `${thousands(rates)} against ${thousands(bareRates)}${isLimit ? '' : doubt(busy, [...own, ...bare])}`,
    },
    {
      name: '  in CPU time per request',
      figure: medianRatio(bare.map(cpuPerRequest), own.map(cpuPerRequest)),
      unit: 'x',
      bar: isLimit ? undefined : bar,
      note: `${microseconds(own)} against ${microseconds(bare)}`,
    },
  ];
}

const BUSY = 0.9;

function busyShare(rounds: readonly Round[]): number {
  return sum(rounds, 'cpuMs') / sum(rounds, 'ms');
}

function doubt(busy: number, rounds: readonly Round[]): string {
  const client = Math.round((sum(rounds, 'clientCpuMs') / sum(rounds, 'ms')) * 100);
  return `; a server was only ${Math.round(busy * 100)} % busy, the client ${client} %${pinning === undefined ? '' : `, ${pinning}`}`;
}

function thousands(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(1)} k/s`;
}

function microseconds(rounds: readonly Round[]): string {
  return `${(median(rounds.map(cpuPerRequest)) * 1000).toFixed(1)} µs`;
}
