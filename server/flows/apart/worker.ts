import { parentPort, workerData } from 'node:worker_threads';
import { type ReadText, readText } from '../judge-text.ts';
import type { ApartSetup, FromThread, ToThread } from './protocol.ts';

/** The thread that reads and checks large flows, so that nobody waits for somebody else's. */

const port = parentPort;
if (port === null) throw new Error('started by examined-apart.ts only');
const { catalog } = workerData as ApartSetup;
let open: ReadText | undefined;

port.on('message', (message: ToThread) => port.postMessage(answer(message)));

function answer(message: ToThread): FromThread['read'] | FromThread['judge'] {
  if (message.op === 'read') {
    open = readText(message.id, message.source, catalog);
    return { seen: open.seen };
  }
  if (open === undefined) throw new Error('nothing was read');
  const judged = open.judge(message.world);
  open = undefined;
  return judged;
}
