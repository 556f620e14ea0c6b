import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import {
  freePort,
  nativeFolder,
  NOBODY,
  reachable,
  untilReady,
} from '../../server/storage/database/testing/postgres-server.ts';
import { eventually } from './eventually.ts';

/** A PostgreSQL of a test's own, whose settings, users and life a test may spoil; it ends with the test. */
export interface OwnPostgres {
  readonly port: number;
  /** Its data and its socket; whatever is put here belongs to its user. */
  readonly folder: string;
  /** A new database, as its superuser reaches it; `more`: of the statement that makes it. */
  create(name: string, more?: string): Promise<string>;
  /** Statements of its superuser, who needs no password: he comes through the socket. */
  sql(...statements: readonly string[]): Promise<postgres.Row[]>;
  /** Settings that hold for all connections at once. */
  set(settings: Readonly<Record<string, string>>): Promise<void>;
  start(): Promise<void>;
  /** As a power cut does it. */
  kill(): Promise<void>;
  promote(): Promise<void>;
}

interface OwnPostgresSetup {
  /** How clients on the network prove who they are (`pg_hba.conf`). */
  readonly auth?: 'trust' | 'scram-sha-256';
  /** Only encrypted connections are admitted. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder with `bin`; by default of the PostgreSQL from npm. */
  readonly native?: string;
  /** It begins as the standby of this one, under this name. */
  readonly standbyOf?: { readonly primary: OwnPostgres; readonly name: string };
}

export async function startOwnPostgres(setup: OwnPostgresSetup = {}): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-own-postgres-'));
  chmodSync(folder, 0o700);
  if (isRoot()) chownSync(folder, NOBODY, NOBODY);
  const native = setup.native ?? nativeFolder();
  const place: Place = {
    folder,
    binaries: isRoot() ? reachable(native, folder) : native,
    port: await freePort(),
    setup,
  };
  if (setup.standbyOf === undefined) initialise(place);
  else copyPrimary(place, setup.standbyOf);
  configure(place);
  const own = serverOf(place);
  onTestFinished(async () => {
    await own.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await own.start();
  return own;
}

interface Place {
  readonly folder: string;
  readonly binaries: string;
  readonly port: number;
  readonly setup: OwnPostgresSetup;
}

const isRoot = (): boolean => process.getuid?.() === 0;
const as = () => (isRoot() ? { uid: NOBODY, gid: NOBODY } : {});

function run({ binaries, folder }: Place, program: string, ...args: readonly string[]): void {
  const options = { ...as(), cwd: folder, encoding: 'utf8' } as const;
  const { status, stderr, error } = spawnSync(join(binaries, 'bin', program), args, options);
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
}

function initialise(place: Place): void {
  const data = ['--pgdata', join(place.folder, 'data')];
  const how = ['--username', 'weft', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8', '--locale', 'C'];
  run(place, 'initdb', ...data, ...how);
}

function copyPrimary(place: Place, { primary, name }: NonNullable<OwnPostgresSetup['standbyOf']>): void {
  const from = ['-h', primary.folder, '-p', String(primary.port), '-U', 'weft'];
  run(place, 'pg_basebackup', ...from, '-D', join(place.folder, 'data'), '-c', 'fast', '-N', '-R');
  // The last one of a setting counts.
  const connection = `host=${primary.folder} port=${primary.port} user=weft application_name=${name}`;
  const file = join(place.folder, 'data', 'postgresql.auto.conf');
  writeFileSync(file, `${readFileSync(file, 'utf8')}primary_conninfo = '${connection}'\n`);
}

function configure({ folder, setup: { auth = 'trust', tls } }: Place): void {
  const data = join(folder, 'data');
  const kind = tls === undefined ? 'host' : 'hostssl';
  const lines = [
    'local all weft trust',
    'local replication weft trust',
    `${kind} all all 127.0.0.1/32 ${auth}`,
  ];
  writeFileSync(join(data, 'pg_hba.conf'), `${lines.join('\n')}\n`);
  if (tls === undefined) return;
  for (const [name, text] of [
    ['server.crt', tls.certificate],
    ['server.key', tls.key],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (isRoot()) chownSync(join(data, name), NOBODY, NOBODY);
  }
}

async function change(sql: OwnPostgres['sql'], settings: Readonly<Record<string, string>>): Promise<void> {
  const all = Object.entries(settings);
  await sql(
    ...all.map(([name, value]) => `ALTER SYSTEM SET ${name} = '${value}'`),
    'SELECT pg_reload_conf()',
  );
  for (const [name, value] of all)
    await eventually(async () => {
      const [row] = await sql(`SHOW ${name}`);
      if (row?.[name] !== value) throw new Error(`${name} is still ${String(row?.[name])}.`);
    });
}

function serverOf(place: Place): OwnPostgres {
  const { folder, port, binaries, setup } = place;
  const data = join(folder, 'data');
  const settings = { fsync: 'off', ...(setup.tls && { ssl: 'on' }), ...setup.settings };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [join(binaries, 'bin/postgres'), '-D', data, '-p', String(port), '-k', folder];
  // The shell ends the server when this process ends in any way: its standard input is a pipe from here.
  const script = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server';
  const sql: OwnPostgres['sql'] = async (...statements) => {
    const client = postgres({
      host: folder,
      port,
      user: 'weft',
      database: 'postgres',
      max: 1,
      onnotice: () => {},
    });
    try {
      let rows: postgres.Row[] = [];
      for (const text of statements) rows = await client.unsafe(text);
      return rows;
    } finally {
      await client.end({ timeout: 1 });
    }
  };
  let shell: ChildProcess | undefined;
  return {
    port,
    folder,
    sql,
    async create(name, more = '') {
      await sql(`CREATE DATABASE ${name} ${more}`);
      return `postgres://weft@127.0.0.1:${port}/${name}`;
    },
    set: (settings) => change(sql, settings),
    async start() {
      const command = ['-c', script, 'sh', ...server, '-h', '127.0.0.1', ...given];
      shell = spawn('sh', command, { ...as(), cwd: folder, stdio: ['pipe', 'ignore', 'ignore'] });
      shell.unref();
      (shell.stdin as unknown as { unref(): void }).unref();
      await untilReady(`postgres://weft@127.0.0.1:${port}/postgres`, folder);
    },
    async kill() {
      const all = processes(data);
      for (const pid of all) end(pid);
      await eventually(() => {
        if (all.some(lives)) throw new Error('It is still there.');
      });
      shell?.stdin?.end();
      rmSync(join(data, 'postmaster.pid'), { force: true });
    },
    promote: async () => run(place, 'pg_ctl', 'promote', '-D', data, '-w'),
  };
}

/** The server and the processes that it has started. */
function processes(data: string): number[] {
  try {
    const [first = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1);
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
    return [Number(first), ...children.split(' ').filter(Boolean).map(Number)];
  } catch {
    return [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** One that nobody has asked for its exit code is over, too. */
function lives(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
