import { expect, test } from 'vitest';
import type { HttpRequest } from '#engine';
import { onBothDatabases } from '../../../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../../../storage/database/weft-tables.ts';
import { asker as by, connectionBed, never } from '../../testing/connection-bed.ts';
import {
  type AuthorizationServer,
  CLIENT,
  json,
  startAuthorizationServer,
} from './testing/authorization-server.ts';

const REDIRECT = 'https://weft.example/oauth/callback';

const request: HttpRequest = {
  method: 'GET',
  url: '/items',
  connection: 'sheets',
  headers: {},
  body: undefined,
  redirects: 5,
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
};

onBothDatabases(weftMigrations, (make) => {
  async function world(lifetime = 600) {
    const server = await startAuthorizationServer({ redirects: [REDIRECT], lifetime });
    const { sql, again } = await make();
    const clock = { ahead: 0 };
    const now = (): number => Date.now() + clock.ahead;
    const bed = connectionBed({ sql, now });
    const settings = {
      provider: 'other',
      issuer: server.origin,
      clientId: CLIENT.id,
      secret: CLIENT.secret,
      address: `${server.origin}/api`,
      scopes: ['openid', 'email', 'offline_access', 'sheets:read'],
    };
    const grants = { flows: ['f'] };
    await bed.connections.put('sheets', { kind: 'oauth2', settings, grants });
    const send = async (changes: Partial<HttpRequest> = {}, { connections } = bed) => {
      const answer = await connections.send({ ...request, ...changes }, by, never);
      let text = '';
      for await (const piece of answer.body) text += Buffer.from(piece).toString();
      return { status: answer.status, text };
    };
    /** Another server on the same database. */
    const other = async () => {
      const next = connectionBed({ sql: await again(), now, data: bed.data() });
      return { ...next, send: (changes: Partial<HttpRequest> = {}) => send(changes, next) };
    };
    return { server, bed, clock, settings, grants, send, other, sql };
  }

  async function connect({
    bed,
    server,
  }: {
    bed: ReturnType<typeof connectionBed>;
    server: AuthorizationServer;
  }) {
    const { signIns } = bed.connections;
    const started = await signIns.start('sheets', REDIRECT);
    if (started.by !== 'browser') throw new Error('It is for a browser.');
    const back = await server.consent(await signIns.consent(started.state));
    const answer = new URL(back).searchParams;
    return { started, answer, ended: await signIns.finish(answer, (id) => id === started.id) };
  }

  test('somebody signs in, and requests carry the token', async () => {
    const all = await world();
    await expect(all.send()).rejects.toMatchObject({ code: 'oauth_not_connected' });
    const { ended, started } = await connect(all);
    expect(ended).toEqual({
      connection: 'sheets',
      outcome: { state: 'connected', account: 'ada@example.com' },
    });
    const { connections } = all.bed;
    expect(await connections.signIns.progress('sheets', started.id)).toEqual(ended.outcome);
    expect((await connections.signIns.accounts()).get('sheets')).toMatchObject({
      state: 'connected',
      name: 'ada@example.com',
      may: ['sheets:read'],
      lacking: [],
    });
    expect(await all.send()).toEqual({ status: 200, text: '{"path":"/api/items"}' });
    expect(all.server.came).toEqual([expect.stringMatching(/^.{20,}$/)]);
    expect(all.server.asked).toEqual(['authorization_code']);
    expect(await connections.test('sheets')).toMatchObject({
      ok: true,
      about: expect.stringMatching(/, as ada@example\.com$/),
    });
  });

  test('a token that ends soon is refreshed before it is used, and the rotated one is kept', async () => {
    const all = await world();
    await connect(all);
    await all.send();
    for (const _ of [1, 2, 3]) {
      all.clock.ahead += 590_000;
      expect(await all.send()).toMatchObject({ status: 200 });
    }
    expect(all.server.asked).toEqual(['authorization_code', ...Array<string>(3).fill('refresh_token')]);
    expect(new Set(all.server.came).size).toBe(4);
  });

  test('many runs of several servers refresh once', async () => {
    const all = await world();
    await connect(all);
    const servers = [all, ...(await Promise.all([all.other(), all.other(), all.other()]))];
    all.clock.ahead = 700_000;
    const sends = Array.from({ length: 50 }, (_, at) => servers[at % 4] ?? all).map(({ send }) => send());
    const answers = await Promise.all(sends);
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    expect(all.server.asked).toEqual(['authorization_code', 'refresh_token']);
    expect(new Set(all.server.came).size).toBe(1);
  });

  test('a token that is refused in the middle is refreshed once, and the request sent once more', async () => {
    const all = await world();
    await connect(all);
    await all.send();
    await all.server.revokeAccess(all.server.came[0] as string);
    const answers = await Promise.all(Array.from({ length: 10 }, () => all.send()));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    expect(all.server.asked).toEqual(['authorization_code', 'refresh_token']);
  });

  test.each([
    ['POST', 'Bearer realm="x"', 1],
    ['POST', 'Bearer error="invalid_token"', 2],
    ['PATCH', undefined, 1],
    ['PUT', undefined, 2],
    ['DELETE', undefined, 2],
  ])('%s is sent again after 401 (%s) only if it may be', async (method, challenge, times) => {
    const all = await world();
    await connect(all);
    let count = 0;
    all.server.api = (_, response) => {
      count++;
      if (challenge !== undefined) response.setHeader('www-authenticate', challenge);
      response.writeHead(401).end();
    };
    expect(await all.send({ method })).toMatchObject({ status: 401 });
    expect([count, all.server.asked.length]).toEqual([times, 2]);
  });

  test('a service that refuses fresh tokens too makes no refresh for each request', async () => {
    const all = await world();
    await connect(all);
    all.server.api = (_, response) => void response.writeHead(401).end();
    for (const _ of [1, 2, 3, 4]) expect(await all.send()).toMatchObject({ status: 401 });
    expect(all.server.asked).toEqual(['authorization_code', 'refresh_token']);
    all.clock.ahead += 61_000;
    await all.send();
    expect(all.server.asked.length).toBe(3);
  });

  test('a refresh token that is no longer accepted is reported as such, and is not sent again', async () => {
    const all = await world();
    await connect(all);
    all.server.instead = (_, response) => json(response, 400, { error: 'invalid_grant' });
    all.clock.ahead = 700_000;
    for (const _ of [1, 2, 3])
      await expect(all.send()).rejects.toMatchObject({
        code: 'oauth_reconnect',
        message: expect.stringMatching(/^Reconnect the connection sheets|no longer accepts/),
      });
    expect(all.server.asked.length).toBe(2);
    expect((await all.bed.connections.signIns.accounts()).get('sheets')).toMatchObject({
      state: 'lost',
      problem: expect.stringContaining('no longer accepts'),
    });
    all.server.instead = undefined;
    await connect(all);
    expect(await all.send()).toMatchObject({ status: 200 });
  });

  test('a provider that fails for a while loses no token', async () => {
    const all = await world();
    await connect(all);
    all.clock.ahead = 700_000;
    for (const [status, type, body] of [
      [500, 'application/json', '{"error":"server_error"}'],
      [503, 'text/html', '<html>Busy</html>'],
      [200, 'text/html', '<html>Sign in</html>'],
      [200, 'application/json', '{"hello":1}'],
      [200, 'application/json', 'no json'],
      [302, 'text/plain', ''],
    ] as const) {
      all.server.instead = (_, response) =>
        response
          .writeHead(status, { 'content-type': type, location: `${all.server.origin}/token` })
          .end(body);
      await expect(all.send(), `${status} ${type} ${body}`).rejects.toMatchObject({
        code: 'connection_failed',
        message: expect.stringContaining(new URL(all.server.origin).host),
      });
    }
    all.server.instead = undefined;
    expect(await all.send()).toMatchObject({ status: 200 });
  });

  test('a provider that hangs is given up in time', async () => {
    const all = await world();
    await connect(all);
    await all.bed.connections.put('sheets', {
      kind: 'oauth2',
      settings: { ...all.settings, timeoutMs: 200 },
    });
    all.clock.ahead = 700_000;
    all.server.instead = () => {};
    await expect(all.send()).rejects.toMatchObject({ code: 'connection_failed', transient: true });
    all.server.instead = undefined;
    expect(await all.send()).toMatchObject({ status: 200 });
  });

  test('scopes that are wanted and were not granted are named, and so are those that a request needs', async () => {
    const all = await world();
    await connect(all);
    const scopes = [...all.settings.scopes, 'sheets:write'];
    await all.bed.connections.put('sheets', { kind: 'oauth2', settings: { ...all.settings, scopes } });
    expect((await all.bed.connections.signIns.accounts()).get('sheets')).toMatchObject({
      state: 'connected',
      lacking: ['sheets:write'],
    });
    all.server.api = (_, response) => {
      response.setHeader('www-authenticate', 'Bearer error="insufficient_scope", scope="sheets:write"');
      json(response, 403, {});
    };
    await expect(all.send()).rejects.toMatchObject({
      code: 'oauth_scope_missing',
      message: expect.stringContaining('sheets:write'),
      data: { connection: 'sheets', scopes: ['sheets:write'] },
    });
  });

  test('tokens are used only with the settings that they were given for', async () => {
    const all = await world();
    await connect(all);
    const elsewhere = { ...all.settings, address: 'http://127.0.0.1:1/api' };
    await all.bed.connections.put('sheets', { kind: 'oauth2', settings: elsewhere });
    await expect(all.send()).rejects.toMatchObject({ code: 'oauth_reconnect' });
    expect((await all.bed.connections.signIns.accounts()).get('sheets')?.state).toBe('lost');
  });

  test('a connection that is deleted is revoked at the provider', async () => {
    const all = await world();
    await connect(all);
    await all.send();
    expect(await all.bed.connections.remove('sheets')).toBeUndefined();
    expect(await all.sql.all('SELECT * FROM oauth_token')).toEqual([]);
    const [token = ''] = all.server.came;
    const answer = await fetch(`${all.server.origin}/api`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
  });

  test('a client signs in by itself, once for all, and a new token when it ends', async () => {
    const all = await world();
    const settings = { ...all.settings, grant: 'client', scopes: [] };
    await all.bed.connections.put('sheets', { kind: 'oauth2', settings, grants: all.grants });
    const other = await all.other();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? all : other).send()));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    all.clock.ahead = 700_000;
    expect(await all.send()).toMatchObject({ status: 200 });
    expect(all.server.asked).toEqual(['client_credentials', 'client_credentials']);
    await expect(all.bed.connections.signIns.start('sheets', REDIRECT)).rejects.toMatchObject({
      code: 'oauth_failed',
    });
  });

  test('a device signs in by a code that is typed elsewhere', async () => {
    const all = await world();
    const settings = { ...all.settings, grant: 'device' };
    await all.bed.connections.put('sheets', { kind: 'oauth2', settings, grants: all.grants });
    const { signIns } = all.bed.connections;
    const started = await signIns.start('sheets', REDIRECT);
    expect(started).toMatchObject({ by: 'device', code: expect.stringMatching(/^[\w-]{8,}$/) });
    expect(await signIns.progress('sheets', started.id)).toEqual({ state: 'waiting' });
    // Asked again at once, the provider is not.
    await signIns.progress('sheets', started.id);
    expect(all.server.asked).toEqual(['urn:ietf:params:oauth:grant-type:device_code']);
    // Told to be slower, it waits five seconds more.
    all.server.instead = (_, response) => json(response, 400, { error: 'slow_down' });
    for (const seconds of [6, 6]) {
      all.clock.ahead += seconds * 1000;
      expect(await signIns.progress('sheets', started.id)).toEqual({ state: 'waiting' });
    }
    expect(all.server.asked.length).toBe(2);
    all.clock.ahead += 6000;
    all.server.instead = (_, response) => json(response, 400, { error: 'access_denied' });
    const refused = { state: 'failed', code: 'oauth_failed', message: expect.stringContaining('refused') };
    expect(await signIns.progress('sheets', started.id)).toMatchObject(refused);
    expect(await signIns.progress('sheets', started.id)).toMatchObject(refused);
    const again = await signIns.start('sheets', REDIRECT);
    all.server.instead = (_, response) =>
      json(response, 200, { access_token: 'of-a-device', token_type: 'bearer', expires_in: 60 });
    expect(await signIns.progress('sheets', again.id)).toMatchObject({ state: 'connected' });
    // The API and the provider refuse this one, and there is no other.
    await expect(all.send()).rejects.toMatchObject({ code: 'oauth_reconnect' });
    expect(all.server.came).toContain('of-a-device');
  });

  test('a provider that cannot revoke keeps no connection from being deleted', async () => {
    const all = await world();
    await connect(all);
    const settings = { ...all.settings, revokeUrl: `${all.server.origin}/nowhere` };
    await all.bed.connections.put('sheets', {
      kind: 'oauth2',
      settings: { ...settings, secret: CLIENT.secret },
    });
    await connect(all);
    expect(await all.bed.connections.remove('sheets')).toEqual(expect.any(String));
    expect(all.bed.connections.list()).toEqual([]);
  });

  test('tokens can be sealed again, and those of another key ask for a new sign-in', async () => {
    const all = await world();
    await connect(all);
    expect(await all.bed.connections.sealAnew()).toBe(1);
    expect(await all.send()).toMatchObject({ status: 200 });
    const rows = JSON.stringify(await all.sql.all('SELECT * FROM oauth_token'));
    expect(rows).not.toContain(all.server.came[0]);
    await all.sql.run("UPDATE oauth_token SET sealed = '{}'");
    await expect(all.send()).rejects.toMatchObject({ code: 'oauth_reconnect' });
  });
});
