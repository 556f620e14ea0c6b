import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What the end-to-end tests run: the checkout, or the npm package that `TEST_PRODUCT` names (tests/runner/stages.ts).
 * Nothing else decides about that.
 */
export const product = process.env['TEST_PRODUCT'] ?? root;

/** A real server process on a free port with its own folders. */
export interface TestServer {
  readonly url: string;
  /** The sign-in address, for one use. */
  readonly entrance: string;
  readonly key: string;
  readonly flows: string;
  readonly data: string;
  readonly process: ChildProcess;
  /** Everything it printed. */
  output(): string;
  /** Stops it as a service manager would; resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServerSetup {
  /** Folder with flow files; a fresh empty one by default. */
  readonly flows?: string;
  readonly data?: string;
  readonly env?: Record<string, string>;
  /** Where it runs. */
  readonly cwd?: string;
  /** The folder of the program; by default what is tested. */
  readonly program?: string;
}

/** The environment of a server whose clock is ahead by so many milliseconds, or behind. */
export function shifted(ms: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'tests/support/shifted-clock.mjs')).href}`,
    TEST_CLOCK_SHIFT: String(ms),
  };
}

export function tempFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `weft-${name}-`));
}

export async function startServer(setup: ServerSetup = {}): Promise<TestServer> {
  const flows = setup.flows ?? tempFolder('flows');
  const data = setup.data ?? tempFolder('data');
  const child = spawn(process.execPath, [join(setup.program ?? product, 'server')], {
    cwd: setup.cwd ?? root,
    env: {
      ...process.env,
      WEFT_PORT: '0',
      WEFT_FLOWS: flows,
      WEFT_DATA: data,
      WEFT_LOG_FORMAT: 'json',
      ...setup.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const { url, signInFile } = await ready(child, lines);
  const entrance = signInFile === undefined ? url : readFileSync(signInFile, 'utf8').trim();
  const keyFile = join(data, 'api-key.txt');
  return {
    url: new URL(url).origin,
    entrance,
    key: existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '',
    flows,
    data,
    process: child,
    output: () => lines.join('\n'),
    stop: (signal = 'SIGTERM') => stop(child, signal),
  };
}

interface Ready {
  readonly url: string;
  /** The file with the sign-in address. */
  readonly signInFile?: string;
}

function ready(child: ChildProcess, lines: string[]): Promise<Ready> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) throw new Error('no standard output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const { url, signInFile } = parseLine(line);
      if (url) resolve({ url, ...(signInFile !== undefined && { signInFile }) });
    });
    child.once('exit', (code) =>
      reject(new Error(`The server ended with code ${code}:\n${lines.join('\n')}`)),
    );
  });
}

function parseLine(line: string): Partial<Ready> {
  try {
    return JSON.parse(line) as Partial<Ready>;
  } catch {
    return {};
  }
}

function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });
}

/** Ends the server and removes its folders. */
export async function discard(server: TestServer): Promise<void> {
  await server.stop();
  for (const folder of [server.flows, server.data]) {
    // Removes only folders that tests created, never one that a test was given.
    if (folder.startsWith(join(tmpdir(), 'weft-'))) rmSync(folder, { recursive: true, force: true });
  }
}
