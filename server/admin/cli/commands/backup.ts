import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeBackup } from '../../backup/backup.ts';
import { restoreBackup } from '../../backup/restore.ts';
import { isInstalled } from '../../../access/http/version.ts';
import { count, type ExitCode, type Io, UsageError } from '../io.ts';
import { shownPath } from '../local/load-flow-files.ts';
import { readSettings } from '../local/project.ts';

export interface BackupCommand {
  /** Target folder; by default one named after the time. */
  readonly to: string | undefined;
  readonly withKey: boolean;
}

/** `weft backup`: copies the data folder and the flows, even while a server uses them. */
export async function backup({ to, withKey }: BackupCommand, io: Io): Promise<ExitCode> {
  const { data, flows } = readSettings(io);
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no data folder ${data}; set WEFT_DATA to the one to copy.`);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  const target = resolve(io.cwd, to ?? `weft-backup-${stamp}Z`);
  if (existsSync(target))
    throw new UsageError(`${shownPath(io.cwd, target)} already exists; choose another name, or remove it.`);
  const folders = flows.map((folder) => resolve(io.cwd, folder));
  const { files } = await makeBackup({ data, flows: folders, to: target, withKey, now: Date.now });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  io.stdout.write(
    `${shownPath(io.cwd, target)}: ${count(files.length, 'file')}, ${(bytes / 1e6).toFixed(1)} MB\n`,
  );
  if (!withKey && existsSync(join(data, 'secrets.key')))
    io.stderr.write(
      'The backup does not contain the key of the secrets: keep a copy of secrets.key elsewhere.\n',
    );
  return 0;
}

/** `weft restore`: restores a backup to a separate folder, where a server can be started. */
export async function restore(from: string, to: string, io: Io): Promise<ExitCode> {
  const folder = resolve(io.cwd, to);
  const { files, at, withKey, lacksKey } = await restoreBackup(resolve(io.cwd, from), folder);
  io.stdout.write(`${shownPath(io.cwd, folder)}: ${count(files.length, 'file')} of ${at}\n`);
  if (lacksKey ?? (!withKey && files.some(({ path }) => path === 'data/secrets.json')))
    io.stderr.write(
      'The key of the secrets was not in the backup. Before the first start put secrets.key into the data folder, or set WEFT_SECRETS_KEY: without it secrets and connections have to be entered again.\n',
    );
  const start = isInstalled
    ? `cd ${to} && npx weft-flow`
    : `WEFT_DATA=${join(folder, 'data')} WEFT_FLOWS=${join(folder, 'flows')} npm start`;
  io.stderr.write(`Start it with: ${start}\n`);
  return 0;
}
