import { scrypt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Config } from '../../base/config/config.ts';
import { equalSecrets } from './secrets.ts';
import { OLDER_SESSIONS, type SessionStore } from './session-store.ts';

const Older = z.object({
  /** A slow hash of the admin password at their start. */
  under: z.object({ salt: z.string(), hash: z.string() }),
  sessions: z.array(z.object({ hash: z.string(), expiresAt: z.number() })),
});

const derive = promisify<string, string, number, Buffer>(scrypt);

/**
 * Moves the sessions of the file to the store, so that an upgrade keeps everyone signed in. A file that cannot be read, or that
 * belongs to another admin password, costs only a sign-in. Rejects with `storage_failed`; the file then stays.
 */
export async function takeOlderSessions(
  { data, adminPassword = '' }: Pick<Config, 'data' | 'adminPassword'>,
  store: Pick<SessionStore, 'add'>,
): Promise<void> {
  const path = join(data, OLDER_SESSIONS);
  const older = readOlder(path);
  if (older) {
    const { under, sessions } = older;
    const hash = (await derive(adminPassword, under.salt, 32)).toString('base64url');
    if (equalSecrets(hash, under.hash)) for (const session of sessions) await store.add(session);
  }
  rmSync(path, { force: true });
}

function readOlder(path: string): z.infer<typeof Older> | undefined {
  try {
    return Older.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
