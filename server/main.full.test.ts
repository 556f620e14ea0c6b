import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PATIENCE_MS } from '../tests/support/eventually.ts';
import { tempFolder } from './testing/platform-bed.ts';
import { startProcess } from './testing/server-process.ts';
import { version } from './access/http/version.ts';

/** An operator that waits until a file `open` exists next to the flows, or until its run is cancelled. */
const gate = `
import { existsSync } from 'node:fs';
export default ({ defineOperator, input, output, z }) =>
  defineOperator({
    title: 'Gate', doc: 'Waits for a file.', icon: 'door-open', effects: 'read', examples: [],
    params: z.object({ file: z.string().describe('The file to wait for.') }),
    inputs: { in: input() },
    outputs: { out: output() },
    async run(call) {
      while (!existsSync(call.params.file)) await call.sleep(5);
      return 'done';
    },
  });`;

/** Writes a flow that answers once the returned file exists. */
async function writeGatedFlow(cwd: string): Promise<string> {
  const file = join(cwd, 'open');
  const flow = {
    format: 1,
    id: 'gated',
    nodes: {
      gate: { operator: 'test.gate', params: { file } },
      trigger: { operator: 'trigger.http', params: { path: '/gated', methods: ['GET'], auth: 'none' } },
    },
    edges: [{ from: 'trigger.out', to: 'gate.in' }],
  };
  await mkdir(join(cwd, 'operators', 'test'), { recursive: true });
  await writeFile(join(cwd, 'operators', 'test', 'gate.mjs'), gate);
  await mkdir(join(cwd, 'flows'));
  await writeFile(join(cwd, 'flows', 'gated.json'), JSON.stringify(flow));
  return file;
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

test('the ready line contains the address of the editor; the sign-in address and the key are in files for their owner alone', async () => {
  const cwd = await tempFolder();
  const server = startProcess({ cwd });
  const { url, keyFile, signInFile } = await server.ready;
  expect((await fetch(url)).status).toBe(200);
  const entrance = (await readFile(signInFile as string, 'utf8')).trim();
  expect((await fetch(entrance, { redirect: 'manual' })).status).toBe(303);
  const key = (await readFile(keyFile as string, 'utf8')).trim();
  expect((await stat(keyFile as string)).mode & 0o777).toBe(0o600);
  expect((await stat(join(cwd, 'data'))).mode & 0o777).toBe(0o700);
  expect(server.output()).not.toContain(key);
  expect(await readFile(join(cwd, 'data', 'db.json'), 'utf8')).not.toContain(key);
  const answer = await fetch(new URL('/api/v1/flows', url), { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
});

test('the key of the first start still works after the second, which makes no other', async () => {
  const cwd = await tempFolder();
  const first = startProcess({ cwd });
  const key = (await readFile((await first.ready).keyFile as string, 'utf8')).trim();
  first.kill('SIGTERM');
  expect(await first.end).toEqual([0, null]);
  const { url, keyFile } = await startProcess({ cwd }).ready;
  expect(keyFile).toBeUndefined();
  const answer = await fetch(new URL('/api/v1/flows', url), { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
});

test('with a password the ready line carries no token', async () => {
  const server = startProcess({ cwd: await tempFolder(), env: { WEFT_ADMIN_PASSWORD: 'correct horse' } });
  expect((await server.ready).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(server.output()).not.toContain('horse');
});

test('SIGTERM lets a run in progress answer its caller, takes no new ones, and ends with 0', async () => {
  const cwd = await tempFolder();
  const file = await writeGatedFlow(cwd);
  const server = startProcess({ cwd });
  const { url } = await server.ready;
  const path = new URL('/api/v1/awel/trigger/gated', url);
  const pending = fetch(path);
  while ((await metric(url, 'weft_runs_in_flight')) === 0);
  server.kill('SIGTERM');
  let ready = await fetch(new URL('/readyz', url));
  while (ready.status === 200) ready = await fetch(new URL('/readyz', url));
  expect(ready.status).toBe(503);
  const refused = await fetch(path);
  expect([refused.status, await refused.json()]).toEqual([
    503,
    expect.objectContaining({ err_code: 'draining' }),
  ]);
  await writeFile(file, '');
  const answer = await pending;
  expect([answer.status, await answer.json()]).toEqual([200, 'done']);
  expect(await server.end).toEqual([0, null]);
});

test('a run that outlasts the grace time is cancelled, and the server ends all the same', async () => {
  const cwd = await tempFolder();
  await writeGatedFlow(cwd);
  const server = startProcess({ cwd, env: { WEFT_GRACE_MS: '100' } });
  const { url } = await server.ready;
  const pending = fetch(new URL('/api/v1/awel/trigger/gated', url));
  while ((await metric(url, 'weft_runs_in_flight')) === 0);
  server.kill('SIGTERM');
  const answer = await pending;
  expect(answer.status).toBeGreaterThanOrEqual(499);
  expect(await answer.json()).toMatchObject({ success: false });
  expect(await server.end).toEqual([0, null]);
});

test('a second server on the same data folder refuses and names the first', async () => {
  const cwd = await tempFolder();
  const first = startProcess({ cwd });
  const { url } = await first.ready;
  const second = startProcess({ cwd });
  expect(await second.end).toEqual([1, null]);
  expect(second.errors()).toMatch(
    /^Another server uses the data folder .* \(process \d+, started .*\)\. Stop it/,
  );
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
});

test('after kill -9 the next server takes the data folder at once', async () => {
  const cwd = await tempFolder();
  const first = startProcess({ cwd });
  await first.ready;
  first.kill('SIGKILL');
  await first.end;
  expect((await startProcess({ cwd }).ready).url).toContain('http://127.0.0.1:');
});

test('a port that is taken is named, and nothing stays locked', async () => {
  const cwd = await tempFolder();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const server = startProcess({ cwd, env: { WEFT_PORT: String(port) } });
  expect(await server.end).toEqual([1, null]);
  expect(server.errors()).toBe(
    `Port ${port} on 127.0.0.1 is taken. Stop what uses it, or choose another with WEFT_PORT (0 picks a free one).\n`,
  );
  other.close();
  await startProcess({ cwd }).ready;
});

test('a data folder that cannot be made is named with the setting that changes it', async () => {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'data'), 'a file where a folder should be');
  const server = startProcess({ cwd });
  expect(await server.end).toEqual([1, null]);
  expect(server.errors()).toMatch(
    /^storage_failed: The data folder .* cannot be written \(EEXIST\)\. Set WEFT_DATA/,
  );
});

test('damaged keys keep the server from starting instead of opening or closing it to everybody', async () => {
  const cwd = await tempFolder();
  await mkdir(join(cwd, 'data'));
  await writeFile(join(cwd, 'data', 'db.json'), '{"keys":[{"hash":"short"}]}');
  const server = startProcess({ cwd });
  expect(await server.end).toEqual([1, null]);
  expect(server.errors()).toMatch(/^The API keys in db\.json are damaged/);
});

test('other users of the machine cannot read the data of the server, also in a folder that was open to them', async () => {
  const cwd = await tempFolder();
  const data = join(cwd, 'data');
  await mkdir(data);
  await writeFile(join(data, 'db.json'), '{}');
  await chmod(data, 0o755);
  await chmod(join(data, 'db.json'), 0o644);
  const server = startProcess({ cwd });
  const { signInFile = '' } = await server.ready;
  expect(server.output()).toContain('was open to other users of this machine');
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  expect(await modeOf(data)).toBe('700');
  const files = await readdir(data);
  expect(files).toEqual(expect.arrayContaining(['weft.db', 'weft.sock', 'sign-in.txt', 'api-key.txt']));
  for (const file of files) expect(await modeOf(join(data, file)), file).toMatch(/^[67]00$/);
  // The log contains no sign-in address; the file does.
  expect(server.output()).not.toContain('token=');
  const entered = await fetch((await readFile(signInFile, 'utf8')).trim(), { redirect: 'manual' });
  expect(entered.status).toBe(303);
});

test('mistakes in the settings end the start with all of them, without a stack', async () => {
  const server = startProcess({ cwd: await tempFolder(), env: { WEFT_PORT: 'x', WEFT_EDITOR: 'y' } });
  expect(await server.end).toEqual([1, null]);
  expect(server.errors()).toContain('WEFT_PORT must be');
  expect(server.errors()).toContain('WEFT_EDITOR must be');
  expect(server.errors()).not.toContain('    at ');
});

test('for people the start is announced in words', async () => {
  const server = startProcess({
    cwd: await tempFolder(),
    env: { WEFT_LOG_FORMAT: 'pretty', WEFT_PROT: '1' },
  });
  const pattern =
    /Weft \d+\.\d+\.\d+ is running\.\n\n {2}Editor {4}http:\/\/127\.0\.0\.1:\d+\/\n {2}Sign in {3}with the address in \S+sign-in\.txt, within 15 minutes\n/;
  await expect.poll(() => server.output(), { timeout: PATIENCE_MS }).toMatch(pattern);
  expect(server.output()).toContain('WARN  There is no setting WEFT_PROT; did you mean WEFT_PORT?');
});

test('--help lists the settings, --version prints the version, anything else is no option', async () => {
  const cwd = await tempFolder();
  const run = async (arg: string) => {
    const server = startProcess({ cwd, args: [arg] });
    const [code] = await server.end;
    return { code, text: server.output() + server.errors() };
  };
  expect(await run('--version')).toEqual({ code: 0, text: `${version}\n` });
  expect(await run('--help')).toMatchObject({ code: 0, text: expect.stringContaining('WEFT_GRACE_MS') });
  expect(await run('--nonsense')).toMatchObject({
    code: 1,
    text: expect.stringContaining('no option --nonsense'),
  });
});

test('help that is not read to its end is no error', async () => {
  const child = spawn(process.execPath, ['server', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, output }).toEqual({ code: 0, output: '' });
});
