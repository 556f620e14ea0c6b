import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refusedStart } from './storage-start.ts';

/** Rights of anybody but the owner. */
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Files that the server itself puts into the folder; other files belong to somebody else. Not `secrets.key`: if it
 * was open, it may be known.
 */
const OWN =
  /^(?:(?:db|secrets|sessions|manifest)\.json|api-key\.txt|sign-in\.txt|weft\.(?:lock|pid)|(?:weft|durable|knowledge|outputs)\.db(?:-(?:wal|shm))?|runs|blobs|versions|files|trash|before-migration|process-\d+)$/;

/**
 * Creates the data folder, for its owner only. If it was open to others, closes it, with the server's files in it,
 * and returns a message about that, if any. Throws a `StartError` if it cannot be created or written.
 */
export function prepareDataFolder(data: string): string | undefined {
  try {
    makeFolder(data, 0o700);
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusedStart(data, String(code));
  }
  // Windows has a different permission model.
  return process.platform === 'win32' ? undefined : closed(data);
}

/**
 * Makes a folder and those above it, unless they are there. Node's own way (`recursive`) never ends where a folder takes no
 * others and says that it is not there, as `/proc` does to root.
 */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { ...(mode !== undefined && { mode }) });
  } catch (error) {
    // Several processes may make it at once.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function closed(data: string): string | undefined {
  const { mode } = statSync(data);
  const names = readdirSync(data).filter((name) => OWN.test(name));
  try {
    for (const name of names) close(join(data, name));
    if ((mode & OTHERS) === 0) return undefined;
    // A folder that is shared on purpose, such as /tmp, stays shared.
    if ((mode & STICKY) !== 0) return openTo(data);
    close(data);
    return `The data folder ${data} was open to other users of this machine; now only its owner can use it (chmod 700).`;
  } catch {
    return openTo(data);
  }
}

function openTo(data: string): string {
  return `The data folder ${data} is open to other users of this machine, who can read runs; restrict it to the server: chmod 700 ${data}`;
}

function close(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) !== 0) chmodSync(path, mode & 0o7777 & ~OTHERS);
}

/** Where the server answers the command line. Only those who may use the folder reach it: folder and socket belong to their owner alone. */
export function controlSocket(data: string): string {
  return join(data, 'weft.sock');
}
