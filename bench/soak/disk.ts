import type { Line } from '../harness.ts';
import { diskRecords } from './disk-records.ts';
import { diskRuns } from './disk-runs.ts';
import { diskSaves } from './disk-saves.ts';
import { DiskLives } from './disk-lives.ts';
import { Ledger } from './ledger.ts';
import { fact, type SoakContext, type SoakPart } from './part.ts';
import { smallDisk } from './small-disk.ts';

/** What a server writes in all rounds has room on it: where it were full by itself, nothing could be said of what is refused. */
const DISK_BYTES = 512 * 1024 * 1024;

/**
 * A server on a disk of its own, which is filled to the last byte and freed again under it, breaks (read-only at once), and is full
 * or read-only when the server is started. Needs a user who may mount one.
 */
export const disk: SoakPart = {
  name: 'disk',
  title: 'A disk that is full, read-only, or full when the server is killed (-9) and started',
  async run({ random, short, say }: SoakContext): Promise<Line[]> {
    const small = smallDisk(DISK_BYTES);
    if (typeof small === 'string')
      return [{ ...fact('left out: this user may not mount a disk', 0), note: small }];
    await using stack = new AsyncDisposableStack();
    stack.use(small);
    const ledger = new Ledger();
    const parts = { folder: small.path, random, ledger };
    const loads = [diskSaves(parts), diskRecords(parts), stack.use(await diskRuns(parts))];
    const lives = stack.use(new DiskLives({ disk: small, random, ledger, loads }));
    const rounds = short ? 1 : 20;
    for (let round = 1; round <= rounds; round++) {
      await lives.fullNowAndThen();
      await lives.killedWhileFull();
      await lives.broken();
      await lives.readOnlyAtStart();
      const { megabytes, files } = small.used();
      say(`${round} of ${rounds} rounds; ${megabytes} MB and ${files} files on the disk`);
    }
    await lives.end();
    return [
      fact('rounds', rounds),
      ...lives.lines(),
      ...ledger.lines(),
      ...loads.flatMap((load) => load.lines()),
    ];
  },
};
