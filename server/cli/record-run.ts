import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Host, type Plan, type Run, type RunRecord, type StartOptions, startRecorded } from '#engine';
import type { Redactor } from '../secrets/redactor.ts';
import { type Io, UsageError } from './io.ts';

/** What a command needs of a run, recorded or not. */
export type StartedRun = Pick<Run, 'id' | 'cancel' | 'onAnswer' | 'onEnd'>;

/** Starts a run that is recorded, to be used like any other. */
export function recordedRun(
  plan: Plan,
  options: StartOptions,
  host: Host,
): StartedRun & { record(): RunRecord } {
  const { run, ...recorded } = startRecorded(plan, options, host);
  return { ...recorded, id: run.id, onEnd: (fn) => run.onEnd(fn) };
}

/** Secrets that came back in an answer are masked, in it and so in all that was made of it. */
export function writeRecord(file: string, record: RunRecord, redactor: Redactor, io: Io): void {
  try {
    // It holds what the run saw, so it is nobody else's to read.
    writeFileSync(resolve(io.cwd, file), `${redactor.text(JSON.stringify(record, null, 1))}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    throw new UsageError(`--record: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
