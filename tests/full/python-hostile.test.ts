import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Operator, WeftError } from '#engine';
import { watchHeartbeat } from '../../server/integrations/sandbox/testing/heartbeat.ts';
import { pythonAttacks } from '../support/python-attacks.ts';
import { loadPython, PythonRun } from '../support/python.ts';
import { tempFolder } from '../support/server.ts';

/** Milliseconds of computing that the server may spend at a stretch. */
const MAX_GAP_MS = 400;
const MAX_GROWTH_MB = 300;

const folder = tempFolder('python-hostile');
const file = join(folder, 'secret.txt');
const SECRET = 'SECRET-that-nobody-may-read';
let python: Operator;
let asked = 0;
let server: Server;
let rssBefore: number;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, SECRET);
  process.env['CANARY'] = SECRET;
  server = createServer((_, response) => {
    asked += 1;
    response.end('x');
  });
  server.on('connection', () => {
    asked += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  python = await loadPython();
  await new PythonRun(python, '').end();
  rssBefore = process.memoryUsage.rss();
});

afterAll(() => {
  server.close();
  delete process.env['CANARY'];
  rmSync(folder, { recursive: true, force: true });
});

test('there are at least 100 of them', () => {
  expect(Object.values(pythonAttacks).flat().length).toBeGreaterThanOrEqual(100);
});

describe.each(Object.entries(pythonAttacks))('%s', (_, attacks) => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))('%s', async (_name, attack) => {
    const heartbeat = watchHeartbeat();
    const { port } = server.address() as AddressInfo;
    const values = { file, folder, port, pid: process.pid };
    const call = new PythonRun(python, attack.code, { values, maxMs: 1000, endlessSleep: true });
    const said = await call.end().then(
      (value) => ({ text: JSON.stringify(value), error: undefined }),
      (error: unknown) => ({ text: JSON.stringify([error, String(error)]), error }),
    );
    const all = `${said.text} ${call.printed.join('\n')}`;
    expect(all).not.toMatch(/ESCAPED|SECRET|root:/);
    if (attack.expect === 'error') expect(said.error).toBeInstanceOf(WeftError);
    expect(existsSync(join(folder, 'escaped'))).toBe(false);
    expect(asked).toBe(0);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(heartbeat.stop()).toBeLessThan(MAX_GAP_MS);
  });

  // Once for all of them: each call is a process of its own, and starting it is what costs here.
  test('leave nothing behind that the next call would meet', async () => {
    expect(await new PythonRun(python, 'return input + 1', { input: 1 }).end()).toBe(2);
  });
});

test('took no memory of the server', () => {
  expect((process.memoryUsage.rss() - rssBefore) / 1024 ** 2).toBeLessThan(MAX_GROWTH_MB);
});
