import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What the system says about a process. Linux only; elsewhere figures are `NaN`. */

/** Ticks a second in `/proc`; the same on every Linux that Node runs on. */
const TICKS = 100;

/** CPU time of all threads so far, in milliseconds, in steps of ten. */
export function cpuMs(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Resident memory in MB. */
export function rssMB(pid: number): number {
  const kB = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kB === undefined ? Number.NaN : Number(kB) / 1024;
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

/** What is to be said where processes cannot have cores of their own. */
export const pinning = canPin ? undefined : 'server and client share cores';

/** The command line that keeps a program on one core, where the system can. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return canPin ? [PIN, '-c', String(core), ...command] : command;
}
