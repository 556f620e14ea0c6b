import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refusedStart } from './storage-start.ts';

/** Rights of anybody but the owner. */
const OTHERS = 0o077;
const STICKY = 0o1000;

/** What the server itself puts into the folder; other files there are somebody else's. Not `secrets.key`: open, it may be known. */
const OWN =
  /^(?:(?:db|secrets|sessions)\.json|api-key\.txt|sign-in\.txt|weft\.(?:lock|pid)|(?:weft|durable)\.db(?:-(?:wal|shm))?|runs|blobs|versions|trash)$/;

/**
 * Makes the data folder, for its owner only, and closes one to others that was open to them, with what the server has put there.
 * Gives what to tell of that, if anything. Throws a `StartError` where it cannot be made or written.
 */
export function prepareDataFolder(data: string): string | undefined {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusedStart(data, String(code));
  }
  // Windows has rights of another kind.
  return process.platform === 'win32' ? undefined : closed(data);
}

function closed(data: string): string | undefined {
  const { mode } = statSync(data);
  const names = readdirSync(data).filter((name) => OWN.test(name));
  try {
    for (const name of names) close(join(data, name));
    if ((mode & OTHERS) === 0) return undefined;
    // A folder that is shared on purpose, such as /tmp, stays so.
    if ((mode & STICKY) !== 0) return openTo(data);
    close(data);
    return `The data folder ${data} was open to others of this machine; now it is its owner's alone (chmod 700).`;
  } catch {
    return openTo(data);
  }
}

function openTo(data: string): string {
  return `The data folder ${data} is open to others of this machine, who can read runs; give it to the server alone: chmod 700 ${data}`;
}

function close(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) !== 0) chmodSync(path, mode & 0o7777 & ~OTHERS);
}
