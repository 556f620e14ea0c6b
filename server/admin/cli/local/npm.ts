import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io } from '../io.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { StartError } from '../../../base/errors/start-error.ts';

/** Scripts of packages never run; a folder is copied as it would be published. */
const QUIET = ['--ignore-scripts', '--install-links', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs a package into the folder. Throws `package_not_found`, `package_damaged`, `registry_failed`, or a `StartError` with
 * npm's message.
 */
export async function npmInstall(spec: string, folder: string, io: Io): Promise<void> {
  await npm(['install', '--save-exact', ...QUIET, '--', spec], folder, io);
}

/**
 * Installs a package in place of the one with its name, even at the same version, for which npm alone would keep the old files.
 * If npm fails, or `check` rejects, the old package and npm's files are there again.
 */
export async function npmReplace(
  { spec, name }: { readonly spec: string; readonly name: string },
  folder: string,
  io: Io,
  check: (installed: string) => Promise<void>,
): Promise<void> {
  const place = join('node_modules', name);
  const before = await setAside(folder, place);
  try {
    await forgetLocked(folder, place);
    await npmInstall(spec, folder, io);
    await check(join(folder, place));
  } catch (error) {
    await before.restore();
    throw error;
  } finally {
    await before.discard();
  }
}

/** The files that npm writes beside the packages themselves. */
const NPM_FILES = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'] as const;

/** Moves an installed package away, and copies npm's files. The place is within the same disk, so that moving is one step. */
async function setAside(folder: string, place: string) {
  const kept = await mkdtemp(join(folder, '.weft-add-'));
  const move = async (from: string, to: string): Promise<void> => {
    if (!existsSync(join(from, place))) return;
    await mkdir(dirname(join(to, place)), { recursive: true });
    await rename(join(from, place), join(to, place));
  };
  const present = NPM_FILES.filter((file) => existsSync(join(folder, file)));
  const had = existsSync(join(folder, 'node_modules'));
  for (const file of present) await cp(join(folder, file), join(kept, file));
  await move(folder, kept);
  return {
    async restore(): Promise<void> {
      await rm(join(folder, had ? place : 'node_modules'), { recursive: true, force: true });
      for (const file of NPM_FILES)
        if (present.includes(file)) await cp(join(kept, file), join(folder, file));
        else await rm(join(folder, file), { force: true });
      await move(kept, folder);
    },
    discard: () => rm(kept, { recursive: true, force: true }),
  };
}

/** The lock file has the hash of a tarball, which another build of the same version does not match. */
async function forgetLocked(folder: string, place: string): Promise<void> {
  const file = join(folder, 'package-lock.json');
  if (!existsSync(file)) return;
  const lock = JSON.parse(await readFile(file, 'utf8')) as { packages?: Record<string, unknown> };
  delete lock.packages?.[place.replaceAll('\\', '/')];
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
}

export async function npmUninstall(name: string, folder: string, io: Io): Promise<void> {
  await npm(['uninstall', ...QUIET, '--', name], folder, io);
}

/** Installs a package into a folder of its own, calls `look` with its folder and name, and deletes everything. */
export async function withInstalled<T>(
  spec: string,
  io: Io,
  look: (folder: string, name: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-add-'));
  try {
    await npmInstall(spec, folder, io);
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const [name = ''] = Object.keys(dependencies);
    return await look(join(folder, 'node_modules', name), name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `--prefix`: without it, npm looks for a project in the folders above. */
function npm(args: readonly string[], folder: string, io: Io): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...io.env };
    const child = spawn('npm', ['--prefix', folder, ...args], {
      cwd: io.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', ({ message }) => reject(new StartError(`npm cannot be run: ${message}`)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(failureOf(args, output))));
  });
}

/** Our codes for those of npm. */
const CODES: readonly (readonly [RegExp, 'package_not_found' | 'package_damaged' | 'registry_failed'])[] = [
  [/^(E404|ETARGET|ENOVERSIONS|ENOTCACHED)$/, 'package_not_found'],
  [/^(EINTEGRITY|EBADSIZE|TAR_BAD_ARCHIVE|Z_DATA_ERROR|Z_BUF_ERROR)$/, 'package_damaged'],
  [
    /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH|EPROTO|E4\d\d|E5\d\d|ERR_INVALID_\w+|FETCH_ERROR|EJSONPARSE|ERR_STREAM_PREMATURE_CLOSE|CERT_\w+|\w+_CERT\w*)$/,
    'registry_failed',
  ],
];

function failureOf(args: readonly string[], output: string): Error {
  const npmCode = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1] ?? '';
  const code = CODES.find(([pattern]) => pattern.test(npmCode))?.[1];
  const message = `npm ${args[0]} failed:\n${output.trim()}`;
  return code === undefined ? new StartError(message) : new ServiceError(code, `${code}: ${message}`);
}
