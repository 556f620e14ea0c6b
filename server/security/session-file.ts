import { randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { writeOwnFileSync } from '../files/atomic-file.ts';
import { equalSecrets } from './secrets.ts';
import type { SessionShelf } from './sessions.ts';

/** Storage for sessions across restarts; belongs to this data folder alone, so that no backup carries it elsewhere. */
export const SESSIONS_FILE = 'sessions.json';

const Kept = z.object({
  /** A slow hash of the admin password at their start: changing the password signs everybody out. */
  under: z.object({ salt: z.string(), hash: z.string() }),
  sessions: z.array(z.object({ hash: z.string(), expiresAt: z.number() })),
});

/** Sessions in the data folder. A file that cannot be read or written costs only a sign-in. */
export function sessionFile(
  { data, adminPassword = '' }: Pick<Config, 'data' | 'adminPassword'>,
  warn: (error: unknown, message: string) => void,
): SessionShelf {
  const path = join(data, SESSIONS_FILE);
  let under: z.infer<typeof Kept>['under'] | undefined;
  const hashOf = (salt: string): string => scryptSync(adminPassword, salt, 32).toString('base64url');

  function madeUnder(): z.infer<typeof Kept>['under'] {
    const salt = randomBytes(16).toString('base64url');
    return { salt, hash: hashOf(salt) };
  }

  return {
    read() {
      const kept = readKept(path);
      if (kept === undefined || !equalSecrets(hashOf(kept.under.salt), kept.under.hash)) return [];
      ({ under } = kept);
      return kept.sessions;
    },
    write(sessions) {
      under ??= madeUnder();
      try {
        writeOwnFileSync(path, `${JSON.stringify({ under, sessions })}\n`);
      } catch (error) {
        warn(error, 'The sessions could not be stored; the next start signs everybody out.');
      }
    },
  };
}

function readKept(path: string): z.infer<typeof Kept> | undefined {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
