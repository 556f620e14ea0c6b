import { type ChildProcess, spawn } from 'node:child_process';
import { root } from './server.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves once its output, errors included, matches `wanted`; rejects if it ends before. */
  prints(wanted: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  /** Sends Ctrl-C to it and all processes that it started. */
  interrupt(): Promise<Ended>;
}

export interface ProgramSetup {
  readonly cwd?: string;
  /** Added to the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Gives it its own process group, as a terminal would, for `interrupt`. */
  readonly group?: boolean;
  /**
   * Milliseconds until it is killed, ten minutes unless given: a failing test must leave nothing behind, and a server that a whole
   * file of tests talks to must outlive them beside a load.
   */
  readonly timeout?: number;
}

/** Starts a program whose output is collected. */
export function startProgram(command: string, args: readonly string[], setup: ProgramSetup = {}): Program {
  const isGroup = setup.group === true;
  const child = spawn(command, args, {
    cwd: setup.cwd ?? root,
    env: { ...process.env, ...setup.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: isGroup,
  });
  const { printed, onPrint } = collectOutput(child);
  const signal = (name: NodeJS.Signals): void => {
    if (isGroup) signalGroup(child, name);
    else child.kill(name);
  };
  const overtime = setTimeout(() => signal('SIGKILL'), setup.timeout ?? 600_000);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => {
      clearTimeout(overtime);
      resolve({ code, signal: by, ...printed });
    });
  });
  return {
    child,
    get stdout() {
      return printed.stdout;
    },
    get stderr() {
      return printed.stderr;
    },
    ended,
    interrupt() {
      signal('SIGINT');
      return ended;
    },
    prints: (wanted) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = wanted.exec(printed.stdout + printed.stderr);
          if (found) resolve(found);
        };
        onPrint(check);
        const failed = ({ code }: Ended): void =>
          reject(
            new Error(`It ended with code ${code}:\n${`${printed.stdout}${printed.stderr}`.slice(-2000)}`),
          );
        ended.then(failed, reject);
        check();
      }),
  };
}

function collectOutput(child: ChildProcess) {
  const printed = { stdout: '', stderr: '' };
  const checks: (() => void)[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const check of checks) check();
    });
  }
  return { printed, onPrint: (check: () => void) => void checks.push(check) };
}

/** Signals all processes that it started, even after it has ended. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // No process is left.
  }
}

export function runProgram(command: string, args: readonly string[], setup?: ProgramSetup): Promise<Ended> {
  return startProgram(command, args, setup).ended;
}
