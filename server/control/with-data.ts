import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { type ErrorCode, errorEntry } from '#shared/errors.ts';
import { refuseNewerData } from '../storage/manifest.ts';
import { ServiceError } from '../errors/errors.ts';
import { StartError } from '../errors/start-error.ts';
import { prepareDataFolder } from '../files/data-folder.ts';
import { type DataLock, isLocked, lockData } from '../files/lock.ts';
import { controlSocket } from '../files/data-folder.ts';
import type { Config } from '../config/config.ts';
import type { Ask, Reply } from './protocol.ts';
import { request } from '../process/node-http.ts';

const ELSEWHERE =
  'The data are in the database of WEFT_DATABASE_URL, and no server runs with this data folder: start one, or use the HTTP API of another one (docs/cluster.md).';

/** Sends a request to the server that holds the data folder. Throws its `ServiceError`, or a `StartError` if it cannot be reached. */
export type AskServer = (ask: Ask) => Promise<unknown>;

/**
 * How a command reaches the stored data. If no server holds the data folder, the command holds it and works on it `alone`;
 * if one does, that server is `asked`. Throws a `StartError` for data of a newer Weft,
 * and where the data are in a database, which only servers use.
 */
export async function withData<T>(
  { data, databaseUrl }: Pick<Config, 'data' | 'databaseUrl'>,
  alone: () => T | Promise<T>,
  asked: (ask: AskServer) => Promise<T>,
): Promise<T> {
  prepareDataFolder(data);
  const lock = lockUnlessHeld(data);
  if (lock === undefined) return await asked((ask) => askServer(data, ask));
  try {
    if (databaseUrl !== undefined) throw new StartError(ELSEWHERE);
    refuseNewerData(data);
    return await alone();
  } finally {
    lock.release();
  }
}

function lockUnlessHeld(data: string): DataLock | undefined {
  try {
    return lockData(data);
  } catch (error) {
    if (isLocked(error)) return undefined;
    throw error;
  }
}

async function askServer(data: string, ask: Ask): Promise<unknown> {
  const reply = await send(data, ask);
  if (reply.ok) return reply.data;
  const code: ErrorCode = errorEntry(reply.code) ? (reply.code as ErrorCode) : 'internal';
  throw new ServiceError(code, reply.message);
}

async function send(data: string, ask: Ask): Promise<Reply> {
  try {
    const sent = request({ socketPath: controlSocket(data), method: 'POST', path: '/' });
    sent.end(JSON.stringify(ask));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return (await json(response)) as Reply;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new StartError(
      `A server uses the data folder ${data}, and it cannot be asked through ${controlSocket(data)} (${code}). ` +
        'Stop it first, or use its HTTP API (docs/reference/http-api.md) with a key that has the scope.',
    );
  }
}
