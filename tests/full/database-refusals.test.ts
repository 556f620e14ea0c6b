import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProxy } from '../../server/integrations/connections/testing/proxy.ts';
import { certificate, key } from '../../server/integrations/connections/testing/self-signed.ts';
import { ask, call } from '../support/client.ts';
import { publish, save, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { askingFlow, sayFlow } from '../support/flows.ts';
import { codeOf } from '../support/leaks.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { tempFolder } from '../support/server.ts';

/** A database that asks for a password or for encryption: who is refused at the start, and what happens to those that run. */

test('passwords: a wrong one is refused at the start, and one that was changed is told once connections need it', async () => {
  const database = await startOwnPostgres({ auth: 'scram-sha-256' });
  await database.create('weft');
  await database.sql(
    "CREATE ROLE one LOGIN PASSWORD 'first secret'",
    "CREATE ROLE poor LOGIN PASSWORD 'x'",
    'ALTER DATABASE weft OWNER TO one',
  );
  const urlOf = (user: string, password: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${database.port}/weft`;
  const refusal = (url: string) =>
    startNode(url).then(
      () => 'it started',
      (error: Error) => error.message,
    );
  const wrong = await refusal(urlOf('one', 'hunter2'));
  expect(wrong).toContain('database_denied: ');
  expect(wrong).not.toContain('hunter2');
  expect(await refusal(urlOf('poor', 'x'))).toContain('database_denied: ');
  expect(await refusal(urlOf('one', 'first secret').replace('/weft', ''))).toContain(
    'database_denied: The database refuses this server (database "one" does not exist)',
  );

  const address = new URL(urlOf('one', 'first secret'));
  const proxy = await startProxy({ host: '127.0.0.1', port: database.port });
  address.port = String(proxy.port);
  const node = await startNode(address.href);
  await publish(node, sayFlow('hello', 'one'));
  await publish(node, askingFlow);
  await database.sql("ALTER ROLE one PASSWORD 'second secret'");
  // Connections that are open need no password.
  expect((await call(node, '/asking')).status).toBe(202);
  expect((await save(node, sayFlow('two', 'x'))).status).toBe(201);
  proxy.cut();
  await eventually(async () => {
    const refused = [await call(node, '/asking'), await save(node, sayFlow('three', 'x'))];
    expect(refused.map((answer) => [answer.status, codeOf(answer)])).toEqual([
      [503, 'storage_failed'],
      [503, 'storage_failed'],
    ]);
  });
  expect((await call(node, '/hello')).body).toBe('one');
  await eventually(async () => expect((await ask(`${node.url}/readyz`)).status).toBe(503));
  expect(node.output()).toContain('password authentication failed');
  expect(node.output()).not.toMatch(/first secret|first%20secret/);
  // With the new one in its settings it starts again, and knows everything.
  await node.stop();
  const again = await startNode(urlOf('one', 'second secret'));
  expect((await call(again, '/hello')).body).toBe('one');
  expect((await call(again, '/asking')).status).toBe(202);
});

test('a connection that is not encrypted as the database or the address asks is refused in one line', async () => {
  const tls = { certificate, key };
  const [secure, plain] = await Promise.all([startOwnPostgres({ tls }), startOwnPostgres()]);
  const refusal = async (url: string, more: Record<string, string> = {}): Promise<string> => {
    const message = await startNode(url, more).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(message).not.toContain('    at ');
    return message;
  };
  const [url, other] = await Promise.all([secure.create('weft'), plain.create('weft')]);
  expect(await refusal(url)).toContain('database_denied: ');
  expect(await refusal(`${url}?sslmode=verify-full`)).toMatch(
    /database_unreachable: .*self-signed certificate.*NODE_EXTRA_CA_CERTS/,
  );
  expect(await refusal(`${other}?sslmode=verify-full`)).toContain('database_unreachable: ');
  const file = join(tempFolder('authority'), 'authority.pem');
  writeFileSync(file, certificate);
  const node = await startNode(`${url}?sslmode=verify-full`, { NODE_EXTRA_CA_CERTS: file });
  await publish(node, askingFlow);
  expect((await call(node, '/asking')).status).toBe(202);
});
