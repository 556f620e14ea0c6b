import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What the tests may need at once, in bytes. */
const ROOM = 4 * 1024 ** 3;

/**
 * Makes the folder for temporary files one in memory, where there is one that is large enough and lets programs run: each test
 * server waits for the disk some thirty times, which is half of its time. Returns what removes it with all that tests left there;
 * undefined where there is none.
 */
export function useMemory(): (() => void) | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM) return undefined;
    const made = (folder = mkdtempSync(join(MEMORY, 'weft-')));
    const program = join(made, 'program');
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    process.env['TMPDIR'] = made;
    return () => rmSync(made, { recursive: true, force: true });
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
