import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Tools for every scenario: lines with a bar, medians, interleaved rounds, time per call, and a calibration loop.
 *
 * H1. No gate depends on a clock alone. A line is a ratio to something that ran in the same minutes, or its bar is
 *     scaled by the calibration loop that was timed in the same rounds. Memory and counts are absolute.
 * H2. Compared things run in turns (A B A B …), and their medians are compared, so that a busy moment of the machine
 *     affects all of them or none.
 */
export interface Bar {
  readonly kind: 'at least' | 'at most';
  readonly value: number;
  readonly stretch?: number;
}

/** One measured figure. */
export interface Line {
  readonly name: string;
  readonly figure: number;
  /** `x` for a ratio, otherwise `ns`, `µs`, `ms`, `s`, `MB`, `%`, `/s` or empty for a count. */
  readonly unit: string;
  /** Absent: for information. */
  readonly bar?: Bar | undefined;
  /** How much slower this machine was than the reference machine; the bar grows by this factor. */
  readonly slowness?: number | undefined;
  readonly note?: string | undefined;
}

export type Verdict = 'PASS' | 'MISS' | '';

export interface BenchContext {
  /** A smoke test: fewer and shorter rounds. */
  readonly quick: boolean;
  /** Prints progress. */
  say(text: string): void;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(ctx: BenchContext): Promise<Line[]>;
}

/** The bar for this machine in these minutes. */
export function allowed(bar: Bar, slowness = 1): number {
  return bar.kind === 'at most' ? bar.value * slowness : bar.value / slowness;
}

export function verdictOf({ figure, bar, slowness }: Line): Verdict {
  if (bar === undefined) return '';
  const limit = allowed(bar, slowness);
  return (bar.kind === 'at least' ? figure >= limit : figure <= limit) ? 'PASS' : 'MISS';
}

/**
 * Whether a figure is more than ten times worse than its bar: something is broken then. Short rounds on a busy machine
 * prove no more than that: a call between two processes once took six times its bar there, with code that met the bar
 * elsewhere.
 */
export function isAbsurd({ figure, bar, slowness }: Line): boolean {
  if (Number.isNaN(figure)) return true;
  if (bar === undefined) return false;
  const limit = allowed(bar, slowness);
  return bar.kind === 'at least' ? figure < limit / 10 : figure > limit * 10;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value that this share of all values, in percent, does not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}

/** Calls each in turn, `rounds` times; returns the results of each. */
export async function interleave<K extends string, T>(
  cases: Readonly<Record<K, () => T | Promise<T>>>,
  rounds: number,
): Promise<Record<K, T[]>> {
  const names = Object.keys(cases) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await cases[name]());
  }
  return results;
}

/** Median of the ratios of measurements that are neighbours in time. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, i) => value / (below[i] as number)));
}

/** Receives results, so that the compiler cannot remove the work. */
export const sink: { value: unknown } = { value: undefined };

const SLICE_MS = 5;
const WARM_UP_MS = 80;

/**
 * Returns a function that calls `fn` for some milliseconds and returns nanoseconds per call. `fn` is already compiled
 * then.
 */
export function perCall(fn: () => unknown): () => number {
  const started = performance.now();
  let calls = 1;
  let ns = timeBatch(fn, calls);
  while (ns < SLICE_MS * 1e6 || performance.now() - started < WARM_UP_MS) {
    if (ns < SLICE_MS * 1e6) calls = Math.ceil(calls * 1.5);
    ns = timeBatch(fn, calls);
  }
  return () => timeBatch(fn, calls) / calls;
}

function timeBatch(fn: () => unknown, calls: number): number {
  const started = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) sink.value = fn();
  return Number(process.hrtime.bigint() - started);
}

/** Medians of nanoseconds per call of each, in turns with the calibration loop, and the slowness of the machine. */
export async function timeCalls<K extends string>(
  cases: Readonly<Record<K, () => unknown>>,
  rounds: number,
): Promise<{ readonly ns: Record<K, number>; readonly slowness: number }> {
  const names = Object.keys(cases) as K[];
  const timed = Object.fromEntries(names.map((name) => [name, perCall(cases[name])]));
  const samples = await interleave<string, number>({ ...timed, calibration: perCall(calibration) }, rounds);
  const ns = Object.fromEntries(names.map((name) => [name, median(samples[name] ?? [])]));
  return { ns: ns as Record<K, number>, slowness: slownessOf(median(samples['calibration'] ?? [])) };
}

/**
 * Time of one pass of the loop on the machine that the bars were set on (2 virtual cores of an AMD EPYC, Node 24.21), in
 * nanoseconds.
 */
const REFERENCE_NS = 275;

export function slownessOf(calibrationNs: number): number {
  return calibrationNs / REFERENCE_NS;
}

const CALIBRATE = fileURLToPath(new URL('calibrate.ts', import.meta.url));

/**
 * How slow the machine is right now. Measured in a separate process: in one that has run a server or its threads, V8
 * sometimes never compiles the loop, which is then ten times slower and looks like a slow machine.
 */
export function measureSlowness(): number {
  return slownessOf(Number(execFileSync(process.execPath, [CALIBRATE], { encoding: 'utf8' })));
}

const NUMBERS = Int32Array.from({ length: 256 }, (_, i) => (i * 2_654_435_761) | 0);

/**
 * Reads, multiplies and writes numbers, and each step depends on the previous one. It creates no objects and has no
 * predictable branches, so its time depends only on the machine, not on what ran before.
 */
export function calibration(): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < NUMBERS.length; i++) {
    hash = Math.imul(hash ^ (NUMBERS[i] as number), 0x01000193);
    NUMBERS[i] = hash;
  }
  return hash;
}
