import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** `node server` as a separate process. */
export interface ServerProcess {
  /** The JSON ready line; rejects if the process ends before. */
  readonly ready: Promise<{ url: string; keyFile?: string; signInFile?: string }>;
  /** What it wrote, so far. */
  output(): string;
  errors(): string;
  /** Exit code and signal. */
  readonly end: Promise<[number | null, NodeJS.Signals | null]>;
  kill(signal: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Starts the server on a free port in `cwd`, with only the settings of `env`; it is killed when the test ends. */
export function startProcess({ cwd, env = {}, args = [] }: StartOptions): ServerProcess {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('WEFT_')),
  );
  const child = spawn(process.execPath, [join(import.meta.dirname, '..'), ...args], {
    cwd,
    env: { ...inherited, WEFT_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  const ready = Promise.withResolvers<{ url: string }>();
  ready.promise.catch(() => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    output += `${line}\n`;
    const entry = line.startsWith('{') ? (JSON.parse(line) as { msg: string; url: string }) : undefined;
    if (entry?.msg === 'ready') ready.resolve(entry);
  });
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const end = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  void end.then(([code]) => ready.reject(new Error(`The server ended with ${code}: ${errors}`)));
  return {
    ready: ready.promise,
    output: () => output,
    errors: () => errors,
    end,
    kill: (signal) => child.kill(signal),
  };
}
