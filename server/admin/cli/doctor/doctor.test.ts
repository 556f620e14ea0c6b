import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { controlSocket } from '../../../base/files/data-folder.ts';
import { testIo } from '../testing/test-io.ts';
import { type Finding, type Machine, thisMachine } from './finding.ts';
import { doctor } from './doctor.ts';
import { startStandInProxy } from '../../../base/outbound/testing/stand-in-proxy.ts';
import { certificate } from '../../../integrations/connections/testing/self-signed.ts';

const GB = 1024 ** 3;
let folder: string;
let machine: Machine;

beforeEach(async () => {
  folder = await tempFolder();
  machine = {
    now: Date.now,
    space: async () => ({ free: 10 * GB, total: 100 * GB }),
    env: {},
    editor: join(folder, 'editor'),
  };
  mkdirSync(join(machine.editor, 'assets'), { recursive: true });
  writeFileSync(join(machine.editor, 'index.html'), '<script src="/assets/main.js"></script>');
  writeFileSync(join(machine.editor, 'assets/main.js'), '');
});

/** The exit code and the findings; code is off unless a test asks for it, because its host takes a moment to start. */
async function examine(env: Readonly<Record<string, string>> = {}, on: Machine = machine) {
  const io = testIo(folder, { env: { WEFT_PORT: '0', WEFT_CODE: 'off', ...env } });
  const code = await doctor({ json: true }, io, on);
  const { findings } = JSON.parse(io.stdout.text) as { findings: Finding[] };
  const about = (name: string) => findings.filter((finding) => finding.about === name);
  return { code, findings, about };
}

const usedData = (): string => {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  return data;
};

test('in an empty folder nothing is wrong, and every fault would come with what to do', async () => {
  const { code, findings } = await examine();
  expect(code).toBe(0);
  expect(findings.map(({ about, state }) => `${about} ${state}`)).toEqual([
    'version ok',
    'settings ok',
    'flows note',
    'data note',
    'server ok',
    'code note',
    'editor ok',
    'models note',
    'clock ok',
  ]);
});

test('several processes need no database', async () => {
  const { about } = await examine({ WEFT_PROCESSES: '3' });
  expect(about('processes')).toEqual([
    expect.objectContaining({ state: 'ok', says: expect.stringContaining('3 serve on one port') }),
  ]);
});

test('people get lines, with what to do below each fault', async () => {
  const io = testIo(folder, { env: { WEFT_PORT: 'many' } });
  expect(await doctor({ json: false }, io)).toBe(1);
  expect(io.stdout.text).toMatch(/^ok {7}version {3}Weft \S+ on Node 2/);
  expect(io.stdout.text).toMatch(
    /\nerror {4}settings {2}WEFT_PORT must be .*\n {19}Correct it in the environment/,
  );
});

describe('settings', () => {
  test('each mistake is an error', async () => {
    const { code, about } = await examine({
      WEFT_PORT: 'many',
      WEFT_HOST: '0.0.0.0',
      WEFT_EDITOR: 'perhaps',
    });
    expect(code).toBe(1);
    expect(about('settings').map(({ state }) => state)).toEqual(['error', 'error']);
  });

  test('a setting that nothing reads is a warning', async () => {
    const { code, about } = await examine({ WEFT_PROT: '1' });
    expect(code).toBe(0);
    expect(about('settings')).toMatchObject([
      { state: 'warning', says: expect.stringContaining('WEFT_PORT?') },
    ]);
  });
});

test('a server that runs with this data folder at another address is not called absent', async () => {
  const server = createNetServer().listen(controlSocket(usedData()));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { code, about } = await examine();
  expect(code).toBe(0);
  expect(about('server')).toMatchObject([{ state: 'warning', todo: expect.stringContaining('WEFT_PORT') }]);
});

describe('the outside', () => {
  test('a proxy that listens, and one that does not', async () => {
    const proxy = await startStandInProxy();
    const env = {
      WEFT_PROXY: proxy.address,
      WEFT_PROXY_CREDENTIALS: 'ada:canary',
      WEFT_NO_PROXY: '.corp.example',
    };
    const found = await examine(env);
    expect(found.code).toBe(0);
    expect(found.about('outside')).toEqual([
      {
        about: 'outside',
        state: 'ok',
        says: `Everything goes out through ${proxy.address}, except to .corp.example; the proxy listens.`,
      },
    ]);
    expect(JSON.stringify(found.findings)).not.toContain('canary');
    const { code, about } = await examine({ WEFT_PROXY: 'http://127.0.0.1:9' });
    expect(code).toBe(1);
    expect(about('outside')).toMatchObject([
      { state: 'error', says: expect.stringContaining('Nothing listens') },
    ]);
  });

  test('a proxy that looks up names', async () => {
    const proxy = await startStandInProxy();
    const { code, about } = await examine({ WEFT_PROXY: proxy.address, WEFT_PROXY_DNS: 'proxy' });
    expect(code).toBe(0);
    expect(about('outside')).toMatchObject([
      { state: 'ok' },
      { state: 'warning', says: expect.stringContaining('spelling') },
    ]);
  });

  test('proxies of the environment, which are ignored', async () => {
    const on = { ...machine, env: { HTTPS_PROXY: 'http://ada:canary@proxy.example', no_proxy: 'x' } };
    const found = await examine({}, on);
    expect(found.about('outside')).toMatchObject([
      {
        state: 'note',
        says: 'HTTPS_PROXY of the environment is ignored.',
        todo: expect.stringContaining('WEFT_PROXY'),
      },
    ]);
    expect(JSON.stringify(found.findings)).not.toContain('canary');
  });

  test('more authorities, and a file without any', async () => {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, certificate);
    const withFile = (name: string) => examine({}, { ...machine, env: { NODE_EXTRA_CA_CERTS: name } });
    expect((await withFile(file)).about('outside')).toMatchObject([
      { state: 'ok', says: expect.stringContaining('1 more') },
    ]);
    writeFileSync(file, 'nothing');
    expect((await withFile(file)).about('outside')).toMatchObject([{ state: 'error' }]);
    const missing = await withFile(join(folder, 'gone.pem'));
    expect(missing.code).toBe(1);
    expect(missing.about('outside')).toMatchObject([
      { state: 'error', says: expect.stringContaining('ENOENT') },
    ]);
  });
});

describe('folders', () => {
  test('flows that cannot be read, and flows that cannot be written', async () => {
    const flows = join(folder, 'flows');
    writeFileSync(flows, 'no folder');
    expect((await examine()).about('flows')).toMatchObject([{ state: 'error', todo: expect.any(String) }]);
    rmSync(flows);
    mkdirSync(flows);
    chmodSync(flows, 0o500);
    // Root may write to every folder.
    const state = process.getuid?.() === 0 ? 'ok' : 'warning';
    expect((await examine()).about('flows')).toMatchObject([{ state }]);
    chmodSync(flows, 0o700);
  });

  test('data that cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, about } = await examine({ WEFT_DATA: join(folder, 'file/data') });
    expect(code).toBe(1);
    expect(about('data')).toMatchObject([{ state: 'error', todo: expect.stringContaining('WEFT_DATA') }]);
  });

  test('data that others may read', async () => {
    const data = usedData();
    chmodSync(data, 0o755);
    expect((await examine()).about('data')).toMatchObject([{ state: 'warning', todo: `chmod 700 ${data}` }]);
  });

  test('folders for files that do not exist', async () => {
    mkdirSync(join(folder, 'there'));
    const { code, about } = await examine({ WEFT_FOLDERS: 'in=there,shop=not-there' });
    expect(code).toBe(0);
    expect(about('folders')).toMatchObject([
      { state: 'warning', says: expect.stringContaining('shop'), todo: expect.stringContaining('mkdir -p') },
    ]);
  });

  test('a disk with little space, and with none', async () => {
    const [little, none] = [500, 10].map((mb) => ({
      ...machine,
      space: async () => ({ free: mb * 1024 ** 2, total: 100 * GB }),
    }));
    mkdirSync(join(folder, 'data/files'), { recursive: true });
    writeFileSync(join(folder, 'data/files/one'), new Uint8Array(2_500_000));
    expect((await examine({ WEFT_DISK_RESERVE: '100MB' }, little)).about('disk')).toMatchObject([
      { state: 'warning', says: expect.stringMatching(/data; in it are files 2 MB\.$/) },
    ]);
    expect((await examine({}, little)).about('disk')).toMatchObject([
      { state: 'warning', says: expect.stringContaining('no files are stored') },
    ]);
    const { code, about } = await examine({}, none);
    expect(code).toBe(1);
    expect(about('disk')).toMatchObject([
      { state: 'error', says: expect.stringContaining('10 MB are free') },
    ]);
  });
});

describe('stores', () => {
  test('those of a used folder can be opened', async () => {
    const data = join(folder, 'data');
    const bed = await startBed({ data });
    await bed.ctx.variables.set('one', 1);
    await bed.stop();
    expect((await examine()).about('stores')).toMatchObject([{ state: 'ok' }]);
  });

  test('an older format is brought to the new one at the next start', async () => {
    writeFileSync(join(usedData(), 'db.json'), '{"keys":[]}');
    const { code, about } = await examine();
    expect(code).toBe(0);
    expect(about('stores')).toMatchObject([
      { state: 'ok' },
      { state: 'note', says: expect.stringMatching(/^db\.json is brought from format 0 to 1/) },
    ]);
  });

  test('a newer format, a damaged database, document or key are errors', async () => {
    const data = usedData();
    const newer = new DatabaseSync(join(data, 'weft.db'));
    newer.exec('PRAGMA user_version = 999');
    newer.close();
    writeFileSync(join(data, 'durable.db'), 'no database'.repeat(100));
    writeFileSync(join(data, 'db.json'), '{');
    writeFileSync(join(data, 'secrets.json'), '[');
    const { code, about } = await examine();
    expect(code).toBe(1);
    const errors = about('stores').filter(({ state }) => state === 'error');
    expect(errors.map(({ says }) => /weft\.db|durable\.db|db\.json|secrets\.json/.exec(says)?.[0])).toEqual([
      'weft.db',
      'durable.db',
      'secrets.json',
      'db.json',
    ]);
    expect(errors.every(({ todo }) => todo !== undefined)).toBe(true);
  });
});

describe('the server', () => {
  test('one that runs and is ready', async () => {
    const bed = await startBed();
    const { port } = new URL(bed.url);
    writeFileSync(join(usedData(), 'weft.pid'), '{}');
    expect((await examine({ WEFT_PORT: port })).about('server')).toMatchObject([
      { state: 'ok', says: expect.stringContaining('is ready') },
    ]);
  });

  test('one that has another data folder', async () => {
    const bed = await startBed();
    const { code, about } = await examine({ WEFT_PORT: new URL(bed.url).port });
    expect(code).toBe(1);
    expect(about('server')).toMatchObject([
      {
        state: 'error',
        says: expect.stringContaining('another Weft'),
        todo: expect.stringContaining('WEFT_PORT'),
      },
    ]);
  });

  test('one that is not ready names the failing part', async () => {
    const port = await answering((path) => ({
      checks: path === '/readyz' ? { storage: 'not writable' } : {},
    }));
    const { code, about } = await examine({ WEFT_PORT: port });
    expect(code).toBe(1);
    expect(about('server')).toMatchObject([{ says: expect.stringContaining('storage: not writable') }]);
  });

  test('a port that another program has', async () => {
    const { code, about } = await examine({ WEFT_PORT: await answering(() => ({}), {}) });
    expect(code).toBe(1);
    expect(about('server')).toMatchObject([{ state: 'error', todo: expect.stringContaining('WEFT_PORT') }]);
  });
});

describe('the sandbox', () => {
  test('runs code, and names the engine', async () => {
    const { code, about } = await examine({ WEFT_CODE: 'quickjs' });
    expect(code).toBe(0);
    expect(about('code')).toMatchObject([{ state: 'ok', says: 'The sandbox runs code (quickjs).' }]);
  });

  test('that should run apart, and does not', async () => {
    const socket = `unix:${join(folder, 'code.sock')}`;
    const { code, about } = await examine({ WEFT_CODE: 'on', WEFT_CODE_HOST: socket });
    expect(code).toBe(1);
    expect(about('code')).toMatchObject([
      { state: 'error', says: expect.stringContaining('ENOENT'), todo: expect.stringContaining(socket) },
    ]);
  });
});

describe('the editor', () => {
  test('was not built', async () => {
    rmSync(machine.editor, { recursive: true });
    const { code, about } = await examine();
    expect(code).toBe(1);
    expect(about('editor')).toMatchObject([{ state: 'error', todo: expect.stringContaining('npm start') }]);
  });

  test('lacks a file that its page names', async () => {
    rmSync(join(machine.editor, 'assets/main.js'));
    expect((await examine()).about('editor')).toMatchObject([
      { state: 'error', says: 'Files of it are missing: assets/main.js.' },
    ]);
  });

  test('is off', async () => {
    rmSync(machine.editor, { recursive: true });
    expect((await examine({ WEFT_EDITOR: 'off' })).about('editor')).toMatchObject([{ state: 'note' }]);
  });
});

describe('providers of models', () => {
  const asked = (port: string, key?: { readonly $secret: string }) => ({
    WEFT_PROVIDERS: JSON.stringify({
      near: {
        type: 'openai-compatible',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        models: [{ name: 'm' }],
        key,
      },
    }),
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
  });

  test('one that answers', async () => {
    const port = await answering(() => ({ data: [{ id: 'one' }, { id: 'two' }] }));
    expect((await examine(asked(port))).about('models')).toEqual([
      { about: 'models', state: 'ok', says: 'near answers and offers 2 models.' },
    ]);
  });

  test('one that is reached through a proxy', async () => {
    const port = await answering(() => ({ data: [{ id: 'one' }] }));
    const proxy = await startStandInProxy();
    proxy.leads.set('models.example.com:80', Number(port));
    const far = {
      type: 'openai-compatible',
      baseUrl: 'http://models.example.com/v1',
      models: [{ name: 'm' }],
    };
    const env = {
      WEFT_PROVIDERS: JSON.stringify({ far }),
      WEFT_PROXY: proxy.address,
      WEFT_PROXY_DNS: 'proxy',
    };
    expect((await examine(env)).about('models')).toMatchObject([{ state: 'ok' }]);
    expect(proxy.asked).toEqual(['models.example.com:80']);
  });

  test('a key that cannot be one is called so', async () => {
    const port = await answering(() => ({ data: [] }));
    const env = {
      ...asked(port, { $secret: 'ai' }),
      WEFT_SECRET_AI: 'two words',
      WEFT_GRANTS: '{"ai":{"hosts":["127.0.0.1"]}}',
    };
    expect((await examine(env)).about('models')).toMatchObject([
      { state: 'error', says: expect.stringContaining('near: The secret ai is not an API key') },
    ]);
  });

  test('one that cannot be reached', async () => {
    const { code, about } = await examine(asked('1'));
    expect(code).toBe(1);
    expect(about('models')).toMatchObject([
      { state: 'error', todo: expect.stringContaining('docs/models.md') },
    ]);
  });
});

describe('operators', () => {
  test('a package that is missing is an error', async () => {
    const { code, about } = await examine({ WEFT_PACKAGES: 'weft-gone' });
    expect(code).toBe(1);
    expect(about('operators')).toMatchObject([
      {
        state: 'error',
        says: expect.stringMatching(/^package_missing: the package weft-gone: /),
        todo: expect.stringContaining('weft add weft-gone'),
      },
    ]);
  });

  test('an operator that does not load is an error, one that does is not', async () => {
    mkdirSync(join(folder, 'operators/text'), { recursive: true });
    writeFileSync(join(folder, 'operators/text/odd.js'), 'export default 1;');
    expect((await examine()).about('operators')).toMatchObject([
      { state: 'error', says: expect.stringMatching(/^text\/odd\.js/) },
    ]);
    rmSync(join(folder, 'operators/text/odd.js'));
    expect((await examine()).about('operators')).toEqual([
      { about: 'operators', state: 'ok', says: 'All can be loaded.' },
    ]);
  });
});

test('a clock that was set back', async () => {
  const file = join(usedData(), 'db.json');
  writeFileSync(file, '{"format":1}');
  const later = Date.now() / 1000 + 7200;
  utimesSync(file, later, later);
  const { code, about } = await examine();
  expect(code).toBe(1);
  expect(about('clock')).toMatchObject([{ state: 'error', says: expect.stringContaining('120 minutes') }]);
});

test('this machine has a disk and a clock', async () => {
  expect((await thisMachine.space(folder)).free).toBeGreaterThan(0);
  expect(thisMachine.now()).toBeGreaterThan(Date.parse('2026-01-01'));
});

/** A program that answers every request with JSON; returns its port. */
async function answering(
  body: (path: string) => object,
  headers: Readonly<Record<string, string>> = { 'x-weft-version': '1' },
): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body(url)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}
