import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../../tests/support/process.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { REPAIRS } from './postgres-driver.ts';

const driver = new URL('postgres-driver.ts', import.meta.url).href;

/**
 * Runs in a process of its own, which the driver would end; `sql` and `other` are clients with one connection each, `own` is one
 * over sockets of ours, as long as `isOpen`.
 */
const PROGRAM = (guard: string, url: string, body: string) => `
  import net from 'node:net';
  import { once } from 'node:events';
  import { guardPostgresDriver } from ${JSON.stringify(driver)};
  ${guard}
  const { default: postgres } = await import('postgres');
  const options = { max: 1, onnotice: () => {}, backoff: () => 0.01, fetch_types: false };
  const [sql, other] = [1, 2].map(() => postgres(${JSON.stringify(url)}, options));
  const opened = [];
  const address = new URL(${JSON.stringify(url)});
  let isOpen = true;
  const socket = async () => {
    if (!isOpen) throw new Error('no way');
    const one = net.connect(Number(address.port), address.hostname);
    opened.push(one);
    await once(one, 'connect');
    return one;
  };
  const own = postgres(address.href, { ...options, socket });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  ${body}
  await pause(300);
  process.exit(0);`;

interface Case {
  readonly name: string;
  readonly body: string;
  /** Its expected output. */
  readonly prints: RegExp;
  /** Its end with the unrepaired driver. */
  readonly otherwise: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'a connection that dies during a transaction fails that and nothing else',
    body: `
      const asked = Promise.withResolvers();
      const died = await sql.begin(async (tx) => {
        const [{ pid }] = await tx\`SELECT pg_backend_pid() AS pid\`;
        await other\`SELECT pg_terminate_backend(\${pid})\`;
        await pause(300);
        asked.resolve(await tx\`SELECT 1\`.catch(({ code }) => code));
      }).catch(({ code }) => code);
      const refused = await asked.promise;
      const [{ n }] = await sql\`SELECT 7 AS n\`;
      console.log(died, refused, n);`,
    prints: /^(57P01|CONNECTION_CLOSED) CONNECTION_CLOSED 7\n$/,
    otherwise: /Cannot read properties of null \(reading 'write'\)/,
  },
  {
    name: 'a statement that cannot be cancelled rejects for its canceller only',
    body: `
      await own\`SELECT 1\`;
      const slow = own\`SELECT pg_sleep(1)\`.execute();
      await pause(100);
      isOpen = false;
      console.log(await Promise.resolve(slow.cancel()).then(() => 'cancelled', () => 'rejected'));`,
    prints: /^rejected\n$/,
    otherwise: /Cannot read properties of (undefined|null) \(reading 'once'\)/,
  },
  {
    name: 'an answer to a login that cannot be read fails the connection',
    body: `
      const server = net.createServer((one) => {
        one.on('error', () => {});
        one.once('data', () => one.write(Buffer.from('R\\0\\0\\0\\x0c\\0\\0\\0\\x0bnone')));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const bad = postgres({ ...options, host: '127.0.0.1', port: server.address().port, password: 'x' });
      console.log(await bad\`SELECT 1\`.then(() => 'fine', () => 'failed'));`,
    prints: /^failed\n$/,
    otherwise: /ERR_INVALID_ARG_TYPE|TypeError/,
  },
  {
    name: 'a COPY whose connection ends causes no unhandled error',
    body: `
      await own.unsafe("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 50000)) TO STDOUT");
      opened[0].destroy();
      await pause(300);
      console.log('lives');`,
    prints: /^lives\n$/,
    otherwise: /CONNECTION_CLOSED/,
  },
];

async function run(guard: string, body: string) {
  const program = PROGRAM(guard, await newDatabase(), body);
  return runProgram(process.execPath, ['--input-type=module', '-e', program], { timeout: 120_000 });
}

describe.each(CASES)('$name', ({ body, prints, otherwise }) => {
  test('with the repaired driver', async () => {
    expect(await run('guardPostgresDriver();', body)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(prints),
    });
  });

  test('which the driver still needs', async () => {
    expect(await run('', body)).toMatchObject({ code: 1, stderr: expect.stringMatching(otherwise) });
  });
});

test.each(REPAIRS)('the place of a repair is there once: $to', ({ file, from }) => {
  // `require` loads a copy in another module format, beside the imported one.
  const folder = join(dirname(createRequire(import.meta.url).resolve('postgres')), '../../src');
  expect(readFileSync(join(folder, file), 'utf8').split(from)).toHaveLength(2);
});
