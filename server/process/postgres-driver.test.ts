import { expect, test } from 'vitest';
import { runProgram } from '../../tests/support/process.ts';
import { newDatabase } from '../storage/testing/postgres-server.ts';

/** A statement in a transaction whose connection has just died: in a process of its own, which the driver would end. */
const PROGRAM = (guard: string, url: string) => `
  import { guardPostgresDriver } from ${JSON.stringify(new URL('postgres-driver.ts', import.meta.url).href)};
  ${guard}
  const { default: postgres } = await import('postgres');
  const [sql, other] = [1, 2].map(() => postgres(${JSON.stringify(url)}, { max: 1, onnotice: () => {}, backoff: () => 0.01 }));
  const asked = Promise.withResolvers();
  const died = await sql.begin(async (tx) => {
    const [{ pid }] = await tx\`SELECT pg_backend_pid() AS pid\`;
    await other\`SELECT pg_terminate_backend(\${pid})\`;
    await new Promise((resolve) => setTimeout(resolve, 300));
    asked.resolve(await tx\`SELECT 1\`.catch(({ code }) => code));
  }).catch(({ code }) => code);
  const refused = await asked.promise;
  const [{ n }] = await sql\`SELECT 7 AS n\`;
  console.log(died, refused, n);
  process.exit(0);`;

const run = async (guard: string) =>
  runProgram(process.execPath, ['--input-type=module', '-e', PROGRAM(guard, await newDatabase())], {
    timeout: 120_000,
  });

test('a connection that dies during a transaction fails that and nothing else', async () => {
  expect(await run('guardPostgresDriver();')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^(57P01|CONNECTION_CLOSED) CONNECTION_CLOSED 7\n$/),
  });
});

test('the driver still needs that', async () => {
  expect((await run('')).stderr).toContain("Cannot read properties of null (reading 'write')");
});
