import { z } from 'zod';
import { call, setCsrf } from './client.ts';

const Session = z.object({
  csrf: z.string().optional(),
  scopes: z.array(z.string()),
  deploy: z.enum(['on-save', 'manual']),
  version: z.string(),
});
export type Session = z.infer<typeof Session>;

/** Who we are to the server; throws `unauthorized` without a session. */
export async function loadSession(): Promise<Session> {
  const session = await call(Session, 'GET', '/api/v1/session');
  setCsrf(session.csrf);
  return session;
}

export async function signIn(password: string): Promise<Session> {
  await call(z.unknown(), 'POST', '/api/v1/session', { password });
  return loadSession();
}

export async function signOut(): Promise<void> {
  await call(z.unknown(), 'DELETE', '/api/v1/session');
  setCsrf(undefined);
}
