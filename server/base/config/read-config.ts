import { existsSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { codedStartError } from '../errors/start-error.ts';
import { nearest } from '../errors/nearest.ts';
import { environmentSecrets } from '../secrets/environment.ts';
import { type Config, settings } from './config.ts';
import { isLoopback } from './hosts.ts';
import { ownAddress } from './own-address.ts';
import type { ConfigSource, Setting } from './setting.ts';

/** Settings that prevent the server from starting. `mistakes` lists all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    );
    this.mistakes = mistakes;
  }
}

const fileName = 'weft.config.json';
const table: readonly (readonly [string, Setting])[] = Object.entries(settings);

/**
 * Reads the settings: the environment, then `weft.config.json`, then the defaults. Throws a `ConfigError` with all
 * mistakes; `warnings` are about settings that work, but probably not as intended.
 */
export function readConfig(source: ConfigSource): { config: Config; warnings: string[] } {
  const mistakes: string[] = [];
  const file = readFile(source.cwd, mistakes);
  const values: Record<string, unknown> = {};
  for (const [name, setting] of table) values[name] = readSetting({ name, setting, source, file }, mistakes);
  values['sources'] = Object.fromEntries(
    table.flatMap(([name, { env }]) => {
      if (isIn(source.env, env)) return [[name, 'environment']];
      return file[name] === undefined ? [] : [[name, 'file']];
    }),
  );
  values['secrets'] = environmentSecrets(source.env, mistakes);
  mistakes.push(...unknownFileNames(file));
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  const config = forItsRole(resolvePaths(values as unknown as Config, source.cwd));
  const weak = weakKeys(config);
  const unsafe = [
    exposureMistake(config),
    originMistake(config),
    foldersMistake(config),
    databaseMistake(config),
    restateMistake(config),
    flowsMistake(config),
    proxyMistake(config),
    isReachable(config) ? weak : undefined,
  ].flatMap((it) => it ?? []);
  if (unsafe.length > 0) throw new ConfigError(unsafe);
  const doubtful = [weak, linksWarning(config)].flatMap((it) => it ?? []);
  return { config, warnings: [...unknownEnvNames(source.env), ...doubtful] };
}

/** A worker serves no pages. */
function forItsRole(config: Config): Config {
  return config.role === 'worker' ? { ...config, editor: 'off' } : config;
}

/** Links in messages to people are built by the server that executes the run. */
function linksWarning({ role, publicUrl, triggerOrigin }: Config): string | undefined {
  if (role !== 'worker' || publicUrl !== undefined || triggerOrigin !== undefined) return undefined;
  return (
    'WEFT_ROLE=worker without WEFT_PUBLIC_URL: questions to people would lead to this server, which does not answer them. ' +
    'Set the address of the servers that do.'
  );
}

type ConfigFile = Readonly<Record<string, unknown>>;

function readFile(cwd: string, mistakes: string[]): ConfigFile {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(cwd, fileName), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    const reason = error instanceof z.ZodError ? 'it must contain one JSON object' : (error as Error).message;
    mistakes.push(`${fileName} cannot be read: ${reason}.`);
    return {};
  }
}

interface Asked {
  readonly name: string;
  readonly setting: Setting;
  readonly source: ConfigSource;
  readonly file: ConfigFile;
}

/** `WEFT_PORT= node server` means the default, as everywhere in shells. */
const isIn = (env: ConfigSource['env'], name: string): boolean => env[name] !== undefined && env[name] !== '';

function readSetting({ name, setting, source, file }: Asked, mistakes: string[]): unknown {
  const isInEnv = isIn(source.env, setting.env);
  const value = isInEnv ? source.env[setting.env] : file[name];
  if (value === undefined) return setting.fallback(source);
  const result = setting.schema.safeParse(value);
  if (result.success) return result.data;
  const where = isInEnv ? setting.env : `${fileName}: ${name}`;
  mistakes.push(
    `${where} must be ${setting.expects}${setting.secret ? '' : `; it is ${JSON.stringify(value)}`}.`,
  );
  return undefined;
}

function unknownFileNames(file: ConfigFile): string[] {
  const names = Object.keys(settings);
  return Object.keys(file)
    .filter((name) => !names.includes(name) && name !== '$schema')
    .map((name) => `${fileName}: there is no setting ${name}${suggestion(name, names)}`);
}

/** The key of the command line, which may be set in the terminal where a server is started. */
const OF_COMMANDS = ['WEFT_API_KEY'];

function unknownEnvNames(env: ConfigSource['env']): string[] {
  const names = table.map(([, { env: variable }]) => variable);
  const known = new Set([...names, ...OF_COMMANDS]);
  return Object.keys(env)
    .filter((name) => name.startsWith('WEFT_') && !name.startsWith('WEFT_SECRET_') && !known.has(name))
    .map((name) => `There is no setting ${name}${suggestion(name, names)}`);
}

/** A short key is acceptable if only this machine can reach the server; otherwise it is a mistake. */
function weakKeys({ apiKeys }: Config): string | undefined {
  if (apiKeys.every((key) => key.length >= 16)) return undefined;
  return 'WEFT_API_KEYS has a key of less than 16 characters, which can be guessed; `openssl rand -base64 24` creates a good one.';
}

/** Whether other machines are meant to reach the server, by itself or through a proxy. */
function isReachable({ host, publicUrl, trustProxy }: Config): boolean {
  return !isLoopback(host) || publicUrl !== undefined || trustProxy;
}

function suggestion(name: string, names: readonly string[]): string {
  const close = nearest(name, names);
  return close === undefined ? '.' : `; did you mean ${close}?`;
}

function resolvePaths(config: Config, cwd: string): Config {
  return {
    ...config,
    flows: config.flows.map((folder) => resolve(cwd, folder)),
    operators: resolve(cwd, config.operators),
    packages: config.packages.map((name) => packageFolder(name, cwd)),
    data: resolve(cwd, config.data),
    folders: Object.fromEntries(
      Object.entries(config.folders).map(([name, folder]) => [name, resolve(cwd, folder)]),
    ),
  };
}

/** The `node_modules` in which Weft itself is installed; undefined in a checkout. */
const BESIDE_WEFT = nodeModulesOf(fileURLToPath(import.meta.url));

/**
 * The folder of a package of the settings: in `node_modules` of the working folder, where `weft add` installs it, or else beside Weft
 * itself, where an image has it. The first of them if there is none.
 */
export function packageFolder(name: string, cwd: string, beside: string | undefined = BESIDE_WEFT): string {
  const own = resolve(cwd, 'node_modules', name);
  if (beside === undefined || existsSync(own)) return own;
  const there = join(beside, name);
  return existsSync(there) ? there : own;
}

function nodeModulesOf(file: string): string | undefined {
  return /^.*[/\\]node_modules(?=[/\\])/.exec(file)?.[0];
}

function originMistake(config: Config): string | undefined {
  const own = new URL(ownAddress(config, config.port)).origin;
  if (config.triggerOrigin !== own) return undefined;
  return `WEFT_TRIGGER_ORIGIN is ${own}, which is also the editor: use another host or port, or unset it.`;
}

/** The server's own data are not for flows, whichever folder is inside the other. */
function foldersMistake({ folders, flows, operators, data }: Config): string | undefined {
  const within = (inner: string, outer: string): boolean =>
    inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
  for (const [name, folder] of Object.entries(folders))
    for (const own of [data, operators, ...flows])
      if (within(folder, own) || within(own, folder))
        return `WEFT_FOLDERS: ${name} is ${folder}, which overlaps with ${own}, a folder of the server: choose another one.`;
  return undefined;
}

function databaseMistake({
  databaseUrl,
  databaseDirectUrl,
  internalUrl,
  secretsKey,
  role,
}: Config): string | undefined {
  if (databaseUrl === undefined) {
    if (role !== 'all')
      return codedStartError(
        'role_needs_database',
        `WEFT_ROLE=${role} leaves work to other servers, and a data folder has none. ` +
          'Set WEFT_DATABASE_URL and WEFT_SECRETS_KEY (docs/cluster.md), or leave WEFT_ROLE at all.',
      ).message;
    if (databaseDirectUrl !== undefined) return alone('WEFT_DATABASE_DIRECT_URL');
    return internalUrl === undefined ? undefined : alone('WEFT_INTERNAL_URL');
  }
  if (secretsKey !== undefined) return undefined;
  return (
    'WEFT_DATABASE_URL needs WEFT_SECRETS_KEY. Use the key of the other servers; ' +
    'for a database that is new, `openssl rand -base64 32` creates one.'
  );
}

function proxyMistake({ proxy, proxyCredentials }: Config): string | undefined {
  return proxy === undefined && proxyCredentials !== undefined
    ? alone('WEFT_PROXY_CREDENTIALS', 'WEFT_PROXY')
    : undefined;
}

function flowsMistake({ flowsFrom = 'folders', flowsCredentials, databaseUrl }: Config): string | undefined {
  if (flowsFrom !== 'folders' && databaseUrl === undefined)
    return codedStartError(
      'flows_need_database',
      'WEFT_FLOWS_FROM is neither unset nor `folders`, and there is no database. ' +
        'Set WEFT_DATABASE_URL and WEFT_SECRETS_KEY (docs/cluster.md).',
    ).message;
  if (flowsCredentials === undefined || flowsFrom.startsWith('git+http')) return undefined;
  return alone('WEFT_FLOWS_CREDENTIALS', 'a git+https address in WEFT_FLOWS_FROM');
}

/** Anyone who reaches the port for Restate could invent results of steps, so only Restate may reach it. */
function restateMistake(config: Config): string | undefined {
  const { restateUrl, restateAdminUrl, restateServiceUrl, restateIdentityKey, databaseUrl } = config;
  if (restateUrl === undefined) {
    const others = { restateAdminUrl, restateServiceUrl, restateIdentityKey };
    const [lost] = Object.entries(others).filter(([, value]) => value !== undefined);
    return lost && alone(settings[lost[0] as keyof typeof others].env, 'WEFT_RESTATE_URL');
  }
  if (databaseUrl === undefined) return alone('WEFT_RESTATE_URL');
  if (restateAdminUrl === undefined)
    return 'WEFT_RESTATE_URL needs WEFT_RESTATE_ADMIN_URL, the admin address of the same Restate server.';
  if (restateServiceUrl === undefined || isLoopback(new URL(restateServiceUrl).hostname)) return undefined;
  if (restateIdentityKey !== undefined) return undefined;
  return (
    `WEFT_RESTATE_SERVICE_URL=${restateServiceUrl} lets other machines reach WEFT_RESTATE_PORT, so it needs ` +
    'WEFT_RESTATE_IDENTITY_KEY, the public key that Restate prints at its start with `request-identity-private-key-pem-file`.'
  );
}

function alone(name: string, other = 'WEFT_DATABASE_URL'): string {
  return `${name} has no effect without ${other}: set both, or none.`;
}

function exposureMistake(config: Config): string | undefined {
  if (config.editor === 'off' || isLoopback(config.host) || config.adminPassword !== undefined)
    return undefined;
  return (
    `WEFT_HOST=${config.host} lets other machines reach the editor, so it needs WEFT_ADMIN_PASSWORD. ` +
    'Or set WEFT_EDITOR=off, which serves triggers only, or WEFT_HOST=127.0.0.1.'
  );
}
