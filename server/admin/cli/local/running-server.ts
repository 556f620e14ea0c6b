import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ownAddress } from '../../../base/config/own-address.ts';
import { StartError } from '../../../base/errors/start-error.ts';
import { type Io, printable, UsageError } from '../io.ts';
import { readSettings } from './project.ts';

/** The server that a command calls, and the key for it. */
export interface ServerOptions {
  /** By default the server of the settings, on this machine. */
  readonly url?: string | undefined;
  /** By default the key that `keptApiKey` finds. */
  readonly key?: string | undefined;
}

/** Adds `--url` and `--key` to a command; `scopes` are those that its key needs, as in `the scope runs:read`. */
export function withServer(command: Command, scopes: string): Command {
  return command
    .option('--url <address>', 'address of the server; by default the one of these settings')
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
  const url = addressOf(options, io);
  const authorization = `Bearer ${options.key ?? keptApiKey(io)}`;
  return async (method, path, body, signal) => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted)
        throw new StartError(`${url} has not answered ${method} ${path}; nobody waits for it any more.`);
      throw new StartError(
        `${url} cannot be reached (${(error as Error).message}). Is the server running there?`,
      );
    });
    const reply = (await answer.json().catch(() => undefined)) as
      | { readonly data?: unknown; readonly err_code?: string | null; readonly err_msg?: string | null }
      | undefined;
    if (answer.ok && reply?.data !== undefined) return reply.data;
    const why = reply?.err_msg ?? `the server at ${url} gave no answer of Weft.`;
    throw new StartError(printable(`${reply?.err_code ?? answer.status}: ${why}`));
  };
}

/** @throws UsageError for an invalid address. */
export function addressOf({ url }: ServerOptions, io: Io): string {
  if (url === undefined) {
    const { host, port } = readSettings(io);
    return ownAddress({ host, publicUrl: undefined }, port);
  }
  if (URL.canParse(url)) return url;
  throw new UsageError(`--url: ${url} is not an address like http://127.0.0.1:5670.`);
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
