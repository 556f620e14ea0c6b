import { createHash, scryptSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { helloFlow } from '../../flows/service/testing/flow-fixture.ts';
import { signIn, startBed } from '../../testing/platform-bed.ts';

const path = '/api/v1/session';

test('the printed address signs in once, and the token leaves the address', async () => {
  const { url, token } = await startBed();
  const first = await fetch(`${url}/?token=${token}`, { redirect: 'manual' });
  expect(first.status).toBe(303);
  expect(first.headers.get('location')).toBe('/');
  expect(first.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/);
  const second = await fetch(`${url}/?token=${token}`, { redirect: 'manual' });
  expect(second.status).toBe(401);
  expect(second.headers.get('set-cookie')).toBeNull();
  expect(await second.text()).toContain('already used, or has expired');
});

test('a preview that only asks for the headers does not use the token up', async () => {
  const bed = await startBed();
  const preview = await fetch(`${bed.url}/?token=${bed.token}`, { method: 'HEAD', redirect: 'manual' });
  expect(preview.headers.get('set-cookie')).toBeNull();
  expect((await signIn(bed)).cookie).toMatch(/^weft_session_/);
});

test.each([
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { purpose: 'prefetch' },
  { 'x-moz': 'prefetch' },
])('a browser that only looks ahead (%j) does not use the token up', async (headers) => {
  const bed = await startBed();
  const ahead = await fetch(`${bed.url}/?token=${bed.token}`, { headers, redirect: 'manual' });
  expect([ahead.status, ahead.headers.get('set-cookie')]).toEqual([503, null]);
  expect(ahead.headers.get('cache-control')).toBe('no-store');
  expect((await signIn(bed)).cookie).toMatch(/^weft_session_/);
});

test('a used address leads a signed-in browser to the editor', async () => {
  const bed = await startBed();
  const { cookie } = await signIn(bed);
  const again = await fetch(`${bed.url}/?token=${bed.token}`, { redirect: 'manual', headers: { cookie } });
  expect([again.status, again.headers.get('location')]).toEqual([303, '/']);
});

test('a session learns its CSRF token and what it may do', async () => {
  const bed = await startBed({ deploy: 'manual' });
  const { cookie } = await signIn(bed);
  const answer = await fetch(bed.url + path, { headers: { cookie } });
  expect(await answer.json()).toMatchObject({
    success: true,
    data: {
      csrf: expect.any(String),
      scopes: expect.arrayContaining(['admin', 'flows:publish']),
      deploy: 'manual',
    },
  });
});

test('a browser without a session learns whether it can sign in by password', async () => {
  const detailOf = async (settings: { adminPassword?: string }): Promise<unknown> => {
    const { url } = await startBed(settings);
    return ((await (await fetch(url + path)).json()) as { detail?: unknown }).detail;
  };
  expect(await detailOf({ adminPassword: 'correct horse' })).toMatchObject([{ type: 'sign_in_by_password' }]);
  expect(await detailOf({})).toBeUndefined();
});

const statusOf = async (url: string, headers: HeadersInit): Promise<number> =>
  (await fetch(url + path, { headers })).status;

test('a restart keeps sessions, in a form that allows no sign-in, until one ends or the password changes', async () => {
  const bed = await startBed();
  const { config } = bed.ctx;
  const headers = await signIn(bed);
  const gone = await signIn({ ...bed, token: bed.ctx.access.issueStartToken() });
  await fetch(bed.url + path, { method: 'DELETE', headers: gone });
  await bed.stop();
  const rows = readFileSync(join(config.data, 'weft.db'), 'latin1');
  for (const secret of [headers.cookie.split('=')[1] as string, headers['x-weft-csrf']])
    expect(rows).not.toContain(secret);
  const again = await startBed(config);
  expect([await statusOf(again.url, headers), await statusOf(again.url, gone)]).toEqual([200, 401]);
  // The CSRF token stays the same, so that an open page keeps working.
  expect((await fetch(again.url + path, { method: 'DELETE', headers })).status).toBe(200);
  expect(await statusOf(again.url, headers)).toBe(401);
  const other = await signIn(again);
  await again.stop();
  const locked = await startBed({ ...config, adminPassword: 'correct horse' });
  expect(await statusOf(locked.url, other)).toBe(401);
});

/** `sessions.json` as 0.2.0 wrote it. */
function olderSessions(password: string, token: string): string {
  const hash = createHash('sha256').update(token).digest('hex');
  const under = { salt: 'c2FsdA', hash: scryptSync(password, 'c2FsdA', 32).toString('base64url') };
  return JSON.stringify({ under, sessions: [{ hash, expiresAt: Date.now() + 60_000 }] });
}

test.each([
  ['that signed in under this password are taken over once', 'correct horse', 200],
  ['that signed in under another password are not', 'battery staple', 401],
])('sessions of 0.2.0 %s', async (_, password, status) => {
  const first = await startBed({ adminPassword: 'correct horse' });
  await first.stop();
  const file = join(first.ctx.config.data, 'sessions.json');
  writeFileSync(file, olderSessions(password, 'older-token'));
  const bed = await startBed(first.ctx.config);
  const cookie = `weft_session_0=older-token`;
  expect(await statusOf(bed.url, { cookie })).toBe(status);
  expect(existsSync(file)).toBe(false);
  await bed.stop();
  const again = await startBed(first.ctx.config);
  expect(await statusOf(again.url, { cookie })).toBe(status);
});

test('damaged sessions of 0.2.0 cost a sign-in and nothing else', async () => {
  const first = await startBed();
  await first.stop();
  const file = join(first.ctx.config.data, 'sessions.json');
  writeFileSync(file, '{"under');
  const bed = await startBed(first.ctx.config);
  expect(await statusOf(bed.url, await signIn(bed))).toBe(200);
  expect(existsSync(file)).toBe(false);
});

/** A server without requests since its restart, and a session from before. */
async function restarted() {
  const first = await startBed();
  const { config } = first.ctx;
  const headers = await signIn(first);
  await first.stop();
  writeFileSync(join(config.flows[0] as string, 'hello.json'), helloFlow('hello'));
  return { ...(await startBed(config)), headers };
}

test('a draft’s test address knows a session without requests since the restart', async () => {
  const { url, headers } = await restarted();
  const answer = await fetch(`${url}/api/v1/flows/hello/test/hello`, { headers });
  expect([answer.status, await answer.json()]).toEqual([200, 'Hello']);
  expect((await fetch(`${url}/api/v1/flows/hello/test/hello`)).status).toBe(401);
});

test('so does an open route that shows more to some callers', async () => {
  const { url, headers } = await restarted();
  const document = async (who: HeadersInit) => (await fetch(`${url}/openapi.json`, { headers: who })).text();
  expect(await document(headers)).toContain('/api/v1/awel/trigger/hello');
  expect(await document({})).not.toContain('/api/v1/awel/trigger/hello');
});

test('one browser can sign out all, which the audit records', async () => {
  const bed = await startBed();
  const all = [await signIn(bed), await signIn({ ...bed, token: bed.ctx.access.issueStartToken() })];
  const out = await fetch(`${bed.url}${path}?all=true`, { method: 'DELETE', headers: all[0] as HeadersInit });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
  for (const headers of all) expect(await statusOf(bed.url, headers)).toBe(401);
  const { entries } = await bed.ctx.auditLog.list({ limit: 1 });
  expect(entries).toMatchObject([{ what: 'all browsers signed out', actor: { kind: 'owner' } }]);
});

test('a signed-in user can let in another browser, at the address by which this one came', async () => {
  const bed = await startBed();
  const headers = await signIn(bed);
  const invite = (sent: HeadersInit): Promise<Response> =>
    fetch(`${bed.url}${path}/invite`, { method: 'POST', headers: sent });
  expect(await (await invite({})).json()).toMatchObject({ err_code: 'unauthorized' });
  const byKey = await invite({ authorization: `Bearer ${bed.firstKey}` });
  expect(await byKey.json()).toMatchObject({ err_code: 'forbidden' });
  expect(await (await invite({ cookie: headers.cookie })).json()).toMatchObject({ err_code: 'csrf_missing' });

  const answer = await invite({ ...headers, origin: bed.url });
  const { data } = (await answer.json()) as { data: { address: string } };
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(data.address).toMatch(new RegExp(`^${bed.url}/\\?token=.{20,}$`));
  const open = (): Promise<Response> => fetch(data.address, { redirect: 'manual' });
  const [first, second] = [await open(), await open()];
  expect([first.status, second.status]).toEqual([303, 401]);
  const cookie = first.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  expect(cookie).not.toBe(headers.cookie);
  for (const one of [cookie, headers.cookie])
    expect((await fetch(bed.url + path, { headers: { cookie: one } })).status).toBe(200);

  const behind = await startBed({ publicUrl: 'https://weft.example/', adminPassword: 'correct horse' });
  const made = await fetch(`${behind.url}${path}/invite`, { method: 'POST', headers: await signIn(behind) });
  expect(await made.json()).toMatchObject({
    data: { address: expect.stringMatching(/^https:\/\/weft\.example\/\?token=/) },
  });
});

test('signing out needs the CSRF token and ends the session', async () => {
  const bed = await startBed();
  const headers = await signIn(bed);
  const forged = await fetch(bed.url + path, { method: 'DELETE', headers: { cookie: headers.cookie } });
  expect(await forged.json()).toMatchObject({ err_code: 'csrf_missing' });
  const out = await fetch(bed.url + path, { method: 'DELETE', headers });
  expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
  expect((await fetch(bed.url + path, { headers })).status).toBe(401);
});

test('the password signs in, five attempts a minute at most', async () => {
  const { url } = await startBed({ adminPassword: 'correct horse' });
  const attempt = (password: string): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      body: JSON.stringify({ password }),
      headers: { 'content-type': 'application/json' },
    });
  const right = await attempt('correct horse');
  expect([right.status, right.headers.get('set-cookie')]).toEqual([
    200,
    expect.stringMatching(/^weft_session_/),
  ]);
  for (let i = 0; i < 5; i++) expect((await attempt('guess')).status).toBe(401);
  const late = await attempt('correct horse');
  expect(late.status).toBe(429);
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a sign-in that is none repeats nothing of what was sent', async () => {
  const { url } = await startBed({ adminPassword: 'correct horse' });
  const body = JSON.stringify({ password: ['correct horse'] });
  const answer = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).not.toContain('horse');
});

test('a request through a proxy that is not configured is refused', async () => {
  const { url, token } = await startBed();
  const answer = await fetch(`${url}/?token=${token}`, {
    headers: { 'x-forwarded-for': '203.0.113.7' },
    redirect: 'manual',
  });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('WEFT_TRUST_PROXY');
});
