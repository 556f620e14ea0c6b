import { spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What the tests may need at once, in bytes. */
const ROOM = 4 * 1024 ** 3;

/**
 * Makes the folder for temporary files one in memory, where there is one that is large enough and lets programs run: each test
 * server waits for the disk some thirty times, which is half of its time. It goes with all that tests left there when this
 * process ends, however it does.
 */
export function useMemory(): void {
  const folder = folderInMemory();
  if (folder === undefined) return;
  // Its standard input is a pipe from here.
  const command = ['-c', 'cat > /dev/null; rm -rf "$1"', 'sh', folder];
  const remover = spawn('sh', command, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  remover.unref();
  (remover.stdin as unknown as Socket).unref();
  process.env['TMPDIR'] = folder;
}

function folderInMemory(): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM) return undefined;
    folder = mkdtempSync(join(MEMORY, 'weft-'));
    // As the usual folder: tests start programs of other users.
    chmodSync(folder, 0o755);
    const program = join(folder, 'program');
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
