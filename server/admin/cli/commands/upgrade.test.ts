import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startSite } from '../../../../tests/support/site.ts';
import { version } from '../../../access/http/version.ts';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';
import { type AskNewest, upgrade } from './upgrade.ts';

const offline: AskNewest = () => Promise.reject(new Error('no network\nat npm'));

async function check(data: string, ask?: AskNewest) {
  const io = testIo(await tempFolder(), { env: { WEFT_DATA: data } });
  const code = await upgrade({ check: true, newest: ask !== undefined, json: false }, io, ask);
  return { code, out: io.stdout.text };
}

async function usedData(): Promise<string> {
  const data = join(await tempFolder(), 'data');
  const bed = await startBed({ data });
  await bed.ctx.variables.set('one', 1);
  await bed.stop();
  return data;
}

afterEach(() => vi.unstubAllEnvs());

test('npm asks the registry of this user for the newest version', async () => {
  const versions = {
    '9.9.9': { name: 'weft-flow', version: '9.9.9', dist: { tarball: 'http://127.0.0.1/x.tgz' } },
  };
  const registry = await startSite(({ url }, response) => {
    if (url !== '/weft-flow') return void response.writeHead(404).end('{}');
    const about = { name: 'weft-flow', 'dist-tags': { latest: '9.9.9' }, versions };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(about));
  });
  vi.stubEnv('npm_config_registry', `${registry.url}/`);
  vi.stubEnv('npm_config_cache', await tempFolder());
  const io = testIo(await tempFolder(), { env: { WEFT_DATA: join(await tempFolder(), 'data') } });
  expect(await upgrade({ check: true, newest: true, json: false }, io)).toBe(0);
  expect(io.stdout.text).toContain(
    `This is Weft ${version}; the newest is 9.9.9: npm install weft-flow@9.9.9`,
  );
});

test('data of this version stay as they are', async () => {
  const data = await usedData();
  const { code, out } = await check(data);
  expect(code).toBe(0);
  expect(out).toContain(
    `This is Weft ${version}.\n${data} was written by Weft ${version}.\n  All stores have the formats of this version`,
  );
  expect((await check(data, offline)).out).toContain(
    `This is Weft ${version}. Whether there is a newer one is unknown: npm could not ask`,
  );
});

test('stores of an older format are named, and nothing is changed', async () => {
  const data = join(await tempFolder(), 'data');
  mkdirSync(data);
  new DatabaseSync(join(data, 'weft.db')).close();
  writeFileSync(join(data, 'db.json'), '{"keys":[]}');
  const { code, out } = await check(data);
  expect(code).toBe(0);
  expect(out).toContain('was written by Weft 0.1.0.');
  expect(out).toMatch(/weft\.db: brought from format 0 to [1-9]\d* at the next start/);
  expect(out).toMatch(/db\.json: brought from format 0 to 1 at the next start/);
  expect(readFileSync(join(data, 'db.json'), 'utf8')).toBe('{"keys":[]}');
});

test('a store of a newer Weft is refused, with the version to install', async () => {
  const data = await usedData();
  const file = join(data, 'manifest.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(`"weft": "${version}"`, '"weft": "9.0.0"'));
  const db = new DatabaseSync(join(data, 'weft.db'));
  db.exec('PRAGMA user_version = 999');
  db.close();
  const { code, out } = await check(data);
  expect(code).toBe(1);
  expect(out).toContain(
    'weft.db: format 999 is newer than this version knows: it refuses to start. Install Weft 9.0.0',
  );
});

test('a newer version is named with the command that installs it', async () => {
  const data = join(await tempFolder(), 'none');
  expect((await check(data, async () => '9.1.0')).out).toContain(
    'the newest is 9.1.0: npm install weft-flow@9.1.0',
  );
  const { out } = await check(data, async () => version);
  expect(out).toBe(
    `This is Weft ${version}, the newest.\nThere are no data in ${data}: nothing to change.\n`,
  );
});

test('without --check it explains how to upgrade', async () => {
  const io = testIo(await tempFolder());
  expect(await runCli(['upgrade'], io)).toBe(2);
  expect(io.stderr.text).toContain('weft upgrade --check');
});

test('flows with operators that were replaced are listed, and `check --fix` puts the new ones in place', async () => {
  const project = tempProject();
  onTestFinished(() => project.remove());
  const weft = async (...args: string[]) => {
    const io = testIo(project.folder);
    return { code: await runCli(args, io), out: io.stdout.text };
  };
  await weft('new', 'operator', 'old.shout');
  const file = join(project.folder, 'operators/old/shout.ts');
  const source = readFileSync(file, 'utf8');
  const by = "replacedBy: { operator: 'core.map' },";
  writeFileSync(file, source.replace(/\n {2}icon:/, `\n  ${by}\n  icon:`));
  const nodes = { t: { operator: 'trigger.manual' }, loud: { operator: 'old.shout' } };
  const flow = { format: 1, id: 'loud', nodes, edges: [{ from: 't.out', to: 'loud.in' }] };
  project.write('flows/loud.json', JSON.stringify(flow));
  const io = testIo(project.folder);
  expect(await upgrade({ check: true, json: false }, io)).toBe(0);
  expect(io.stdout.text).toContain('flows/loud.json, loud: `old.shout` of `loud` is replaced by `core.map`.');
  expect((await weft('check', '--fix', 'flows')).out).toContain('fixed: Use Map (core.map)');
  expect(readFileSync(join(project.folder, 'flows/loud.json'), 'utf8')).toContain('"operator": "core.map"');
});
