import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { forOlder, OLDER } from '../../backup/for-older.ts';
import { exportAll, importAll, NOT_TAKEN } from '../../backup/move-all.ts';
import { openWhole } from '../../backup/open-whole.ts';
import { count, type ExitCode, type Io, printable, UsageError } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** `weft export --all`: writes all data of a server with these settings into one file. */
export async function exportEverything(
  { out, for: version }: { readonly out?: string; readonly for?: string },
  io: Io,
): Promise<ExitCode> {
  if (version !== undefined && !OLDER.some((older) => version === older))
    throw new UsageError(`--for is ${OLDER.join(' or ')}, the version that imports the file.`);
  if (out === undefined)
    throw new UsageError('Name the file to write with --out: it contains hashes of keys and sealed secrets.');
  const path = resolve(io.cwd, out);
  if (statSync(path, { throwIfNoEntry: false }))
    throw new UsageError(`${out} already exists; choose another name, or remove it.`);
  const older = version === undefined ? undefined : forOlder();
  const whole = await openWhole(readSettings(io));
  try {
    await pipeline(
      Readable.from(exportAll(whole, Date.now, older?.adapt)),
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
  } finally {
    await whole.close();
  }
  io.stderr.write(`wrote ${out}\nNot taken: ${NOT_TAKEN}.\n`);
  for (const line of lackingLines(version, older?.lacking)) io.stderr.write(`${printable(line)}\n`);
  io.stderr.write('Secrets in it are sealed: who imports it needs the same WEFT_SECRETS_KEY.\n');
  return 0;
}

function lackingLines(
  version: string | undefined,
  lacking?: ReturnType<typeof forOlder>['lacking'],
): string[] {
  if (lacking === undefined) return [];
  const { connections, services, flows } = lacking;
  const line = (names: readonly string[], says: string) =>
    names.length === 0 ? [] : [`${says}: ${names.join(', ')}.`];
  return [
    ...line(connections, `Left out: connections of kinds that ${version} does not know`),
    ...line(services, 'Left out: services'),
    ...line(flows, `Flows in a newer format, which ${version} shows and does not serve`),
  ];
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
