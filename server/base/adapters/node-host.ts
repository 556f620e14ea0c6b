import { randomUUID } from 'node:crypto';
import type { Host, Services } from '#engine';
import { createOutputCache } from './output-cache.ts';

/** Memory limit for outputs of nodes with `cache`. */
const CACHE_BYTES = 64 * 1024 ** 2;

/** The real outside: the system's clock, randomness and timers, and the services for operators with effects. */
export function createHost(services: Services = {}): Host {
  return {
    now: Date.now,
    random: Math.random,
    id: randomUUID,
    timer: startTimer,
    defer(fn) {
      setImmediate(fn);
    },
    cache: createOutputCache(CACHE_BYTES),
    services,
  };
}

/** The longest delay that system timers accept, in milliseconds (about 25 days); longer ones fire at once. */
const longestDelay = 2 ** 31 - 1;

function startTimer(ms: number, fn: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const delay = Math.min(left, longestDelay);
    timer = setTimeout(() => (left > delay ? wait(left - delay) : fn()), delay);
  };
  wait(ms);
  return () => clearTimeout(timer);
}
