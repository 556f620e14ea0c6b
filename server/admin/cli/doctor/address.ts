import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../../base/config/config.ts';
import { ownAddress } from '../../../base/config/own-address.ts';
import { controlSocket } from '../../../base/files/data-folder.ts';
import type { Finding } from './finding.ts';

/** Checks whether a server answers at the address of the settings, or could. */
export async function checkAddress({ host, port, data }: Config): Promise<Finding[]> {
  const about = 'server';
  const url = ownAddress({ host, publicUrl: undefined }, port);
  const answer = await readiness(url);
  if (answer !== undefined) {
    const wrong = Object.entries(answer).filter(([, state]) => state !== 'ok');
    if (wrong.length === 0 && !existsSync(join(data, 'weft.pid')))
      return [
        {
          about,
          state: 'error',
          says: `At ${url} another Weft answers, which does not use ${data}.`,
          todo: 'Set WEFT_PORT to another one, stop that server, or run this in its folder.',
        },
      ];
    if (wrong.length === 0) return [{ about, state: 'ok', says: `It answers at ${url} and is ready.` }];
    const states = wrong.map(([name, state]) => `${name}: ${state}`).join(', ');
    return [
      {
        about,
        state: 'error',
        says: `It answers at ${url} and is not ready (${states}).`,
        todo: 'See its log for the reason.',
      },
    ];
  }
  const code = await listening(host, port);
  if (code === undefined && (await isServed(data)))
    return [
      {
        about,
        state: 'warning',
        says: `A server runs with ${data}, and not at ${url}.`,
        todo: 'Its settings are others, such as WEFT_PORT: run this with the same ones. `weft open` prints its address.',
      },
    ];
  if (code === undefined) return [{ about, state: 'ok', says: `None runs; ${host}:${port} is free.` }];
  const isTaken = code === 'EADDRINUSE';
  return [
    {
      about,
      state: 'error',
      says: isTaken
        ? `${host}:${port} is taken by another program.`
        : `This user cannot listen on ${host}:${port} (${code}).`,
      todo: `Set WEFT_PORT${isTaken ? '' : ' or WEFT_HOST'} to another one${isTaken ? ', or stop that program' : ''}.`,
    },
  ];
}

async function readiness(url: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) });
    if (!answer.headers.has('x-weft-version')) return undefined;
    return ((await answer.json()) as { checks: Record<string, string> }).checks;
  } catch {
    return undefined;
  }
}

/** Whether a server runs with this data folder, at any address. */
function isServed(data: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(controlSocket(data), () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
  return promise;
}

/** The error code of listening, if it fails. */
function listening(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  return promise;
}

/** Reports nothing for the usual case of one process. */
export function checkProcesses({ processes, databaseUrl }: Config): Finding[] {
  if (processes === 1) return [];
  const others = databaseUrl === undefined ? '; the first keeps the data folder' : '';
  return [{ about: 'processes', state: 'ok', says: `${processes} serve on one port${others}.` }];
}
