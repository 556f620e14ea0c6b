import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ServiceError } from '../../base/errors/errors.ts';

/** The content of a backup: `backup.json` in its folder, written last. */
export const Manifest = z.object({
  format: z.literal('weft.backup/1'),
  /** ISO 8601. */
  at: z.iso.datetime(),
  /** Version of Weft that made it. */
  weft: z.string(),
  /** Whether the secrets key and the first API key are included. */
  withKey: z.boolean(),
  /** Whether there was a secrets key that is not included; unknown for backups of older versions. */
  lacksKey: z.boolean().optional(),
  /**
   * Path below the backup, with `/`; the first part is its place: `data`, `flows`, or `flows-2` and so on
   * for further folders.
   */
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

export const MANIFEST_NAME = 'backup.json';

/** Throws `invalid_request` for a folder that is not a complete backup. */
export function readManifest(backup: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(backup, MANIFEST_NAME), 'utf8')));
  } catch {
    throw new ServiceError(
      'invalid_request',
      `${backup} is not a backup: its ${MANIFEST_NAME} is missing or damaged. Name the folder that \`weft backup\` wrote.`,
    );
  }
}

/** SHA-256 in hexadecimal digits. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
