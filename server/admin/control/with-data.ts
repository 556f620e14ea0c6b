import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { type ErrorCode, errorEntry } from '#shared/errors.ts';
import { refuseNewerData } from '../../storage/database/manifest.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { codedStartError, StartError } from '../../base/errors/start-error.ts';
import { prepareDataFolder } from '../../base/files/data-folder.ts';
import { type DataLock, isLocked, lockData } from '../../base/files/lock.ts';
import { controlSocket } from '../../base/files/data-folder.ts';
import type { Config } from '../../base/config/config.ts';
import { openOwnDatabase, type OwnData, ownFolder } from './own-data.ts';
import type { Ask, Reply } from './protocol.ts';
import { request } from '../../base/process/node-http.ts';

/** Sends a request to the server that holds the data folder. Throws its `ServiceError`, or a `StartError` if it cannot be reached. */
export type AskServer = (ask: Ask) => Promise<unknown>;

type Place = Pick<Config, 'data' | 'databaseUrl' | 'databaseDirectUrl' | 'secretsKey' | 'secretsKeyNext'>;

/**
 * How a command reaches the stored data. If a server holds the data folder, that server is `asked`. Otherwise the command
 * works `alone`: on the database of the settings, whose servers are notified, or on the data folder, which it holds meanwhile.
 * Throws a `StartError` for data of a newer Weft, and for a database that cannot be used.
 */
export async function withData<T>(
  place: Place,
  alone: (own: OwnData) => T | Promise<T>,
  asked: (ask: AskServer) => Promise<T>,
): Promise<T> {
  const { data, databaseUrl } = place;
  if (databaseUrl !== undefined && !existsSync(data))
    return await using(await openOwnDatabase({ ...place, databaseUrl }), alone);
  prepareDataFolder(data);
  const lock = lockUnlessHeld(data);
  if (lock === undefined) return await asked((ask) => askServer(data, ask));
  if (databaseUrl !== undefined) {
    lock.release();
    return await using(await openOwnDatabase({ ...place, databaseUrl }), alone);
  }
  try {
    refuseNewerData(data);
    return await using(ownFolder(data), alone);
  } finally {
    lock.release();
  }
}

async function using<T>(own: OwnData, work: (own: OwnData) => T | Promise<T>): Promise<T> {
  try {
    return await work(own);
  } finally {
    await own.close();
  }
}

/** The refusal of a command that only a server can execute; `what` is the reason, `other` an alternative. */
export function needsServer(place: Place, what: string, other: string): StartError {
  const { data, databaseUrl } = place;
  const folder = databaseUrl === undefined ? `the data folder ${data}` : `WEFT_DATA=${data}`;
  return codedStartError(
    'command_needs_server',
    `${what}, and no server runs here with ${folder}: start one, set WEFT_DATA to the folder of one that runs, or ${other}.`,
  );
}

function lockUnlessHeld(data: string): DataLock | undefined {
  try {
    return lockData(data);
  } catch (error) {
    if (isLocked(error)) return undefined;
    throw error;
  }
}

/** Asks the server that uses the data folder, through its socket there. Throws as `AskServer` does. */
export async function askServer(data: string, ask: Ask): Promise<unknown> {
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
