import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { runProgram, startProgram } from '../../../tests/support/process.ts';
import { root } from '../../../tests/support/server.ts';
import type { CodeSandbox } from './code-service.ts';
import { remoteHosts } from './remote-host.ts';
import { supervise, type Supervisor } from './supervisor.ts';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

let folder: string;
let path: string;
let supervisor: Supervisor | undefined;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-code-'));
  path = join(folder, 'code.sock');
  said = [];
});
afterEach(async () => {
  await supervisor?.close();
  supervisor = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const start = async (): Promise<Supervisor> =>
  (supervisor = await supervise({ path, say: (text) => void said.push(text) }));

function sandboxApart(): CodeSandbox {
  const sandbox = testSandbox({ start: remoteHosts(path) });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const gone = (pids: readonly number[]) => eventually(() => expect(pids.filter(isAlive)).toEqual([]));
/** A loop of V8 that nothing interrupts. */
const ENDLESS = 'const a = [1]; a.length = 2 ** 32 - 1; return a.indexOf(7);';
const limits = { cpuMs: 100, maxMs: 1000 };

describe('code that runs apart', () => {
  test('gives its result, its errors and its log', async () => {
    const { pids } = await start();
    expect(pids).toEqual([]);
    const sandbox = sandboxApart();
    expect(await sandbox.run(callOf('return input.a + 1;', { a: 1 }))).toBe(2);
    const logs: string[] = [];
    const log = (text: string) => void logs.push(text);
    const failing = sandbox.run(callOf("console.log('here');\nthrow new Error('no');", 1, { log }));
    await expect(failing).rejects.toMatchObject({
      code: 'code_failed',
      message: expect.stringContaining('line 2'),
    });
    expect(logs.join()).toContain('here');
    expect(sandbox.engines).toEqual(['isolated-vm']);
  });

  test('large inputs and results pass', async () => {
    await start();
    const text = 'x'.repeat(1_500_000);
    expect(await sandboxApart().run(callOf('return input + input;', text))).toHaveLength(3_000_000);
  });

  test('that is killed from outside is run again on another host', async () => {
    const { pids } = await start();
    const sandbox = sandboxApart();
    const busy = callOf('const end = Date.now() + 600; while (Date.now() < end); return 7;', 1, {
      cpuMs: 5000,
    });
    const answer = sandbox.run(busy);
    const [pid = 0] = await eventually(() => {
      const found = supervisor?.pids ?? pids;
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    process.kill(pid, 'SIGKILL');
    expect(await answer).toBe(7);
    expect(supervisor?.pids).not.toContain(pid);
  });

  test('that does not end is stopped, and the next call is answered', async () => {
    await start();
    const sandbox = sandboxApart();
    expect(await sandbox.run(callOf('return 1;', 1))).toBe(1);
    await expect(sandbox.run(callOf(ENDLESS, 1, limits))).rejects.toMatchObject({ code: 'code_timeout' });
    expect(await sandbox.run(callOf('return 2;', 1, { flow: 'other' }))).toBe(2);
  });

  test('on a host that falls silent is stopped, the host is killed, and the next call has another one', async () => {
    await start();
    const sandbox = sandboxApart();
    expect(await sandbox.run(callOf('return 1;', 1))).toBe(1);
    const [pid = 0] = supervisor?.pids ?? [];
    process.kill(pid, 'SIGSTOP');
    await expect(sandbox.run(callOf('return 2;', 1, limits))).rejects.toMatchObject({ code: 'code_timeout' });
    expect(await sandbox.run(callOf('return 3;', 1))).toBe(3);
    await gone([pid]);
  });
});

describe('hosts end', () => {
  test('when their server closes, also in a loop that nothing interrupts', async () => {
    await start();
    const sandbox = sandboxApart();
    expect(await sandbox.run(callOf('return 1;', 1))).toBe(1);
    const lost = sandbox.run(callOf(ENDLESS, 1, { cpuMs: 20_000, maxMs: 20_000 })).catch(() => 'lost');
    const pids = [...(supervisor?.pids ?? [])];
    expect(pids.length).toBeGreaterThan(0);
    sandbox.close();
    await gone(pids);
    expect(await lost).toBe('lost');
    await eventually(() => expect(supervisor?.pids).toEqual([]));
  });

  test('when the supervisor closes, and its socket is gone', async () => {
    await start();
    expect(await sandboxApart().run(callOf('return 1;', 1))).toBe(1);
    const pids = [...(supervisor?.pids ?? [])];
    await supervisor?.close();
    await gone(pids);
    expect(existsSync(path)).toBe(false);
  });
});

test('without a supervisor calls fail with a code, and succeed once it is there', async () => {
  const warnings: string[] = [];
  const { createCodeSandbox } = await import('./code-service.ts');
  const sandbox = createCodeSandbox({
    engine: 'isolated-vm',
    hosts: 1,
    start: remoteHosts(path),
    services: {},
    warn: (text) => void warnings.push(text),
  });
  onTestFinished(() => sandbox.close());
  const codes = new Set<string>();
  for (let i = 0; i < 4; i++)
    await sandbox.run(callOf('return 1;', 1)).catch(({ code }: { code: string }) => codes.add(code));
  expect([...codes].every((code) => ['code_crashed', 'code_unavailable'].includes(code))).toBe(true);
  expect(codes.size).toBeGreaterThan(0);
  expect(warnings.join()).toContain(`The sandbox at unix:${path} cannot be reached (ENOENT)`);
  await start();
  await eventually(async () => expect(await sandbox.run(callOf('return 1;', 1))).toBe(1));
});

describe('the socket', () => {
  test('belongs to its user and group alone', async () => {
    await start();
    expect(statSync(path).mode & 0o777).toBe(0o660);
  });

  test('closes on strangers, and hosts are for pairs only', async () => {
    await start();
    const closes = (text: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(path, () => socket.write(text));
        socket.on('error', () => {});
        socket.once('close', () => resolve());
      });
    await closes('GET / HTTP/1.1\r\n\r\n');
    await closes(`${'x'.repeat(2000)}`);
    await closes('{"token":"../../x","carries":"frames","engine":"isolated-vm"}\n');
    await closes(`{"token":"${'a'.repeat(32)}","carries":"frames","engine":"sh"}\n`);
    const alone = `{"token":"${'b'.repeat(32)}","carries":"frames","engine":"quickjs"}\n`;
    await Promise.race([closes(alone), closes(alone)]);
    expect(supervisor?.pids).toEqual([]);
  });

  test('that a killed supervisor left is replaced; one in use is not', async () => {
    const program = startProgram(process.execPath, ['server/code-host.js'], {
      env: { WEFT_CODE_HOST: `unix:${path}` },
    });
    await program.prints(/waits for servers/);
    await expect(supervise({ path, say() {} })).rejects.toThrow(/Another sandbox already waits/);
    program.child.kill('SIGKILL');
    await program.ended;
    expect(existsSync(path)).toBe(true);
    await start();
    expect(await sandboxApart().run(callOf('return 1;', 1))).toBe(1);
  });

  test('in a folder that is not there is an error that says so', async () => {
    const there = join(folder, 'none/code.sock');
    await expect(supervise({ path: there, say() {} })).rejects.toThrow(`The socket ${there} cannot be made`);
    writeFileSync(path, 'a file');
    await expect(supervise({ path, say() {} })).rejects.toThrow('EADDRINUSE');
  });
});

describe('the program', () => {
  const env = () => ({ WEFT_CODE_HOST: `unix:${path}` });

  test('stops in order on SIGTERM', async () => {
    const program = startProgram(process.execPath, ['server/code-host.js'], { env: env() });
    await program.prints(/waits for servers at unix:/);
    expect(await sandboxApart().run(callOf('return 1;', 1))).toBe(1);
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stdout: '' });
    expect(existsSync(path)).toBe(false);
  });

  test('says what it needs', async () => {
    const ended = await runProgram(process.execPath, [join(root, 'server/code-host.js')], {
      env: { WEFT_CODE_HOST: 'tcp:1' },
    });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^WEFT_CODE_HOST must be .*\n$/) });
  });
});
