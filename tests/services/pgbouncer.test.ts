import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { CreatedKey } from '#shared/key.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call } from '../support/client.ts';
import { publish, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { startProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { startServer } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

/** How many connections to the database the pooler may have. */
const POOL = 6;

/** The database through a real PgBouncer that gives each transaction another session. */
async function pooled(url: string): Promise<string> {
  const { hostname, port, username } = new URL(url);
  const own = await freePort();
  const config = write(
    scratchFolder('pgbouncer'),
    'pgbouncer.ini',
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL}
`,
  );
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const script = 'PATH=$PATH:/usr/sbin exec pgbouncer "$@"';
  const program = startProgram('sh', ['-c', script, 'pgbouncer', ...user, config], { timeout: 300_000 });
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended;
  });
  await program.prints(/process up/);
  const address = new URL(url);
  address.host = `127.0.0.1:${own}`;
  return address.href;
}

/** Counts in a row of the database; a durable run of two steps. */
const counting: FlowJson = {
  format: 1,
  id: 'counting',
  nodes: {
    trigger: httpTrigger('/counting', { methods: ['POST'], answer: 'immediately' }),
    pause: { operator: 'logic.delay', params: { ms: 20 } },
    count: { operator: 'state.add', params: { key: 'calls' } },
  },
  edges: [
    { from: 'trigger.out', to: 'pause.in' },
    { from: 'pause.out', to: 'count.in' },
  ],
};

test('two servers are one service through a transaction pooler, with few connections to the database', async () => {
  const direct = await newDatabase();
  const url = await pooled(direct);
  const env = { WEFT_DATABASE_DIRECT_URL: direct };
  const [a, b] = [await startNode(url, env), await startNode(url, env)];
  let { revision } = await publish(a, sayFlow('hello', '0'));
  for (let n = 1; n <= 10; n++) {
    ({ revision } = await publish(n % 2 === 0 ? a : b, sayFlow('hello', `${n}`), revision));
    expect((await call(n % 2 === 0 ? b : a, '/hello')).body).toBe(String(n));
  }
  const guarded = sayFlow('guarded', 'in', { operator: 'trigger.http', params: { path: '/guarded' } });
  await publish(a, guarded);
  const made = await a.owner.data<CreatedKey>('POST', '/keys', { name: 'ci', scopes: ['triggers'] });
  const init = { headers: { authorization: `Bearer ${made.key}` } };
  expect((await call(b, '/guarded', init)).status).toBe(200);
  await b.owner.data('DELETE', `/keys/${made.id}`);
  expect((await call(a, '/guarded', init)).status).toBe(401);

  await publish(a, counting);
  const accepted = await Promise.all(
    Array.from({ length: 60 }, (_, at) => call(at % 2 === 0 ? a : b, '/counting', { method: 'POST' })),
  );
  expect(accepted.map(({ status }) => status)).toEqual(accepted.map(() => 202));
  for (const { body } of accepted)
    await eventually(async () => {
      const { run } = body as { run: string };
      expect(await b.owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' });
    });
  const sql = postgres(direct, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  expect(await sql`SELECT json FROM state`).toMatchObject([{ json: '60' }]);
  const [row] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  // The pool, and of each server two for notices: one sends and one listens.
  expect(row?.['n']).toBeLessThanOrEqual(POOL + 2 * 2);
  for (const server of [a, b]) expect(server.output()).not.toMatch(/"level":(50|60|"error")/);
});

test('without an address of its own for notices a server refuses to start, and names the setting', async () => {
  const url = await pooled(await newDatabase());
  const refused = await startServer({
    env: { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY },
  }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(refused).toMatch(/database_no_notices: .*WEFT_DATABASE_DIRECT_URL/);
  expect(refused).not.toContain('    at ');
});
