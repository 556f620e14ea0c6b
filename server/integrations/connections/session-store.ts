import { type Asker, WeftError } from '#engine';
import type { ConnectionKindName } from '#shared/connection.ts';
import { startDeadline } from '../../base/outbound/deadline.ts';
import { untilHeld } from '../../base/outbound/while-held.ts';
import type { FileStore } from '../../storage/file-store/store.ts';
import type { Session, Take } from './kind.ts';
import { checkUse, kindFor, type Turn } from './kinds.ts';
import type { Lent, Pool } from './pool.ts';

/** How long a use of files waits for its turn and for a session, in milliseconds. */
const WAIT_MS = 60_000;

interface Deps {
  readonly poolFor: () => Promise<Pool<Session>>;
  readonly turn: Turn;
}

/** The files behind a connection that has sessions. Throws `connection_missing` for a kind without files. */
export async function sessionStore(
  deps: Deps,
  name: string,
  { by, kind }: { readonly by: Asker; readonly kind: ConnectionKindName },
): Promise<FileStore> {
  checkUse('files', name, kind);
  const { files } = await kindFor('actions', name, kind);
  if (files === undefined) throw new Error(`The kind ${kind} is said to have files.`);
  return files(takeFor(deps, name, by));
}

/** Lends sessions as `lending` does, for uses whose length nobody knows. */
function takeFor({ poolFor, turn }: Deps, name: string, by: Asker): Take<Session> {
  return async (signal, isMore) => {
    const late = () =>
      new WeftError('connection_failed', `No session of ${name} could be had within ${WAIT_MS} ms.`);
    const deadline = startDeadline(WAIT_MS, signal, late);
    try {
      if (!isMore) await turn(name, by, WAIT_MS, deadline.signal);
      await untilHeld(by, deadline);
      const lent = await livingOne(await poolFor(), by, deadline.signal);
      try {
        await untilHeld(by, deadline);
      } catch (error) {
        lent.giveBack();
        throw error;
      }
      return lent;
    } finally {
      deadline.end();
    }
  };
}

/** One that answers: the end of an idle session shows only when something is sent. */
async function livingOne(pool: Pool<Session>, by: Asker, signal: AbortSignal): Promise<Lent<Session>> {
  for (;;) {
    const lent = await pool.take(by, signal);
    if (!lent.wasIdle) return lent;
    try {
      await lent.session.about(signal);
      return lent;
    } catch (error) {
      lent.session.close();
      lent.giveBack();
      if (!(error instanceof WeftError) || error.code !== 'connection_failed') throw error;
    }
  }
}
