import type { Line } from '../harness.ts';
import type { Random } from './random.ts';

export interface SoakContext {
  readonly random: Random;
  /** The form for every change of the source: the same, with less of it. */
  readonly short: boolean;
  /** Prints progress. */
  say(text: string): void;
}

/** Something that goes on for long, and what it must keep all the time. */
export interface SoakPart {
  readonly name: string;
  readonly title: string;
  run(ctx: SoakContext): Promise<Line[]>;
}

/** What must not happen, with how often it did. */
export function never(name: string, faults: readonly string[]): Line {
  const [first] = faults;
  const note = first === undefined ? undefined : `first: ${first.slice(0, 300)}`;
  return { name, figure: faults.length, unit: '', bar: { kind: 'at most', value: 0 }, note };
}

/** For information. */
export function fact(name: string, figure: number, unit = ''): Line {
  return { name, figure, unit };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
