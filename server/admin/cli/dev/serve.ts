import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ExitCode, Io } from '../io.ts';

export interface ServeOptions {
  /** Restart when the source of Weft changes. */
  readonly watch: boolean;
  /** Log as JSON, even if standard output is a terminal. */
  readonly json: boolean;
}

const entry = fileURLToPath(new URL('../../../index.js', import.meta.url));
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `weft serve`: the server of `node server`, in this process. Resolves to undefined once the server is running; from
 * then on it owns the process.
 */
export async function serve({ watch, json }: ServeOptions, io: Io): Promise<ExitCode | undefined> {
  if (watch) return serveWatched({ ...io.env, ...(json && { WEFT_LOG_FORMAT: 'json' }) });
  if (json) process.env['WEFT_LOG_FORMAT'] = 'json';
  const server = await io.loadServer?.();
  if (server === undefined) throw new Error('This process cannot start a server.');
  await server.main([]);
  return undefined;
}

/** Uses Node's own watch mode, which restarts when an imported file changes. */
async function serveWatched(env: Io['env']): Promise<ExitCode> {
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', entry], {
    stdio: 'inherit',
    env,
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  try {
    return await new Promise<ExitCode>((resolve, reject) => {
      child.once('error', reject);
      // A process that ended by a forwarded signal did as requested.
      child.once('exit', (code, signal) => resolve(code === 0 || signal !== null ? 0 : 1));
    });
  } finally {
    for (const signal of signals) process.removeListener(signal, forward);
  }
}
