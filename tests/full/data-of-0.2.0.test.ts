import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WaitPage } from '#shared/wait.ts';
import { dataAreKept, startHook } from '../fixtures/data-are-kept.ts';
import type { Parked } from '../fixtures/facts.ts';
import { type Fixture, unpackOf020 } from '../fixtures/of-0.2.0.ts';
import { ask, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Data that 0.2.0 left (tests/fixtures/make-0.2.0.ts), opened by this version: everything is there and goes on. */
describe.each(['folder', 'database'] as const)('in a %s', (place) => {
  let fixture: Fixture;
  let server: TestServer;
  let owner: Owner;
  let hook: Awaited<ReturnType<typeof startHook>>;

  beforeAll(async () => {
    // Three hours later: the wait of two is over, and what is kept for a day is still kept.
    fixture = await unpackOf020(place, 3 * 3_600_000);
    hook = await startHook();
    await fixture.change(`UPDATE deliveries SET told = replace(told, '127.0.0.1:9/', '${hook.host}/')`);
    await fixture.change(`UPDATE state SET json = '"wild"' WHERE key = 'mood'`);
    server = await startServer({
      ...fixture.setup,
      env: { ...fixture.setup.env, WEFT_OUTBOUND_ALLOW: hook.host },
    });
    owner = await signIn(server);
  });
  afterAll(async () => {
    await discard(server);
    hook.close();
    fixture.remove();
  });

  test('nothing is reported as lost', async () => {
    expect((await ask(`${server.url}/readyz`)).body).not.toHaveProperty('lost');
    expect((await owner.data<{ lost: string[] }>('GET', '/session')).lost).toEqual([]);
  });

  dataAreKept(() => ({ server, owner, facts: fixture.facts, notices: hook.notices }));

  const ended = async ({ statusUrl }: Parked): Promise<unknown> =>
    eventually(async () => {
      const { body } = await ask(`${server.url}${statusUrl}`);
      expect(body).toMatchObject({ data: { status: 'ok' } });
      return (body as { data: { answer: { body: unknown } } }).data.answer.body;
    });

  test('a run that waits for a time goes on, and repeats nothing of what it has read', async () => {
    expect(await ended(fixture.facts.sleeping)).toEqual(['calm', 'wild']);
  });

  test('so does one that waits for a person', async () => {
    const { waits } = await owner.data<WaitPage>('GET', '/waits');
    const wait = waits.find(({ run }) => run === fixture.facts.approving.run);
    await owner.data('POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
    expect(await ended(fixture.facts.approving)).toEqual(['calm', 'wild']);
  });

  test('flows answer the same: code, a loop, a form, one behind a key', async () => {
    for (const [path, body] of Object.entries(fixture.facts.answers))
      expect(await call(server, path)).toMatchObject({ status: 200, body });
    const form = await ask(`${server.url}/form/signup`);
    expect(form.text).toContain('Sign up');
    expect((await call(server, '/keyed')).status).toBe(401);
    const authorization = `Bearer ${fixture.facts.firstKey}`;
    expect((await call(server, '/keyed', { headers: { authorization } })).body).toBe('let in');
  });

  test('a space with its document, a connection, a test, an evaluation', async () => {
    const { hits } = await owner.data<{ hits: unknown[] }>(
      'POST',
      `/knowledge/spaces/${fixture.facts.space}/search`,
      { query: 'oolong' },
    );
    expect(JSON.stringify(hits)).toContain('ninety degrees');
    expect(await owner.data('GET', '/connections')).toMatchObject([
      { name: 'crm', kind: 'postgres', settings: { host: 'db.example.com' } },
    ]);
    expect(JSON.stringify(await owner.data('GET', '/flows/guarded/tests'))).toContain('enters');
    expect(JSON.stringify(await owner.data('GET', '/evaluations'))).toContain('polite');
  });

  test('a deleted flow is in the trash, and can be restored', async () => {
    const trash = await owner.data<unknown>('GET', '/trash');
    expect(JSON.stringify(trash)).toContain('"gone"');
  });
});
