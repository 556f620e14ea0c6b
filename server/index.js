import { executionAsyncResource } from 'async_hooks';
import v8 from 'v8';
import { launch } from './launch.js';

// Until main.ts takes it back: the garbage of loading must not make the young generation large for ever
// (docs/decisions/0008-heap-growth.md).
v8.setFlagsFromString('--semi-space-growth-factor=1');

/**
 * One of Node's own objects for `nextTick`, kept: when a full collection finds none alive, V8 forgets their hidden class, and
 * every later `nextTick` (several a request) takes a slow path. A young generation that does not grow makes such a collection likely.
 * @type {{ tick: object | undefined }}
 */
export const kept = { tick: undefined };
process.nextTick(() => {
  kept.tick = executionAsyncResource();
});

launch(() => import('./main.ts'));
