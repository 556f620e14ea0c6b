import { randomBytes } from 'node:crypto';
import type { CallerTrace } from './trace-context.ts';

import type { Config } from '../../base/config/config.ts';

/** Decides whether a run is traced: the trace id, 32 hexadecimal digits, or undefined. */
export type Sampler = (caller: CallerTrace | undefined) => string | undefined;

const PARENT_BASED = 'parentbased_';
/** The number of random digits at the end of a trace id (W3C Trace Context, level 2). */
const RANDOM_DIGITS = 12;
const RANGE = 16 ** RANDOM_DIGITS;

/**
 * The samplers of OpenTelemetry, by their names. `ratio` is the ratio of `traceidratio`, which looks only at the id, so
 * that all services with the same ratio sample the same traces. An unsampled run costs one random number.
 */
export function createTraceSampler(name: Config['tracesSampler'], ratio: number): Sampler {
  const followsParent = name.startsWith(PARENT_BASED);
  const share = shareOf(followsParent ? name.slice(PARENT_BASED.length) : name, ratio);
  return (caller) => {
    if (caller === undefined) return Math.random() < share ? newTraceId(share) : undefined;
    const keeps = followsParent ? caller.isSampled : isWithin(caller.traceId, share);
    return keeps ? caller.traceId : undefined;
  };
}

function shareOf(name: string, ratio: number): number {
  if (name === 'always_on') return 1;
  return name === 'always_off' ? 0 : ratio;
}

function isWithin(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) < share * RANGE;
}

/** An id that every sampler with this ratio also samples. */
function newTraceId(share: number): string {
  const begin = randomBytes(10).toString('hex');
  const end = Math.floor(Number.parseInt(randomBytes(6).toString('hex'), 16) * share);
  return begin + end.toString(16).padStart(RANDOM_DIGITS, '0');
}
