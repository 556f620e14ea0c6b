import { type Bar, type BenchContext, interleave, type Line, median, medianRatio } from './harness.ts';
import { assertGood, CONNECTIONS, type Loader, type LoadRequest, type LoadSpec } from './load.ts';
import { pinning } from './proc.ts';
import type { Server } from './servers.ts';

/**
 * Requests per second of servers that are called in turns, or CPU time per request if a server did not get its whole
 * core.
 */

/** What one server did in one turn. */
export interface Round {
  readonly perSecond: number;
  readonly requests: number;
  readonly cpuMs: number;
  readonly ms: number;
  readonly clientCpuMs: number;
}

/** A server, its request, and the expected status, by default 200. */
type Case = readonly [Server, LoadRequest, number?];

type Measure = <K extends string>(
  cases: Readonly<Record<K, Case>>,
  share?: number,
) => Promise<Record<K, Round[]>>;

/**
 * Rounds in turns after a warm-up of each (by requests, since the compiler waits for calls, not for time); `share`
 * shortens less important ones.
 */
export function createMeasure(loader: Loader, { quick }: BenchContext): Measure {
  const spec = ([server, request, status = 200]: Case) => ({
    port: server.port,
    requests: [request],
    status,
    connections: CONNECTIONS,
  });
  /** The first cases meet servers that have not compiled anything yet. */
  const warmUp = quick ? 10_000 : 60_000;
  return async (cases, share = 1) => {
    const ms = quick ? 150 : 500;
    const names = Object.keys(cases) as (keyof typeof cases)[];
    const timed = names.map((name) => {
      const [server] = cases[name];
      return [name, () => timeRound(loader, server, { ...spec(cases[name]), ms })] as const;
    });
    for (const name of names)
      assertGood(await loader.run({ ...spec(cases[name]), count: Math.round(warmUp * share ** 2) }));
    const rounds = Math.ceil((quick ? 3 : 31) * share);
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

/** Milliseconds. */
export function cpuPerRequest({ cpuMs, requests }: Round): number {
  return cpuMs / requests;
}

/**
 * Throughput compares the servers only while they are the bottleneck. If other programs took their core, the same bar
 * applies to CPU time per request, which is throughput on a dedicated core.
 */
export function against(name: string, own: readonly Round[], bare: readonly Round[], bar?: Bar): Line[] {
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
