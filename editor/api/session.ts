import type { z } from 'zod';
import { ApiError, call, renewCsrfBy, setCsrf } from './client.ts';
import { setTriggerOrigin } from './trigger-call.ts';
import type { Session as SessionSchema } from './schemas.ts';

export type Session = z.infer<typeof SessionSchema>;

/** Who we are to the server; throws `unauthorized` without a session. */
export async function loadSession(): Promise<Session> {
  const session = await call((s) => s.Session, 'GET', '/api/v1/session');
  setCsrf(session.csrf);
  setTriggerOrigin(session.triggerOrigin);
  return session;
}

renewCsrfBy(loadSession);

/** Whether a refusal says that signing in by password is possible; else only an address of the server's own signs in. */
export function takesPassword(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.detail.some((row: Record<string, unknown>) => row['type'] === 'sign_in_by_password')
  );
}

export async function signIn(password: string): Promise<Session> {
  await call((s) => s.Anything, 'POST', '/api/v1/session', { body: { password } });
  return loadSession();
}

/** An address that signs in another browser: once, within 15 minutes. */
export const inviteBrowser = async (): Promise<string> =>
  (await call((s) => s.Invite, 'POST', '/api/v1/session/invite')).address;

export async function signOut(): Promise<void> {
  await call((s) => s.Anything, 'DELETE', '/api/v1/session');
  setCsrf(undefined);
}
