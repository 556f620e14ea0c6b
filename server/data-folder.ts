import { accessSync, constants, mkdirSync } from 'node:fs';
import { refusedStart } from './storage-start.ts';

/** Makes the data folder, for its owner only. Throws a `StartError` where it cannot be made or written. */
export function prepareDataFolder(data: string): void {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusedStart(data, String(code));
  }
}
