import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refusedStart } from './storage-start.ts';

/** Rights of all users but the owner. */
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Files that the server itself writes into the folder; other files belong to others. Not `secrets.key`: if it
 * was open, its content may be known.
 */
const OWN =
  /^(?:(?:db|secrets|sessions|manifest)\.json|api-key\.txt|sign-in\.txt|weft\.(?:lock|pid)|(?:weft|durable|knowledge|outputs)\.db(?:-(?:wal|shm))?|runs|blobs|versions|files|trash|before-migration|shop|process-\d+)$/;

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
 * Creates a folder and its missing parents. Node's own way (`recursive`) never ends in a folder that rejects new
 * folders by reporting that it does not exist itself, as `/proc` does for root.
 */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { ...(mode !== undefined && { mode }) });
  } catch (error) {
    // Several processes may create it at once.
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

/** The socket on which the server answers the command line. Only its owner can reach it, because folder and socket are closed to others. */
export function controlSocket(data: string): string {
  return join(data, 'weft.sock');
}

/** Settings that say where the data are; the processes of a folder share it. */
interface Place {
  readonly data: string;
  readonly process?: { readonly shared: string };
}

/** The name by which a connection to SQLite finds the folder of the small shop. */
export const SHOP_FOLDER = 'weft_small_shop';

/** The path of the HTTP service of the small shop on this server. */
export const SHOP_PATH = '/small-shop';

/** The folder with the database of the small shop and with mails that were kept; it is there once one of them is. */
export function shopFolder({ data, process: one }: Place): string {
  return join(one?.shared ?? data, 'shop');
}

/** The name of the folder for databases that needs no setting. */
export const DATABASES_FOLDER = 'databases';

interface FolderSettings extends Place {
  readonly folders: Readonly<Record<string, string>>;
  readonly databaseUrl?: string | undefined;
}

/**
 * The folders in which connections find databases, by name: those of the settings, and one in the data folder. Servers
 * that share a database have no such folder, because each would have a file of its own there.
 */
export function databaseFolders({ folders, databaseUrl, ...place }: FolderSettings): Record<string, string> {
  if (databaseUrl !== undefined) return { ...folders };
  return { [DATABASES_FOLDER]: join(place.process?.shared ?? place.data, DATABASES_FOLDER), ...folders };
}

/** Where connections find files, in those folders and in that of the shop, and where they keep mails. */
export function foldersOfConnections(settings: FolderSettings): {
  readonly folders: Readonly<Record<string, string>>;
  readonly mails: string;
} {
  const shop = shopFolder(settings);
  return { folders: { ...databaseFolders(settings), [SHOP_FOLDER]: shop }, mails: join(shop, 'mails') };
}
