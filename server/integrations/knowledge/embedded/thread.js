import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

// A thread of the store: one writes, another one reads, so that a search never waits for a write. It has a compile cache of its own to switch on.
enableCompileCache();
const { createRows } = await import('./rows.ts');
const { isRefusedByDisk } = await import('../../../base/errors/storage-refusal.ts');
const rows = createRows(workerData);

/** @param {import('./protocol.ts').ToStore} request */
function answer({ id, op, given }) {
  try {
    return { id, value: rows[op](...given) };
  } catch (error) {
    return { id, error: { message: error.message, refused: isRefusedByDisk(error) } };
  }
}

parentPort.on('message', (request) => {
  parentPort.postMessage(answer(request));
  if (request.op === 'close') parentPort.close();
});
