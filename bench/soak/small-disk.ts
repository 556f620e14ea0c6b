import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../servers.ts';

/** A real file system that is so small that it can be filled. Dispose it: it is unmounted. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Takes whatever room there is, to the last byte; again after something became free. */
  fill(): void;
  free(): void;
  /** As a fault of the hardware does it: at once, whoever has files open. What was written before is on the disk. Ends with `repair`. */
  breakNow(): void;
  /** Nobody may have files open: the disk is checked and may be written again. */
  repair(): void;
  /** Nobody may have files open. */
  readOnly(on: boolean): void;
  used(): { readonly megabytes: number; readonly files: number };
}

const CHUNK = Buffer.alloc(64 * 1024);
/** The last bytes are written one by one. */
const BYTE = CHUNK.subarray(0, 1);

/** A disk of so many bytes; why not, where this user may not mount one. */
export function smallDisk(bytes: number): SmallDisk | string {
  using stack = new DisposableStack();
  const folder = stack.use(tempFolder()).path;
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  mkdirSync(path);
  writeFileSync(image, '');
  truncateSync(image, bytes);
  const mount = ['mount', '-o', 'loop', image, path];
  // Blocks as those of any larger disk: with smaller ones than a page of memory, a full disk kills whoever writes to a mapped file.
  const refused = tried('mkfs.ext4', '-q', '-b', '4096', '-m', '0', '-N', '65536', image) ?? tried(...mount);
  if (refused !== undefined) return refused;
  const filler = join(path, 'filler');
  const parts = stack.move();
  const unmount = (): void => void tried('umount', path);
  // Where the process ends early, the folders of the benchmarks are removed: with nothing in them that is mounted.
  process.prependOnceListener('exit', unmount);
  return {
    path,
    fill: () => fill(filler),
    free: () => rmSync(filler, { force: true }),
    breakNow() {
      must('sync', '-f', path);
      must('mount', '-o', 'remount,abort', path);
    },
    repair() {
      must('umount', path);
      // 1: there were faults, which are mended now.
      const { status, stderr } = run('e2fsck', '-f', '-y', image);
      if (status !== 0 && status !== 1) throw new Error(`e2fsck: ${stderr}`);
      must(...mount);
    },
    used() {
      const { blocks, bfree, bsize, files, ffree } = statfsSync(path);
      return { megabytes: Math.round(((blocks - bfree) * bsize) / 1024 / 1024), files: files - ffree };
    },
    readOnly: (on) => must('mount', '-o', `remount,${on ? 'ro' : 'rw'}`, path),
    [Symbol.dispose]() {
      unmount();
      process.off('exit', unmount);
      parts.dispose();
    },
  };
}

function fill(filler: string): void {
  const file = openSync(filler, 'a');
  try {
    for (const piece of [CHUNK, BYTE]) while (takes(file, piece));
  } finally {
    closeSync(file);
  }
}

function takes(file: number, piece: Buffer): boolean {
  try {
    return writeSync(file, piece) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

function run(program: string, ...args: readonly string[]) {
  return spawnSync(program, args, { encoding: 'utf8' });
}

/** What a program said that failed. */
function tried(...[program = '', ...args]: readonly string[]): string | undefined {
  const { status, stderr, error } = run(program, ...args);
  if (status === 0) return undefined;
  return `${program}: ${error?.message ?? stderr.trim()}`;
}

function must(...command: readonly string[]): void {
  const refused = tried(...command);
  if (refused !== undefined) throw new Error(refused);
}
