import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from './limits.ts';

/** The engine that runs code: V8 isolates if there is a binary for this machine, otherwise QuickJS. */
export type Engine = 'isolated-vm' | 'quickjs';

/** A sandbox host that was started: a process of this server, or one that a supervisor has apart from it. */
export interface SandboxHost {
  /** Frames of `host/wire.js`; what is written before the host is there waits for it. */
  readonly socket: Socket;
  /** A supervisor runs it, which may be away or not answer. */
  readonly isApart: boolean;
  /** Its process, for people and tests; undefined as long as it is not known. */
  readonly pid: number | undefined;
  /** What the process has used so far. */
  usage(): Usage;
  kill(): void;
  /** It keeps this process alive only while it is held. */
  hold(isHeld: boolean): void;
  /** Calls back once, when it is gone, with its last output on standard error. */
  onEnd(ended: (lastWords: string) => void): void;
}

export interface Usage {
  readonly residentMb: number;
  readonly cpuMs: number;
}

/** Starts a host; it never throws, and what fails ends the host. */
export type StartHost = (engine: Engine) => SandboxHost;

/** If nothing is known, silence alone counts. */
export const unknownUsage: Usage = { residentMb: 0, cpuMs: 0 };

/** Characters of its last output that are kept for the log. */
const LAST_WORDS = 2000;

/** A host as a child of this process, which may use `processMb` of memory. */
export function localHost(engine: Engine, processMb: number = limits.processMb): SandboxHost {
  try {
    return hostOf(spawnHost(engine, processMb));
  } catch (error) {
    return noHost(String(error));
  }
}

/** For a machine that has no process or no file left: it ends as it begins. */
function noHost(why: string): SandboxHost {
  return {
    socket: new Socket(),
    isApart: false,
    pid: undefined,
    usage: () => unknownUsage,
    kill() {},
    hold() {},
    onEnd: (ended) => void setImmediate(ended, why),
  };
}

function hostOf(child: ChildProcess): SandboxHost {
  const socket = child.stdio[3] as Socket;
  const errors = child.stderr as Socket;
  let lastWords = '';
  errors.on('data', (text: Buffer) => {
    lastWords = (lastWords + text.toString()).slice(-LAST_WORDS);
  });
  return {
    socket,
    isApart: false,
    get pid() {
      return child.pid;
    },
    usage: () => usageOf(child.pid),
    kill: () => void child.kill('SIGKILL'),
    hold(isHeld) {
      for (const one of [child, socket, errors]) one[isHeld ? 'ref' : 'unref']();
    },
    onEnd(ended) {
      child.on('error', (error) => ended(`${lastWords}${error.message}`));
      child.once('close', () => ended(lastWords));
    },
  };
}

/** Linux counts processor time in hundredths of a second, and memory in pages. */
const TICK_MS = 10;
const PAGE = 4096;

/** The system's data about the process, if there are any; otherwise the host watches its memory itself. */
function usageOf(pid: number | undefined): Usage {
  if (process.platform !== 'linux' || pid === undefined) return unknownUsage;
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [user, system, pages] = [Number(fields[11]), Number(fields[12]), Number(fields[21])];
    return { residentMb: (pages * PAGE) / 1024 ** 2, cpuMs: (user + system) * TICK_MS };
  } catch {
    return unknownUsage;
  }
}

// ------------------------------------------------------------------------------------------------- the process

const main = fileURLToPath(new URL('host/main.js', import.meta.url));
const { resolve } = createRequire(import.meta.url);

/**
 * Starts a sandbox host on the Node that runs this process: no environment, no files but its own, no output but the
 * socket (file 3) and the errors of its start (file 2).
 */
function spawnHost(engine: Engine, processMb: number): ChildProcess {
  const binary = engine === 'isolated-vm' ? binaryOfIsolatedVm() : undefined;
  const folders = [
    dirname(main),
    ...(binary === undefined ? [] : [dirname(binary)]),
    ...quickjsFolders(),
    fileURLToPath(new URL('../../../package.json', import.meta.url)),
  ];
  const args = [
    '--no-node-snapshot',
    '--no-warnings',
    '--permission',
    ...(binary === undefined ? [] : ['--allow-addons']),
    ...folders.map((folder) => `--allow-fs-read=${folder}`),
    '--max-old-space-size=96',
    '--max-semi-space-size=8',
    main,
    binary ?? 'quickjs',
    String(processMb),
  ];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  // Without files for the pipes there is no process, and no list of them either.
  if ((child.stdio as unknown) === undefined)
    throw new Error('The machine has no files left for a sandbox host.');
  return child;
}

/**
 * The path that its own loader would find, which may not search inside the host; undefined if there is none, or if npm could not
 * install the package here, which is optional.
 */
function binaryOfIsolatedVm(): string | undefined {
  const place = folderOfIsolatedVm();
  const folder = place && join(place, 'prebuilds', `${process.platform}-${process.arch}`);
  if (folder === undefined || !existsSync(folder)) return undefined;
  const fitting = readdirSync(folder).filter((name) =>
    name.startsWith(`isolated-vm.abi${process.versions.modules}.`),
  );
  const libc = existsSync('/etc/alpine-release') ? '.musl.' : '.glibc.';
  const name = fitting.find((file) => file.includes(libc)) ?? fitting.find((file) => !file.includes('libc'));
  return name === undefined ? undefined : join(folder, name);
}

function folderOfIsolatedVm(): string | undefined {
  try {
    return dirname(resolve('isolated-vm/package.json'));
  } catch {
    return undefined;
  }
}

/** The packages that QuickJS consists of. */
function quickjsFolders(): string[] {
  const core = dirname(dirname(resolve('quickjs-emscripten-core')));
  return [core, join(dirname(core), '@jitl')];
}
