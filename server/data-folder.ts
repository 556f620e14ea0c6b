import { accessSync, constants, mkdirSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** Makes the data folder, for its owner only. Throws a `StartError` where it cannot be made or written. */
export function prepareDataFolder(data: string): void {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The data folder ${data} cannot be written (${code}). Set WEFT_DATA to a folder that this user may write.`,
    );
  }
}
