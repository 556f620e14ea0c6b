import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { type ErrorCode, errorEntry } from '#shared/errors.ts';
import { ServiceError } from '../errors/errors.ts';
import { StartError } from '../errors/start-error.ts';
import { type Ask, controlSocket, type Reply } from './protocol.ts';

/** Asks the server that holds the data folder. Throws its `ServiceError`, or a `StartError` where it cannot be asked. */
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
