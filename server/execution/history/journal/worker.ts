import { parentPort, workerData } from 'node:worker_threads';
import { isReadOnly } from '../../../base/errors/storage-refusal.ts';
import type { JournalCalls, JournalOp, JournalReply, JournalRequest, JournalSetup } from './protocol.ts';
import { createDiskBlobs } from '../blobs/disk-blobs.ts';
import { readRows } from './rows-text.ts';
import { Segments } from './segments.ts';

/** The journal's thread: it owns the files and answers calls in order. */

const port = parentPort;
if (port === null) throw new Error('started by journal.ts only');
const { folder, blobs, limits } = workerData as JournalSetup;
let opened: Segments | undefined;

/** Opened by the first call that needs the files; if the folder was unusable, the next call tries again. */
function segments(): Segments {
  opened ??= new Segments({ folder, limits, blobs: createDiskBlobs(blobs), now: Date.now });
  return opened;
}

const calls: { [Op in JournalOp]: (input: JournalCalls[Op]['in']) => JournalCalls[Op]['out'] } = {
  append({ rows, packs, batches }) {
    return { lost: segments().append({ rows: readRows(rows), packs, batches }) };
  },
  get: (run) => segments().get(run),
  list: (query) => segments().list(query),
  events: ({ run, after }) => segments().events(run, after),
  value: ({ run, hash }) => segments().value(run, hash),
  tape: (run) => segments().tape(run),
  remove: (run) => segments().remove(run),
  prune: (time) => segments().prune(time),
  reserve: (bytes) => segments().reserve(bytes),
  broken: () => segments().broken,
  close() {
    letGo();
    return null;
  },
};

port.on('message', (request: JournalRequest) => {
  port.postMessage(answer(request));
  if (request.op === 'close') port.close();
});

/** Closes the files: one that was opened read-only stays read-only while it is open. */
function letGo(): void {
  opened?.close();
  opened = undefined;
}

function answer<Op extends JournalOp>({ id, op, input }: JournalRequest<Op>): JournalReply {
  try {
    return { id, value: calls[op](input) };
  } catch (error) {
    if (isReadOnly(error)) letGo();
    return { id, error: (error as Error).message };
  }
}
