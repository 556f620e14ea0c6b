import type { z } from 'zod';
import { ApiError, call, renewCsrfBy, setCsrf } from './client.ts';
import { setServerTimezone } from './server-timezone.ts';
import { setTriggerOrigin } from './trigger-call.ts';
import type { Session as SessionSchema } from './schemas.ts';

/** The sign-in of this browser, and facts about the server that all screens need. */
export type Session = z.infer<typeof SessionSchema>;

/** The current session; throws `unauthorized` without one. */
export async function loadSession(): Promise<Session> {
  const session = await call((s) => s.Session, 'GET', '/api/v1/session');
  setCsrf(session.csrf);
  setTriggerOrigin(session.triggerOrigin);
  setServerTimezone(session.timezone ?? 'UTC');
  return session;
}

renewCsrfBy(loadSession);

/** Whether a refusal allows signing in by password; otherwise only a sign-in address from the server works. */
export function takesPassword(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.detail.some((row: Record<string, unknown>) => row['type'] === 'sign_in_by_password')
  );
}

/** Throws `ApiError`: `unauthorized` for a wrong password, `too_many_requests` after several. */
export async function signIn(password: string): Promise<Session> {
  await call((s) => s.Anything, 'POST', '/api/v1/session', { body: { password } });
  return loadSession();
}

/** An address that signs in another browser. It works once, within 15 minutes. */
export const inviteBrowser = async (): Promise<string> =>
  (await call((s) => s.Invite, 'POST', '/api/v1/session/invite')).address;

/** `everywhere`: all browsers, not only this one. */
export async function signOut(everywhere: boolean): Promise<void> {
  await call((s) => s.Anything, 'DELETE', `/api/v1/session${everywhere ? '?all=true' : ''}`);
  setCsrf(undefined);
}
