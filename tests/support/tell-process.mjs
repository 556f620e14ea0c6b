/*
 * Preloaded into a server (`node --import`): its requests to others name it, by TEST_PROCESS, so that who receives them knows which
 * of several servers sent each. When its event loop stood still, the times are a line of the file TEST_STALLS.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { TEST_PROCESS: name, TEST_STALLS: file } = process.env;
/** How often it looks, and what counts, in milliseconds. */
const [LOOK_MS, STALL_MS] = [100, 700];

if (name !== undefined)
  subscribe('undici:request:create', ({ request }) => request.addHeader('x-test-process', name));

if (file !== undefined && isMainThread) {
  // Of a clock that no test shifts.
  const now = () => performance.timeOrigin + performance.now();
  let looked = now();
  const look = () => {
    const at = now();
    if (at - looked > STALL_MS) appendFileSync(file, `${looked} ${at}\n`);
    looked = at;
  };
  setInterval(look, LOOK_MS).unref();
}
