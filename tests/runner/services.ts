import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './folders.ts';

/** A server that npm cannot install. Its tests are in `tests/services/<name>.test.ts`. */
export interface Service {
  readonly name: string;
  /** The environment variable for another address. */
  readonly variable: string;
  readonly defaultUrl: string;
}

export const services: readonly Service[] = [
  service('postgres', 'postgres://postgres@127.0.0.1:5432/test'),
  service('mariadb', 'mysql://root@127.0.0.1:3306/test'),
  service('redis', 'redis://127.0.0.1:6379'),
  service('rabbitmq', 'amqp://guest:guest@127.0.0.1:5672'),
  service('nats', 'nats://127.0.0.1:4222'),
  service('mosquitto', 'mqtt://127.0.0.1:1883'),
];

function service(name: string, defaultUrl: string): Service {
  return { name, variable: `TEST_${name.toUpperCase()}`, defaultUrl };
}

/** What tests start themselves: programs of the system, an S3 server and Restate from npm, and the image's layout in a namespace. */
export const programs: readonly string[] = [
  'nginx',
  'nginx-cluster',
  'caddy',
  's3',
  'restate',
  'restate-servers',
  'haproxy-restate',
  'chaos',
  'chaos-restate',
  'dovecot',
  'dovecot-kills',
  'lighttpd',
  'microsocks',
  'mariadbd',
  'pgbouncer',
  'postgres-tools',
  'postgres-failover',
  'squid',
  'sshd',
  'systemd-analyze',
  'tinyproxy',
  'image',
];

/** Not a dependency, because its hundred packages would be installed by everyone who tests. */
const S3_SERVER = 's3rver@3.7.1';
const s3Folder = join(cacheFolder, 's3-server');
export const s3ServerProgram = join(s3Folder, 'node_modules/s3rver/bin/s3rver.js');

/** Not a dependency, because it takes 220 MB. */
const RESTATE_SERVER = '@restatedev/restate-server@1.7.12';
const restateFolder = join(cacheFolder, 'restate-server');
export const restateProgram = join(
  restateFolder,
  `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);

/** The address of a service, from its variable or its default. */
export function addressOf(name: string): URL {
  const found = services.find((one) => one.name === name);
  if (!found) throw new Error(`tests/runner/services.ts has no service ${name}.`);
  return new URL(process.env[found.variable] ?? found.defaultUrl);
}

/**
 * The services that are reachable, and the programs that are installed. An absent one is reported and skipped, counted as neither
 * passed nor failed; with `TEST_SERVICES=all` all are returned, so that an absent one fails its tests.
 */
export async function presentServices(): Promise<readonly string[]> {
  const names = services.map(({ name }) => name);
  const listening = await Promise.all(names.map((name) => listens(addressOf(name))));
  const present = [
    ...names.filter((_, at) => listening[at]),
    ...programs.filter((name) => tellsPresence[name]?.() ?? isInstalled(name)),
  ];
  const all = [...names, ...programs];
  if (process.env['TEST_SERVICES'] === 'all') return all;
  for (const name of all) if (!present.includes(name)) console.log(`not run: ${name}`);
  return present;
}

const tellsPresence: Readonly<Record<string, () => boolean>> = {
  image: canLayOut,
  'dovecot-kills': () => isInstalled('dovecot'),
  sshd: () => isInstalled('sshd') && (process.getuid?.() !== 0 || mayUnshare()),
  'nginx-cluster': () => isInstalled('nginx'),
  'postgres-tools': () => postgresTools() !== undefined,
  'postgres-failover': () => postgresTools() !== undefined,
  s3: () => canInstall(S3_SERVER, s3Folder, s3ServerProgram),
  restate: canInstallRestate,
  'restate-servers': canInstallRestate,
  'haproxy-restate': () => isInstalled('haproxy') && canInstallRestate(),
  // It needs the PostgreSQL from npm only.
  chaos: () => true,
  'chaos-restate': canInstallRestate,
};

/** The folder of PostgreSQL's server and its tools for backup: in the path, or the newest where Debian puts them. */
export function postgresTools(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  const needed = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup', 'pg_ctl'];
  return folders.find((folder) => needed.every((name) => existsSync(join(folder, name))));
}

/** nginx lies in a folder that only root has in its path. */
function isInstalled(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Installs a package into a folder of its own, unless its program is there. */
function canInstall(name: string, folder: string, program: string): boolean {
  if (existsSync(program)) return true;
  const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts'];
  const npm = spawnSync('npm', ['install', '--prefix', folder, ...options, name]);
  return npm.status === 0 && existsSync(program);
}

/** Whether the server of Restate is there, or could be installed. */
export function canInstallRestate(): boolean {
  return canInstall(RESTATE_SERVER, restateFolder, restateProgram);
}

/** Whether this user may have a namespace for mounts. */
function mayUnshare(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}

/** Whether this user may mount a copy of the system over itself. */
function canLayOut(): boolean {
  const script = `
    mount --make-rprivate /
    mount -t tmpfs tmpfs /tmp
    mkdir /tmp/up /tmp/work /tmp/whole
    mount -t overlay overlay -o lowerdir=/,upperdir=/tmp/up,workdir=/tmp/work /tmp/whole`;
  return spawnSync('unshare', ['--mount', '--net', 'sh', '-ec', script]).status === 0;
}

const CONNECT_MS = 3000;

function listens({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(CONNECT_MS, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
