import { z } from 'zod';
import { WeftError } from '../base/operator.ts';
import { reading } from './_record.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Ten years: a longer duration is most likely a mistake in the unit. */
const MAX_MS = 10 * 365 * 86_400_000;

/** A param for a duration: milliseconds, or a text such as `90s`, `2h 30m`, `3d`, `1w`. */
export const duration = z.union([z.number(), z.string().min(1).max(50)]);

/**
 * In milliseconds. @throws WeftError `bad_params` for a text that is not a duration, and for less than 0 or more than ten
 * years. `field` names the param.
 */
export function durationMs(value: z.output<typeof duration>, field: string): number {
  const ms = typeof value === 'number' ? value : msOf(value);
  if (ms >= 0 && ms <= MAX_MS) return ms;
  const shown = reading(() => JSON.stringify(value));
  throw new WeftError(
    'bad_params',
    `${shown} is not a duration; write milliseconds, or a text like 90s, 2h 30m, 3d or 1w, of at most ten years.`,
    { field },
  );
}

function msOf(text: string): number {
  const parts = text.trim().split(/\s+/);
  return parts.reduce((sum, part) => {
    const found = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d|w)$/.exec(part);
    return found ? sum + Number(found[1]) * (UNIT_MS[found[2] as string] as number) : Number.NaN;
  }, 0);
}
