import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ownAddress } from '../../../base/config/own-address.ts';
import { StartError } from '../../../base/errors/start-error.ts';
import { controlSocket } from '../../../base/files/data-folder.ts';
import { askServer } from '../../control/with-data.ts';
import { type Io, printable, UsageError } from '../io.ts';
import { readSettings } from './project.ts';

/** The server that a command calls, and the key for it. */
export interface ServerOptions {
  /** By default the server that uses the data folder, or else the one of the settings, on this machine. */
  readonly url?: string | undefined;
  /** By default the key that `keptApiKey` finds. */
  readonly key?: string | undefined;
}

/** Adds `--url` and `--key` to a command; `scopes` are those that its key needs, as in `the scope runs:read`. */
export function withServer(command: Command, scopes: string): Command {
  return command
    .option(
      '--url <address>',
      'address of the server; by default the one that runs with this data folder, or the one of these settings',
    )
    .option(
      '--key <key>',
      `API key with ${scopes}; by default WEFT_API_KEY, or the one stored in the data folder`,
    );
}

/** Returns `data` of the answer to a request of the HTTP API. The signal ends the request. */
export type AskServer = (
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
) => Promise<unknown>;

/**
 * How a command calls a running server.
 * @throws UsageError if the address is invalid, or there is no key. The returned function throws `StartError` if no server answers, or if
 *   the server refuses, with its code.
 */
export function serverAsker(options: ServerOptions, io: Io): AskServer {
  const found = addressOf(options, io);
  const authorization = `Bearer ${options.key ?? keptApiKey(io)}`;
  return async (method, path, body, signal) => {
    const url = await found;
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted)
        throw new StartError(`${url} has not answered ${method} ${path}; nobody waits for it any more.`);
      throw new StartError(unreachable(url, error as Error));
    });
    const reply = (await answer.json().catch(() => undefined)) as
      | { readonly data?: unknown; readonly err_code?: string | null; readonly err_msg?: string | null }
      | undefined;
    if (answer.ok && reply?.data !== undefined) return reply.data;
    const why = reply?.err_msg ?? `the server at ${url} gave no answer of Weft.`;
    throw new StartError(printable(`${reply?.err_code ?? answer.status}: ${why}`));
  };
}

/** What to say of a server that does not answer. */
export function unreachable(url: string, { message }: Error): string {
  return `${url} cannot be reached (${message}). Is the server running there? If it listens elsewhere, name it with --url or WEFT_PORT.`;
}

/**
 * Where the server is reached. A server may have got its port in another terminal, so the one that uses the data folder is asked,
 * unless the environment names a port.
 * @throws UsageError for an invalid address.
 */
export function addressOf({ url }: ServerOptions, io: Io): Promise<string> {
  if (url !== undefined) {
    if (URL.canParse(url)) return Promise.resolve(url);
    throw new UsageError(`--url: ${url} is not an address like http://127.0.0.1:5670.`);
  }
  const { host, port, data } = readSettings(io);
  const usual = ownAddress({ host, publicUrl: undefined }, port);
  if (io.env['WEFT_PORT'] || !existsSync(controlSocket(data))) return Promise.resolve(usual);
  // A socket may be left by a server that was killed, and a server before 0.3 does not know the question.
  return askServer(data, { do: 'address' }).then(String, () => usual);
}

/**
 * The API key of the environment, or of the file that the server's first start writes without a terminal.
 * @throws UsageError if there is none.
 */
export function keptApiKey(io: Io): string {
  const fromEnv = io.env['WEFT_API_KEY'] ?? io.env['WEFT_API_KEYS']?.split(',')[0]?.trim();
  if (fromEnv) return fromEnv;
  const file = join(resolve(io.cwd, io.env['WEFT_DATA'] ?? 'data'), 'api-key.txt');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new UsageError(
    'There is no API key: set WEFT_API_KEY, or --key. `weft keys create <name> --scopes <scopes>` makes one.',
  );
}
