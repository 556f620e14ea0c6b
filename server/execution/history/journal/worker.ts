import { answerCalls } from '../../../base/adapters/asked-thread.ts';
import { isReadOnly } from '../../../base/errors/storage-refusal.ts';
import type { JournalCalls, JournalSetup } from './protocol.ts';
import { createDiskBlobs } from '../blobs/disk-blobs.ts';
import { readRows } from './rows-text.ts';
import { Segments } from './segments.ts';

/** The journal's thread: it owns the files and answers calls in order. */

let setup: JournalSetup;
let opened: Segments | undefined;

/** Opened by the first call that needs the files; if the folder was unusable, the next call tries again. */
function segments(): Segments {
  const { folder, blobs, limits } = setup;
  opened ??= new Segments({ folder, limits, blobs: createDiskBlobs(blobs), now: Date.now });
  return opened;
}

const calls: JournalCalls = {
  open: (given) => void (setup = given),
  append: ({ rows, packs, batches }) => segments().append({ rows: readRows(rows), packs, batches }),
  get: (run) => segments().get(run),
  list: (query) => segments().list(query),
  events: (run, after) => segments().events(run, after),
  value: (run, hash) => segments().value(run, hash),
  tape: (run) => segments().tape(run),
  remove: (run) => segments().remove(run),
  prune: (time) => segments().prune(time),
  reserve: (bytes) => segments().reserve(bytes),
  broken: () => segments().broken,
  close: letGo,
};

answerCalls(calls, (error) => {
  if (isReadOnly(error)) letGo();
});

/** Closes the files: one that was opened read-only stays read-only while it is open. */
function letGo(): void {
  opened?.close();
  opened = undefined;
}
