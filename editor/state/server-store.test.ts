import { expect, test } from 'vitest';
import { ApiError } from '../api/client.ts';
import type { Session } from '../api/session.ts';
import { createServerStore } from './server-store.ts';

const session: Session = { scopes: [], deploy: 'on-save', version: '1' };
const offline = new ApiError('offline', 'away', 0);
const stranger = new ApiError('unauthorized', 'who?', 401);
const byPassword = new ApiError('unauthorized', 'who?', 401, [{ type: 'sign_in_by_password' }]);

test('it goes from loading to what the server answers, and on', async () => {
  const answers: (Session | Error)[] = [offline, byPassword, session, stranger];
  const store = createServerStore(async () => {
    const next = answers.shift();
    if (next instanceof Error || next === undefined) throw next;
    return next;
  });
  const seen = [store.getState().status];
  for (let i = 0; i < 4; i++) {
    await store.getState().check();
    seen.push(store.getState().status);
  }
  expect(seen).toEqual(['loading', 'offline', 'signed-out', 'ok', 'signed-out']);
  expect(store.getState().session).toEqual(session);
});

test('only what concerns the connection is taken from failed calls', () => {
  const { getState } = createServerStore(async () => session);
  getState().signedIn(session);
  expect(getState().report(new ApiError('flow_invalid', 'no', 422))).toBe(false);
  expect(getState().status).toBe('ok');
  expect(getState().report(byPassword)).toBe(true);
  expect(getState()).toMatchObject({ status: 'signed-out', takesPassword: true });
  expect(getState().report(stranger)).toBe(true);
  expect(getState().takesPassword).toBe(false);
});
