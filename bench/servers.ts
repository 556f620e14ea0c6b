import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Flow } from '#shared/flow.ts';
import { writeFlows } from './flows.ts';
import { cpuMs, pinned, rssMB } from './proc.ts';

/** The core of the servers; the load comes from the other one. */
export const SERVER_CORE = 0;

/** A server in a separate process. Dispose it. */
export interface Server extends AsyncDisposable {
  /** Without a final slash. */
  readonly origin: string;
  readonly port: number;
  /** The sign-in address, if there is one. */
  readonly url: string;
  /** From the start of the process to the ready line, in milliseconds. */
  readonly readyMs: number;
  readonly child: ChildProcess;
  cpuMs(): number;
  rssMB(): number;
}

/** A folder that is removed when disposed. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'weft-bench-'));
  folders.add(path);
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

const folders = new Set<string>();

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
  folders.delete(path);
}

/** A folder to start a server in, with these flows. */
export function flowFolder(flows: readonly Flow[]): TempFolder {
  const folder = tempFolder();
  writeFlows(join(folder.path, 'flows'), flows);
  return folder;
}

const SERVER = fileURLToPath(new URL('../server', import.meta.url));
const baselines = {
  'bare-fastify': new URL('./baseline/bare-fastify.js', import.meta.url),
  'one-route': new URL('./baseline/one-route.js', import.meta.url),
  'raw-http': new URL('./baseline/raw-http.js', import.meta.url),
};

export interface LaunchOptions {
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** With a channel for messages. */
  readonly ipc?: boolean;
  /** Runs on any free core; figures do not matter then. */
  readonly anyCore?: boolean;
}

/** `node server` in a folder with `flows/`, with default settings except for the port. */
export function startWeft(folder: string, options: LaunchOptions = {}): Promise<Server> {
  return launch(SERVER, folder, { ...options, env: { WEFT_PORT: '0', ...options.env } });
}

export function startBaseline(name: keyof typeof baselines): Promise<Server> {
  return launch(fileURLToPath(baselines[name]), tmpdir(), {});
}

/** For `--import`, with `--expose-gc` and `ipc`: lets a message trigger garbage collection in the server. */
export const settlePreload = new URL('./baseline/settle.js', import.meta.url).href;

/** For `--import`, with `ipc`: tells how late the event loop of the server was between `begin` and `tell`. */
export const loopDelayPreload = new URL('./baseline/loop-delay.js', import.meta.url).href;

const running = new Set<ChildProcess>();

// Whatever ends this process, nothing that it made is left behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) removeFolder(folder);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const START_LIMIT_MS = 120_000;

async function launch(script: string, cwd: string, options: LaunchOptions): Promise<Server> {
  const { nodeArgs = [], env = {}, ipc = false, anyCore = false } = options;
  const command = [process.execPath, ...nodeArgs, script];
  const [program = '', ...args] = anyCore ? command : pinned(SERVER_CORE, command);
  const started = performance.now();
  const child = spawn(program, args, {
    cwd,
    env: { ...cleanEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const url = await readyUrl(child);
  const readyMs = performance.now() - started;
  const pid = child.pid as number;
  const { origin, port } = new URL(url);
  return {
    origin,
    port: Number(port),
    url,
    readyMs,
    child,
    cpuMs: () => cpuMs(pid),
    rssMB: () => rssMB(pid),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** The shipped defaults hold only where nobody changed them. */
function cleanEnv(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(
    entries.filter(([name]) => !name.startsWith('WEFT_') && !name.startsWith('NODE_') && name !== 'PORT'),
  );
}

/** Reads the ready line; what comes after it is read too, so that the server never waits for us. */
function readyUrl(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
    const onLine = (line: string): void => {
      if (said.length < 50) said.push(line);
      const url = readyLine(line);
      if (url === undefined) return;
      clearTimeout(limit);
      resolve(url);
    };
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', onLine);
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', onLine);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      reject(new Error(`The server ended (${code}):\n${said.join('\n')}`));
    });
  });
}

function readyLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { msg, url, signInFile } = JSON.parse(line) as Record<string, unknown>;
    if (msg !== 'ready' || typeof url !== 'string') return undefined;
    return typeof signInFile === 'string' ? readFileSync(signInFile, 'utf8').trim() : url;
  } catch {
    return undefined;
  }
}

const STOP_LIMIT_MS = 15_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(limit);
}
