import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { FlowDetail, RunExport, RunPage } from '#shared/api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { runCli } from '../server/admin/cli/program.ts';
import { testIo } from '../server/admin/cli/testing/test-io.ts';
import { call, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { askingFlow, type FlowJson, flowText, sayFlow, write } from './support/flows.ts';
import { scratchFolder } from './support/scratch.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** A copy of all that a server keeps, taken while it writes. */
const recorded: FlowJson = {
  ...sayFlow('recorded', 'Hello {{ trigger.query.n }}'),
  settings: { record: 'full' },
};

/** The one run of `asking` that waits. */
async function theWait(owner: Owner): Promise<WaitPage['waits'][number]> {
  return eventually(async () => {
    const [wait] = (await owner.data<WaitPage>('GET', '/waits?flow=asking')).waits;
    if (!wait) throw new Error('Nothing waits.');
    return wait;
  });
}

async function kept(owner: Owner): Promise<RunPage['runs']> {
  return (await owner.data<RunPage>('GET', '/runs?flow=recorded&limit=200')).runs;
}

async function weft(cwd: string, env: Record<string, string>, ...args: string[]) {
  const io = testIo(cwd, { env });
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

function dbFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.db')).map((name) => join(folder, name));
}

describe('a backup of a server under constant writes', () => {
  let server: TestServer;
  let owner: Owner;
  let place: { WEFT_DATA: string; WEFT_FLOWS: string };

  beforeAll(async () => {
    server = await startServer();
    owner = await signIn(server);
    place = { WEFT_DATA: server.data, WEFT_FLOWS: server.flows };
    await owner.data('POST', '/flows', { flow: recorded });
    await owner.data('POST', '/flows', { flow: askingFlow });
    expect((await call(server, '/asking')).status).toBe(202);
    await theWait(owner);
    await owner.data('POST', '/flows', { flow: sayFlow('saved', 'at 0') });
    await owner.data('PUT', '/secrets/token', { value: 'canary-token', grants: {} });
    await owner.data('PUT', '/variables/color', { value: 'red' });
    mkdirSync(join(server.data, 'databases'));
    const orders = new DatabaseSync(join(server.data, 'databases/orders.sqlite'));
    // What is committed is in the file beside it for a while.
    orders.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (id INT); INSERT INTO orders VALUES (7)');
    writeFileSync(join(server.data, 'databases/notes.txt'), 'Not a database.');
    return () => {
      orders.close();
      return discard(server);
    };
  });

  /** Runs and saves until `work` is over; gives how many of each there were. */
  async function whileWriting<T>(work: () => Promise<T>): Promise<T> {
    const done = { runs: 0, saves: 0 };
    let isOver = false;
    const running = [0, 1, 2, 3].map(async () => {
      while (!isOver) if ((await call(server, `/recorded?n=${done.runs}`)).status === 200) done.runs++;
    });
    let { revision } = await owner.data<FlowDetail>('GET', '/flows/saved');
    const saving = (async () => {
      while (!isOver) {
        const text = flowText(sayFlow('saved', `at ${++done.saves}`));
        ({ revision } = await owner.data<FlowDetail>('PUT', '/flows/saved', { text, revision }));
        await owner.data('PUT', '/variables/counter', { value: done.saves });
      }
    })();
    try {
      await eventually(async () => expect((await kept(owner)).length).toBeGreaterThan(20));
      return await work();
    } finally {
      isOver = true;
      await Promise.all([...running, saving]);
    }
  }

  test('is whole: its databases are sound, each run in it has all of its events, and a server goes on with it', async () => {
    const cwd = scratchFolder('backup');
    const result = await whileWriting(() => weft(cwd, place, 'backup', '--to', 'copy'));
    expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^copy: \d+ files, [\d.]+ MB\n$/) });
    expect(result.err).toContain('backup does not contain the key of the secrets');
    expect(readdirSync(cwd)).toEqual(['copy']);
    using orders = new DatabaseSync(join(cwd, 'copy/data/databases/orders.sqlite'));
    expect(orders.prepare('SELECT id FROM orders').all()).toEqual([{ id: 7 }]);
    expect(readFileSync(join(cwd, 'copy/data/databases/notes.txt'), 'utf8')).toBe('Not a database.');
    expect(readdirSync(join(cwd, 'copy/data'))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/secrets\.key|api-key|weft\.(?:lock|pid|sock)/)]),
    );
    for (const file of dbFiles(join(cwd, 'copy'))) {
      using db = new DatabaseSync(file);
      expect(db.prepare('PRAGMA integrity_check').all(), file).toEqual([{ integrity_check: 'ok' }]);
    }

    const back = await weft(cwd, {}, 'restore', 'copy', '--to', 'back');
    expect(back).toMatchObject({ code: 0, err: expect.stringContaining('put secrets.key into') });
    writeFileSync(join(cwd, 'back/data/secrets.key'), readFileSync(join(server.data, 'secrets.key')), {
      mode: 0o600,
    });
    const again = await startServer({ flows: join(cwd, 'back/flows'), data: join(cwd, 'back/data') });
    onTestFinished(() => discard(again));
    expect((await call(again, '/recorded?n=7')).body).toBe('Hello 7');
    expect((await call(again, '/saved')).body).toMatch(/^at \d+$/);
    const other = await signIn(again);
    await expectToGoOn(other);
    await expectWholeRuns(other);
  });

  /** The durable run that waited. */
  async function expectToGoOn(other: Owner): Promise<void> {
    const { id, run } = await theWait(other);
    await other.data('POST', `/waits/${id}/decide`, { decision: 'approved' });
    await eventually(async () =>
      expect(await other.data('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' }),
    );
  }

  async function expectWholeRuns(other: Owner): Promise<void> {
    const runs = await kept(other);
    expect(runs.length).toBeGreaterThan(20);
    for (const { run, status } of runs.slice(0, 40)) {
      const { events } = (await other.api('GET', `/runs/${run}/export`)).body as RunExport;
      expect(status).toBe('ok');
      expect(events[0]).toMatchObject({ kind: 'run-started', seq: 1 });
      expect(events.at(-1)).toMatchObject({ kind: 'run-finished', seq: events.length });
    }
  }

  test('holds the keys with --with-key only, and is for its owner alone', async () => {
    const cwd = scratchFolder('backup');
    expect(await weft(cwd, place, 'backup', '--to', 'copy', '--with-key')).toMatchObject({
      code: 0,
      err: '',
    });
    expect(readdirSync(join(cwd, 'copy/data'))).toEqual(
      expect.arrayContaining(['secrets.key', 'api-key.txt']),
    );
    expect(statSync(join(cwd, 'copy')).mode & 0o077).toBe(0);
    await weft(cwd, {}, 'restore', 'copy', '--to', 'back');
    expect(statSync(join(cwd, 'back/data')).mode & 0o077).toBe(0);
    expect(statSync(join(cwd, 'back/data/secrets.key')).mode & 0o777).toBe(0o600);
  });

  test('is refused over something that is there, and without a data folder', async () => {
    const cwd = scratchFolder('backup');
    mkdirSync(join(cwd, 'copy'));
    expect(await weft(cwd, place, 'backup', '--to', 'copy')).toMatchObject({
      code: 2,
      err: expect.stringContaining('already exists'),
    });
    expect(await weft(cwd, { WEFT_DATA: 'none' }, 'backup')).toMatchObject({
      code: 2,
      err: expect.stringContaining('WEFT_DATA'),
    });
  });
});

describe('a restore', () => {
  async function aBackup(): Promise<string> {
    const cwd = scratchFolder('backup');
    write(join(cwd, 'flows'), 'one.json', sayFlow('one', 'one'));
    mkdirSync(join(cwd, 'data'));
    expect(await weft(cwd, {}, 'backup', '--to', 'copy')).toMatchObject({ code: 0 });
    return cwd;
  }

  test('says that the key is missing wherever there was one: connections are sealed with it too', async () => {
    const cwd = await aBackup();
    expect((await weft(cwd, {}, 'restore', 'copy', '--to', 'without')).err).not.toContain('secrets.key');
    writeFileSync(join(cwd, 'data/secrets.key'), 'x'.repeat(64));
    await weft(cwd, {}, 'backup', '--to', 'keyless');
    const back = await weft(cwd, {}, 'restore', 'keyless', '--to', 'back');
    expect(back).toMatchObject({ code: 0, err: expect.stringContaining('put secrets.key into') });
  });

  test('of what no server holds gives the same files', async () => {
    const cwd = await aBackup();
    expect(await weft(cwd, {}, 'restore', 'copy', '--to', 'back')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'back/flows/one.json'), 'utf8')).toBe(
      readFileSync(join(cwd, 'flows/one.json'), 'utf8'),
    );
    expect(readdirSync(join(cwd, 'back')).sort()).toEqual(['data', 'flows']);
  });

  test('refuses a folder that is not empty, and leaves it as it is', async () => {
    const cwd = await aBackup();
    const refused = await weft(cwd, {}, 'restore', 'copy', '--to', 'flows');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('not empty') });
    expect(readdirSync(join(cwd, 'flows'))).toEqual(['one.json']);
  });

  test('refuses what is no backup, or was changed, cut or lost since', async () => {
    const cwd = await aBackup();
    const refused = () => weft(cwd, {}, 'restore', 'copy', '--to', 'back');
    const file = join(cwd, 'copy/flows/one.json');
    const text = readFileSync(file, 'utf8');
    for (const damage of [() => writeFileSync(file, text.slice(1)), () => rmSync(file)]) {
      damage();
      expect(await refused()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/flows\/one\.json.*changed/),
      });
    }
    rmSync(join(cwd, 'copy/backup.json'));
    expect(await refused()).toMatchObject({
      code: 1,
      err: expect.stringContaining('backup.json is missing'),
    });
    expect(readdirSync(cwd)).not.toContain('back');
  });

  test('never writes outside of its folder, whatever the list says', async () => {
    const cwd = await aBackup();
    const list = join(cwd, 'copy/backup.json');
    const text = readFileSync(list, 'utf8');
    for (const path of ['data/../../out.json', '/etc/passwd', '../flows/one.json', 'backup.json']) {
      chmodSync(list, 0o600);
      writeFileSync(list, text.replace('flows/one.json', path));
      expect(await weft(cwd, {}, 'restore', 'copy', '--to', 'back')).toMatchObject({ code: 1 });
    }
    expect(readdirSync(cwd).sort()).toEqual(['copy', 'data', 'flows']);
  });
});
