import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { ServiceError } from '../../base/errors/errors.ts';
import { keepOlderVersionsOut } from '../../base/files/lock.ts';
import { storageError } from '../../base/files/atomic-file.ts';
import { hashOfFile, type Manifest, readManifest } from './manifest.ts';

/**
 * Restores a backup's `data` and `flows` into `to`, which must be empty or missing. Throws `conflict` if it is not,
 * `invalid_request` for an altered backup, and `storage_failed`; `to` is then as before.
 */
export async function restoreBackup(backup: string, to: string): Promise<Manifest> {
  const manifest = readManifest(backup);
  if (isFilled(to))
    throw new ServiceError(
      'conflict',
      `${to} is not empty; name an empty folder or one that does not exist.`,
    );
  for (const file of manifest.files) await checkFile(backup, file);
  const partial = `${to}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    for (const name of ['data', 'flows']) mkdirSync(join(partial, name), { recursive: true });
    chmodSync(join(partial, 'data'), 0o700);
    for (const { path } of manifest.files) {
      mkdirSync(dirname(join(partial, path)), { recursive: true });
      await copyFile(join(backup, path), join(partial, path));
    }
    keepOlderVersionsOut(join(partial, 'data'));
    rmSync(to, { recursive: true, force: true });
    renameSync(partial, to);
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw storageError(error, to);
  }
}

function isFilled(folder: string): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (!stats.isDirectory() || readdirSync(folder).length > 0);
}

async function checkFile(backup: string, { path, sha256 }: Manifest['files'][number]): Promise<void> {
  const isInside = !normalize(path).startsWith('..') && /^(?:data|flows(?:-\d+)?)\//.test(path);
  const hash = isInside ? await hashOfFile(join(backup, path)).catch(() => undefined) : undefined;
  if (hash === sha256) return;
  throw new ServiceError(
    'invalid_request',
    `${path} of the backup ${backup} is missing or has been changed; use another backup.`,
  );
}
