import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunRecord } from '#engine';
import type { Redactor } from '../../secrets/redactor.ts';
import { type Io, UsageError } from '../io.ts';

/** Secrets that came back in an answer are masked, in it and so in all that was made of it. */
export function writeRecord(file: string, record: RunRecord | undefined, redactor: Redactor, io: Io): void {
  if (record === undefined)
    throw new UsageError(
      `--record: the run got more from outside than a record may hold; ${file} was not written.`,
    );
  try {
    // It holds what the run saw, so it is nobody else's to read.
    writeFileSync(resolve(io.cwd, file), `${redactor.text(JSON.stringify(record, null, 1))}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    throw new UsageError(`--record: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
