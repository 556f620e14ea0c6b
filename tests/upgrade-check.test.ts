import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../server/admin/cli/program.ts';
import { testIo } from '../server/admin/cli/testing/test-io.ts';
import type { Outlook } from '../server/admin/cli/local/upgrade-outlook.ts';
import { weftMigrations } from '../server/storage/database/weft-tables.ts';
import { type Fixture, unpackOf020 } from './fixtures/of-0.2.0.ts';
import { write } from './support/flows.ts';

/** `weft upgrade --check` over what a server of 0.2.0 left. */
const newest = weftMigrations.at(-1)?.n ?? 0;

async function check({ setup }: Fixture, ...options: string[]) {
  const { NODE_OPTIONS: _, TEST_CLOCK_SHIFT: __, ...env } = setup.env;
  const settings = { ...env, WEFT_DATA: String(setup.data), WEFT_FLOWS: String(setup.flows) };
  const io = testIo(String(setup.flows), { env: settings });
  const code = await runCli(['upgrade', '--check', ...options], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

async function fixtureIn(place: 'folder' | 'database'): Promise<Fixture> {
  const fixture = await unpackOf020(place, 0);
  onTestFinished(() => fixture.remove());
  return fixture;
}

/** All files with their contents. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, readFileSync(path, 'base64')];
    }),
  );
}

/** Uses everything that means something else now, and has an error. */
const changed = {
  format: 1,
  id: 'changed',
  nodes: {
    start: { operator: 'trigger.manual' },
    there: { operator: 'core.map', params: { value: '{{ has([1, 2], 2) && "2" == 2 }}' } },
    gone: { operator: 'no.such', params: {} },
  },
  edges: [{ from: 'start.out', to: 'there.in' }],
};

test('a folder: its stores, flows, drafts, and what to look at; nothing is changed', async () => {
  const fixture = await fixtureIn('folder');
  const folder = join(String(fixture.setup.data), '..');
  const before = contentOf(folder);
  const { code, out } = await check(fixture);
  expect(code).toBe(0);
  expect(out).toContain('was written by Weft 0.2.0.');
  expect(out).toContain(
    `  weft.db: brought from format 13 to ${newest} at the next start. Older versions cannot read it then`,
  );
  expect(out).toContain('19 live flows; 1 draft, which stays a draft.');
  expect(contentOf(folder)).toEqual(before);

  write(String(fixture.setup.flows), 'changed.json', JSON.stringify(changed));
  const { code: told, out: json } = await check(fixture, '--json');
  expect(told).toBe(1);
  const outlook = JSON.parse(json) as Outlook;
  expect(outlook.broken).toMatchObject([{ file: 'changed.json', node: 'gone' }]);
  expect(outlook.meanings.map(({ node, message }) => [node, message.split(' ', 1)[0]])).toEqual([
    ['there', 'has(list,'],
    ['there', '=='],
  ]);
  expect(outlook).toMatchObject({ flows: { live: 20, drafts: 1, format2: 0 }, servers: [], settings: [] });
});

test('a database: its format and flows, by their ids, with the settings that no one knows', async () => {
  const fixture = await fixtureIn('database');
  const stale = { ...fixture.setup.env, WEFT_TIMEZON: 'UTC' };
  const { code, out } = await check({ ...fixture, setup: { ...fixture.setup, env: stale } });
  expect(code).toBe(0);
  expect(out).toContain(`  database: brought from format 13 to ${newest} at the next start.`);
  expect(out).toContain('19 live flows; 1 draft, which stays a draft.');
  expect(out).toContain('Settings:\n  There is no setting WEFT_TIMEZON; did you mean WEFT_TIMEZONE?');

  const text = JSON.stringify(changed).replaceAll("'", "''");
  await fixture.change(
    `INSERT INTO flow_file SELECT project, 'changed', '${text}', 'x', at FROM flow_file LIMIT 1`,
  );
  const { code: told, out: json } = await check(fixture, '--json');
  expect(told).toBe(1);
  expect(JSON.parse(json)).toMatchObject({
    broken: [{ file: 'changed', node: 'gone' }],
    meanings: [{ file: 'changed' }, { file: 'changed' }],
    stores: [{ store: 'database', from: 13, to: newest, at: 'migrated' }],
  });
  const client = postgres(String(fixture.setup.env['WEFT_DATABASE_URL']), { max: 1 });
  onTestFinished(() => client.end());
  expect(await client`SELECT max(n)::int AS format FROM migration`).toEqual([{ format: 13 }]);
});

test('a database that a newer version migrated, and one that does not answer', async () => {
  const fixture = await fixtureIn('database');
  await fixture.change("INSERT INTO migration (n, name, at) VALUES (999, 'later', 0)");
  const newer = await check(fixture);
  expect(newer.code).toBe(1);
  expect(newer.out).toContain(
    '  database: format 999 is newer than this version knows: it refuses to start.',
  );
  const gone = { ...fixture.setup.env, WEFT_DATABASE_URL: 'postgres://weft@127.0.0.1:9/none' };
  const { code, err } = await check({ ...fixture, setup: { ...fixture.setup, env: gone } });
  expect(code).toBe(1);
  expect(err).toContain('database_unreachable');
});
