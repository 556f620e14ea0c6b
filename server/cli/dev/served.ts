import { prepareDataFolder } from '../../files/data-folder.ts';
import { type DataLock, isLocked, lockData } from '../../files/lock.ts';

/** The data folder's lock, or undefined where a server holds it and is to be asked instead. */
export function lockUnlessServed(data: string): DataLock | undefined {
  prepareDataFolder(data);
  try {
    return lockData(data);
  } catch (error) {
    if (isLocked(error)) return undefined;
    throw error;
  }
}
