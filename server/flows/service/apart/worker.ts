import { flowSchemas } from '#engine/check';
import { parentPort, workerData } from 'node:worker_threads';
import { type ReadText, readText } from '../judge-text.ts';
import type { ApartSetup, FromThread, ToThread } from './protocol.ts';

/** The thread that reads and checks large flows, so that they delay no other request. */

const port = parentPort;
if (port === null) throw new Error('started by judge-thread.ts only');
const { catalog } = workerData as ApartSetup;
let open: ReadText | undefined;

port.on('message', (message: ToThread) => port.postMessage(answer(message)));

function answer(message: ToThread): FromThread[ToThread['op']] {
  if (message.op === 'infer') return flowSchemas(message.flow, catalog);
  if (message.op === 'read') {
    open = readText(message.id, message.source, catalog);
    const { source, canonical, ...text } = open.text;
    return { ...text, canonical: canonical === source ? undefined : canonical };
  }
  if (open === undefined) throw new Error('nothing was read');
  const verdict = open.judge(message.world, message.places);
  open = undefined;
  return verdict;
}
