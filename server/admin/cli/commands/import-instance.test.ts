import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { n8nFile } from '../../../flows/imports/n8n/testing/short.ts';
import { createPins } from '../../../execution/starts/partial/pins.ts';
import { createSqlState } from '../../../execution/state/sql-state.ts';
import { openWeftSql } from '../../../storage/database/weft-tables.ts';
import { startServer } from '../../../server.ts';
import { testConfig } from '../../../testing/fake-context.ts';
import { runCli } from '../program.ts';
import { type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

/** All workflows of an instance of n8n: over its API, and from its database; with the data that was pinned there. */

let project: TempProject;
beforeEach(() => {
  project = tempProject();
});
afterEach(() => project.remove());

async function weft(...args: string[]) {
  const io = testIo(project.folder);
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

const short = (name: string, id: string) =>
  n8nFile(name, {
    nodes: {
      Start: ['manualTrigger'],
      Set: ['set@3.4', { assignments: { assignments: [{ name: 'a', type: 'string', value: 'x' }] } }],
    },
    wires: ['Start > Set'],
    more: { id, active: true, pinData: { Set: [{ json: { a: 'pinned' } }] } },
  });

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
}

/** A stand-in that answers as n8n's OpenAPI document says: two pages, and a key in `X-N8N-API-KEY`. */
async function instance(answers?: (asked: Asked) => [number, unknown]) {
  const asked: Asked[] = [];
  const pages = [
    { data: [short('One', 'w1'), short('Two', 'w2')], nextCursor: 'next' },
    { data: [short('Three', 'w3')], nextCursor: null },
  ];
  const site = createServer((request, response) => {
    const one = { path: request.url ?? '', key: request.headers['x-n8n-api-key'] as string | undefined };
    asked.push(one);
    const cursor = new URL(one.path, 'http://n8n').searchParams.get('cursor');
    const usual: [number, unknown] =
      one.key === 'right' ? [200, pages[cursor === null ? 0 : 1]] : [401, { message: 'unauthorized' }];
    const [status, body] = answers?.(one) ?? usual;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  return { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}`, asked };
}

describe('an instance', () => {
  it('gives all its workflows, page by page', async () => {
    const { url, asked } = await instance();
    const { code, out, err } = await weft('import', '--from', 'n8n', '--url', `${url}/`, '--key', 'right');
    expect([code, err]).toEqual([0, '']);
    for (const name of ['one', 'two', 'three']) expect(project.has(`flows/.drafts/${name}.json`)).toBe(true);
    expect(out).toContain('3 of 3 flows would run');
    expect(asked).toEqual([
      { path: '/api/v1/workflows?limit=100', key: 'right' },
      { path: '/api/v1/workflows?limit=100&cursor=next', key: 'right' },
    ]);
  });

  it.each([
    ['a wrong key', undefined, 'refuses the key (401)'],
    ['another page', () => [404, {}] as [number, unknown], 'answers with the status 404'],
    ['no list', () => [200, { hello: 1 }] as [number, unknown], 'gives no list of workflows'],
    ['nothing', () => [200, { data: [] }] as [number, unknown], 'has no workflows'],
  ])('%s is told, and nothing is written', async (_, answers, message) => {
    const { url } = await instance(answers);
    const { code, err } = await weft('import', '--from', 'n8n', '--url', url, '--key', 'wrong');
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(project.has('flows')).toBe(false);
  });

  it.each([
    [['--from', 'n8n', '--url', 'https://n8n.example.com'], 'needs --url and --key'],
    [['--from', 'zapier', '--url', 'https://n8n.example.com', '--key', 'k'], 'the only product'],
    [['a.json', '--from', 'n8n', '--url', 'https://n8n.example.com', '--key', 'k'], 'leave the file out'],
    [['a.json', '--key', 'k'], 'go with --from n8n'],
    [['--from', 'n8n', '--url', 'n8n', '--key', 'k'], 'an address is https://'],
    [[], 'Name a file'],
  ])('%j is wrong usage', async (args, message) => {
    const { code, err } = await weft('import', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('its database', () => {
  const write = (sql: (database: DatabaseSync) => void): void => {
    const database = new DatabaseSync(join(project.folder, 'database.sqlite'));
    sql(database);
    database.close();
  };

  it('gives all its workflows', async () => {
    write((database) => {
      database.exec(
        'CREATE TABLE workflow_entity (id TEXT, name TEXT, active INTEGER, nodes TEXT, connections TEXT, settings TEXT, staticData TEXT, pinData TEXT)',
      );
      const insert = database.prepare('INSERT INTO workflow_entity VALUES (?, ?, 1, ?, ?, ?, NULL, ?)');
      for (const [name, id] of [
        ['One', 'w1'],
        ['Two', 'w2'],
      ] as const) {
        const { nodes, connections, settings, pinData } = short(name, id);
        insert.run(id, name, ...[nodes, connections, settings, pinData].map((part) => JSON.stringify(part)));
      }
    });
    const { code, out } = await weft('import', 'database.sqlite', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ summary: { flows: 2, ready: 2 }, left: [] });
    const sql = openWeftSql(join(project.folder, 'data'));
    expect(await createPins(createSqlState(sql, Date.now)).get('two')).toEqual({
      set: { out: { a: 'pinned' } },
    });
    await sql.close();
  });

  it('of something else is refused', async () => {
    write((database) => database.exec('CREATE TABLE a (b TEXT)'));
    expect(await weft('import', 'database.sqlite')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no database of n8n') as string,
    });
    project.write('other.db', 'hello');
    expect(await weft('import', 'other.db')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no database of') as string,
    });
  });
});

it('what was pinned there is pinned on a server that holds the data folder', async () => {
  project.write('n8n.json', JSON.stringify(short('One', 'w1')));
  const folders = { data: join(project.folder, 'data'), flows: [join(project.folder, 'flows')] };
  const server = await startServer(testConfig(folders), { editorFiles: '/nonexistent' });
  try {
    expect((await weft('import', 'n8n.json')).code).toBe(0);
    expect(await server.ctx.pins.get('one')).toEqual({ set: { out: { a: 'pinned' } } });
  } finally {
    await server.stop();
  }
});
