import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const freshMs = 5000;

/** Checks by writing whether the data folder is writable. */
export function createStorageProbe(data: string, now: () => number): () => Promise<boolean> {
  const file = join(data, '.probe');
  return keptFresh(() => write(file), now);
}

/** The answer is cached for five seconds, because anybody may ask. */
export function keptFresh(probe: () => Promise<boolean>, now: () => number): () => Promise<boolean> {
  let last: { at: number; result: Promise<boolean> } | undefined;
  return () => {
    if (last === undefined || now() - last.at >= freshMs) last = { at: now(), result: probe() };
    return last.result;
  };
}

async function write(file: string): Promise<boolean> {
  try {
    await writeFile(file, 'This file shows that the folder can be written.\n', { mode: 0o600 });
    await rm(file, { force: true });
    return true;
  } catch {
    return false;
  }
}
