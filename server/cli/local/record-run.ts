import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunRecord } from '#engine';
import type { Redactor } from '../../secrets/redactor.ts';
import { type Io, UsageError } from '../io.ts';

/** Masks secrets that an answer returned, there and in all values derived from it. */
export function writeRecord(file: string, record: RunRecord | undefined, redactor: Redactor, io: Io): void {
  if (record === undefined)
    throw new UsageError(
      `--record: the run received more from outside than a record can contain; ${file} was not written.`,
    );
  try {
    // The record contains what the run received, so only its owner may read it.
    writeFileSync(resolve(io.cwd, file), `${redactor.text(JSON.stringify(record, null, 1))}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    throw new UsageError(`--record: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
