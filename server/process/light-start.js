import { executionAsyncResource } from 'node:async_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { importQuickly } from './quick-imports.js';

const MB = 1024 * 1024;
/** Both halves of the young generation together, in bytes; V8's own limit is twice as much. */
const ENOUGH = 32 * MB;
const LOOK_MS = 250;
/** A server that took less processor time than this in a second is quiet. */
const QUIET_SECOND_US = 50_000;
/** Tidying takes 2 to 3 ms for each MB, in which nobody is answered. */
const MOST_TO_TIDY = 100 * MB;

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
 * Loads the server's entry with little work and memory, until `letRun` (docs/decisions/0026-quick-start.md).
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
 * start is given back.
 */
export function letRun() {
  afterwards.forEach(setFlagsFromString);
  const growth = setInterval(() => {
    if (youngSize() < ENOUGH) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(growth);
  }, LOOK_MS);
  growth.unref();
  let before = process.cpuUsage();
  const quiet = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    if (user + system > QUIET_SECOND_US) return;
    clearInterval(quiet);
    if (getHeapStatistics().used_heap_size < MOST_TO_TIDY) tidy();
  }, 1000);
  quiet.unref();
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
