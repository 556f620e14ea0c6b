import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportAll, importAll, NOT_TAKEN } from '../../backup/move-all.ts';
import { openWhole } from '../../backup/open-whole.ts';
import { count, type ExitCode, type Io, UsageError } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** `weft export --all`: writes all data of a server with these settings into one file. */
export async function exportEverything(out: string | undefined, io: Io): Promise<ExitCode> {
  if (out === undefined)
    throw new UsageError('Name the file to write with --out: it contains hashes of keys and sealed secrets.');
  const path = resolve(io.cwd, out);
  if (statSync(path, { throwIfNoEntry: false }))
    throw new UsageError(`${out} already exists; choose another name, or remove it.`);
  const whole = await openWhole(readSettings(io));
  try {
    await pipeline(
      Readable.from(exportAll(whole, Date.now)),
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
  } finally {
    await whole.close();
  }
  io.stderr.write(`wrote ${out}\nNot taken: ${NOT_TAKEN}.\n`);
  io.stderr.write('Secrets in it are sealed: who imports it needs the same WEFT_SECRETS_KEY.\n');
  return 0;
}

/** `weft import --all`: imports such a file into an empty data folder or database. */
export async function importEverything(file: string, io: Io): Promise<ExitCode> {
  const text = readText(resolve(io.cwd, file), file);
  const whole = await openWhole(readSettings(io));
  try {
    const { flows, versions, keys, secrets, rows } = await importAll(whole, text);
    const parts = [
      count(flows, 'flow'),
      count(versions, 'version'),
      count(keys, 'key'),
      count(secrets, 'secret'),
    ];
    io.stdout.write(`imported ${parts.join(', ')} and ${count(rows, 'row')} of state and records\n`);
  } finally {
    await whole.close();
  }
  return 0;
}

function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${shown} cannot be read: ${(error as Error).message}`);
  }
}
