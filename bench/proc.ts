import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What the system says about a process. Linux only; elsewhere figures are `NaN`. */

/** CPU time of all existing threads, in milliseconds. */
export function cpuMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  let ns = 0;
  for (const thread of list(folder)) ns += Number(read(`${folder}/${thread}/schedstat`).split(' ', 1)[0]);
  return ns > 0 ? ns / 1e6 : Number.NaN;
}

/** Resident memory in MB. */
export function rssMB(pid: number): number {
  const kB = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kB === undefined ? Number.NaN : Number(kB) / 1024;
}

/** Reads the processes that a process's parent has, from before that process ends. */
export function siblings(pid: number): () => number[] {
  const parent = parentOf(pid);
  return () =>
    list('/proc')
      .map(Number)
      .filter((one) => one > 0 && parentOf(one) === parent);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const PIN = 'taskset';
const canPin = cpus().length > 1 && spawnSync(PIN, ['-c', '0', 'true']).status === 0;

/** A note if processes cannot have their own cores. */
export const pinning = canPin ? undefined : 'server and client share cores';

/** The command line that pins a program to one core, if the system supports it. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return canPin ? [PIN, '-c', String(core), ...command] : command;
}
