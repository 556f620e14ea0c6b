import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  asker,
  connectionBed,
  limits,
  never,
} from '../../server/integrations/connections/testing/connection-bed.ts';
import { certificate, key } from '../../server/integrations/connections/testing/self-signed.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

/** A MariaDB of these tests' own, which takes encrypted connections only. */
let port = 0;
let stop = async (): Promise<void> => {};

beforeAll(async () => {
  const folder = tempFolder('mariadb');
  const user = `--user=${userInfo().username}`;
  const data = `--datadir=${join(folder, 'data')}`;
  const made = spawnSync('mariadb-install-db', [
    '--no-defaults',
    user,
    data,
    '--auth-root-authentication-method=normal',
  ]);
  expect(made.status, String(made.stderr)).toBe(0);
  writeFileSync(join(folder, 'cert.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  port = await freePort();
  const options = {
    port,
    'bind-address': '127.0.0.1',
    socket: join(folder, 'socket'),
    'pid-file': join(folder, 'pid'),
    'ssl-cert': join(folder, 'cert.pem'),
    'ssl-key': join(folder, 'key.pem'),
    'require-secure-transport': 'ON',
  };
  const given = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const server = spawn('mariadbd', ['--no-defaults', user, data, ...given], {
    stdio: 'ignore',
    // It lies in a folder that only root has in its path.
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  stop = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  await eventually(() => greets(port));
});
afterAll(() => stop());

function greets(at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: at });
    socket.once('error', reject);
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
  });
}

/** What the server says of its encryption to a connection with these settings, or the error. */
async function cipher(settings: object): Promise<unknown> {
  const { connections } = connectionBed();
  await connections.put('db', {
    kind: 'mysql',
    settings: { host: '127.0.0.1', port, database: 'mysql', user: 'root', ...settings },
    grants: { flows: ['f'] },
  });
  const call = { connection: 'db', sql: "SHOW STATUS LIKE 'Ssl_cipher'", params: {}, ...limits };
  const [row] = await connections.sql.query(call, asker, never);
  return row?.['Value'];
}

test('a connection is encrypted, with the authority that has signed the certificate', async () => {
  expect(await cipher({ ca: certificate })).toMatch(/^TLS_|-/);
  expect(await cipher({ host: 'localhost', ca: certificate })).toMatch(/^TLS_|-/);
  expect(await cipher({ tls: 'unverified' })).toMatch(/^TLS_|-/);
});

test.each([
  ['without the authority', {}, /No known authority has signed its certificate/],
  ['with another authority', { ca: rootCertificates[0] }, /No known authority has signed/],
  ['in clear text', { tls: 'off' }, /Access denied/],
])('a connection %s is refused, and its user told of it', async (_, settings, message) => {
  await expect(cipher(settings)).rejects.toMatchObject({
    code: 'connection_refused',
    message: expect.stringMatching(message),
  });
});
