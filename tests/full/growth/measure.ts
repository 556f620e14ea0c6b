import { hostile, type Text } from './hostile.ts';

/** What reads texts of others. */
export interface Parser {
  readonly name: string;
  /** Pieces of its language, from which hostile texts are made. */
  readonly tokens: readonly string[];
  /** A refusal is an answer. */
  readonly read: (text: string) => unknown;
}

/** Lengths that show an exponential cost before it takes minutes. */
const SHORT = Array.from({ length: 14 }, (_, n) => Math.round(16 * 1.3 ** n));
const LONG = [2048, 16_384, 65_536];
/** A text this short that takes so long takes for ever a little later. */
const MOST_SHORT_MS = 150;
/** Below this for the longest text, no cost that grows with the square is hidden. */
const FLOOR_MS = 20;
/** Longer texts are not needed to see how it grows. */
const ENOUGH_MS = 25;
/** Growth from a length to four times that: 4 is linear, 16 the square. */
const MOST_GROWTH = 9;
/** Measurements of a growth that would be a fault. */
const TIMES = 3;

/** The texts for which the cost grows faster than n log n, each with how it grew. */
export async function faults(parser: Parser): Promise<string[]> {
  const found: string[] = [];
  for (const text of hostile(parser.tokens)) {
    const fault = await faultOf(parser, text);
    if (fault !== undefined) found.push(`${parser.name}: ${text.name}: ${fault}`);
    // Two of them say enough, and the others may take long.
    if (found.length >= 2) break;
  }
  return found;
}

async function faultOf(parser: Parser, { make }: Text): Promise<string | undefined> {
  for (const length of SHORT) {
    const text = make(length);
    if ((await cost(parser, text)) < MOST_SHORT_MS) continue;
    const again = await cost(parser, text);
    if (again >= MOST_SHORT_MS) return `${length} characters take ${again.toFixed(0)} ms`;
  }
  let length = 0;
  let ms = 0;
  for (length of LONG) {
    ms = await cost(parser, make(length));
    if (ms >= ENOUGH_MS) break;
  }
  if (ms < FLOOR_MS || ms / (await costOfQuarter(parser, make, length)) <= MOST_GROWTH) return undefined;
  const surely = await growthTo(parser, make, length);
  return surely <= MOST_GROWTH
    ? undefined
    : `${length} characters take ${surely.toFixed(1)} times as long as a quarter of them (${ms.toFixed(0)} ms)`;
}

/**
 * How many times as long a text takes as a quarter of it: the least of some measurements, since whatever else this thread does, as
 * the collection of garbage, only adds to it.
 */
async function growthTo(parser: Parser, make: Text['make'], length: number): Promise<number> {
  const long = make(length);
  let most = Infinity;
  let quarters = 0;
  for (let n = 0; n < TIMES; n++) {
    most = Math.min(most, await cost(parser, long));
    quarters += await costOfQuarter(parser, make, length);
  }
  return most / (quarters / TIMES);
}

/** In milliseconds: a mean, since the system counts processor time in steps of some milliseconds. */
async function costOfQuarter(parser: Parser, make: Text['make'], length: number): Promise<number> {
  const quarter = make(length / 4);
  let all = 0;
  for (let time = 0; time < 4; time++) all += await cost(parser, quarter);
  return Math.max(all / 4, 1);
}

/** Processor time of this thread in milliseconds, which others on the machine do not change. */
async function cost({ read }: Parser, text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await read(text);
  } catch (error) {
    // Not a refusal: the text nests deeper than the stack goes.
    if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
