import { executionAsyncResource } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { importQuickly } from './quick-imports.js';

const MB = 1024 * 1024;
/**
 * Both halves of the young generation together, in bytes; V8's own limit is 64 MB. It doubles up to the first size, from which it
 * triples once.
 */
const SMALL = 8 * MB;
const ENOUGH = 24 * MB;
/** A server that took less processor time than this in a second is quiet. */
const QUIET_SECOND_US = 50_000;
/** Tidying takes 2 to 3 ms for each MB, in which nobody is answered. */
const MOST_TO_TIDY = 100 * MB;
/**
 * A server that has worked longer has compiled what it does. Tidying would take the hidden classes of all objects that are
 * not alive just then, and calls would stay slower by up to a tenth.
 */
const WORKED_US = 500_000;

/** What code that runs once is not worth: optimising it, and room for its garbage that would stay for ever. */
const whileLoading = ['--semi-space-growth-factor=1', '--no-opt', '--no-maglev'];
const afterwards = ['--semi-space-growth-factor=2', '--opt', '--maglev'];

/**
 * One of Node's own objects for `nextTick`, kept: when a full collection finds none alive, V8 forgets their hidden class, and
 * every later `nextTick` (several a request) takes a slow path. A young generation that does not grow makes such a collection likely.
 * @type {{ tick: object | undefined }}
 */
export const kept = { tick: undefined };

let isLight = false;

/** Whether this process was started by `loadLightly`. */
export function loadsLightly() {
  return isLight;
}

/**
 * Loads the server's entry with little work and memory, until `letRun` (docs/decisions/0029-quick-start.md).
 * @template T
 * @param {() => Promise<T>} load
 */
export function loadLightly(load) {
  process.nextTick(() => {
    kept.tick = executionAsyncResource();
  });
  isLight = true;
  whileLoading.forEach(setFlagsFromString);
  importQuickly();
  return load();
}

/**
 * Ends what `loadLightly` began: V8 optimises, and its young generation may grow, but only up to a limit, since a larger
 * one costs memory and saves no time (docs/decisions/0008-heap-growth.md). Once the server is quiet, the garbage of the
 * start is given back, unless it has worked in the meantime.
 * @returns {Promise<boolean>} whether it was given back
 */
export function letRun() {
  afterwards.forEach(setFlagsFromString);
  // After each collection, since the young generation grows in one and may double in a few milliseconds.
  const collections = new PerformanceObserver(() => {
    const size = youngSize();
    if (size < SMALL) return;
    setFlagsFromString(`--semi-space-growth-factor=${size < ENOUGH ? 3 : 1}`);
    if (size >= ENOUGH) collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
  return whenQuiet().then((worked) => {
    const isWorthIt = worked < WORKED_US && getHeapStatistics().used_heap_size < MOST_TO_TIDY;
    if (isWorthIt) tidy();
    return isWorthIt;
  });
}

/**
 * Waits for a second with hardly any work.
 * @returns {Promise<number>} the processor time until then, in microseconds
 */
function whenQuiet() {
  const started = process.cpuUsage();
  let before = 0;
  return new Promise((resolve) => {
    const quiet = setInterval(() => {
      const { user, system } = process.cpuUsage(started);
      const last = user + system - before;
      before = user + system;
      if (last > QUIET_SECOND_US) return;
      clearInterval(quiet);
      resolve(before);
    }, 1000);
    quiet.unref();
  });
}

function youngSize() {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

/** The collector is not offered for long, and only here: a new context has it while the flag is set. */
function tidy() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
