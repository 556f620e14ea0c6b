import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { ModelAliases, ProviderBody } from '#shared/model-provider.ts';
import type { SecretGrants } from '#shared/secret.ts';
import { nearest } from '../errors/nearest.ts';
import { ownAddress } from './own-address.ts';
import { isLoopback } from './hosts.ts';
import type { OutboundLimits } from '../outbound/limits.ts';
import { environmentSecrets } from '../secrets/environment.ts';
import type { SamplerName } from './telemetry-settings.ts';
import type { Setting } from './config-setting.ts';
import { settings } from './config-settings.ts';

/** Settings of the server, read once (see `readConfig`). */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Folders with flow files, searched with their sub-folders; the first one takes new flows. Absolute. */
  readonly flows: readonly string[];
  readonly operators: string;
  /** Whether flows written in code are loaded. */
  readonly codeFlows: boolean;
  readonly data: string;
  readonly apiKeys: readonly string[];
  readonly adminPassword: string | undefined;
  readonly editor: 'on' | 'off';
  readonly deploy: 'on-save' | 'manual';
  readonly publicUrl: string | undefined;
  /** Where flows' answers are served, away from the editor (see `trigger-origin.ts`). */
  readonly triggerOrigin: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly trustProxy: boolean;
  readonly corsOrigins: readonly string[];
  readonly logLevel: 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly logFormat: 'json' | 'pretty';
  /** Bytes of one body, behind a key. */
  readonly bodyLimit: number;
  /** Bytes of all bodies that are held at once. */
  readonly bodyBudget: number;
  /** Connections at once from one address, websockets apart. */
  readonly maxConnections: number;
  /** Runs at once before new ones are refused with `overloaded`. */
  readonly maxRuns: number;
  readonly runsDays: number;
  /** In bytes. */
  readonly runsSize: number;
  /** When a step of a durable run counts as kept. */
  readonly durableSync: 'normal' | 'full';
  /** How long SIGTERM waits for runs in progress, in milliseconds. */
  readonly graceMs: number;
  /** Where flows may send requests beyond public addresses (see `outbound/allow-list.ts`). */
  readonly outboundAllow: readonly string[];
  /** Connections and waiting calls by destination (see `outbound/limits.ts`). */
  readonly outboundLimits: OutboundLimits;
  /** What runs code nodes: isolates of V8 where there is a binary, QuickJS, or nothing. */
  readonly code: 'on' | 'quickjs' | 'off';
  /** Key of the secrets file; without it the data folder keeps one. */
  readonly secretsKey: string | undefined;
  /** Values of WEFT_SECRET_<NAME>, by name in lower case. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Who may use secrets of the environment, by name. */
  readonly grants: Readonly<Record<string, SecretGrants>>;
  /** Providers of models, by id; more are kept in the data folder. */
  readonly providers: Readonly<Record<string, ProviderBody>>;
  /** The model that is asked where none is named. */
  readonly model: string | undefined;
  readonly modelAliases: ModelAliases;
  /** Where traces are sent to; undefined for nowhere. */
  readonly otlpEndpoint: string | undefined;
  readonly otelServiceName: string;
  readonly tracesSampler: SamplerName;
  /** Share of the runs that `traceidratio` traces, 0 to 1. */
  readonly tracesSamplerArg: number;
}

/** Where settings come from. */
export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of `weft.config.json`, and what relative paths start from. */
  readonly cwd: string;
  /** Standard output is a terminal that a person reads. */
  readonly terminal: boolean;
}

/** Settings that keep the server from starting. `mistakes` names all of them. */
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

/**
 * Reads the settings: the environment, then `weft.config.json`, then the defaults. Throws a `ConfigError` with all
 * mistakes; `warnings` are what works, but hardly as it was meant.
 */
export function readConfig(source: ConfigSource): { config: Config; warnings: string[] } {
  const mistakes: string[] = [];
  const file = readFile(source.cwd, mistakes);
  const values: Record<string, unknown> = {};
  for (const setting of settings) values[setting.name] = readSetting(setting, source, file, mistakes);
  values['secrets'] = environmentSecrets(source.env, mistakes);
  mistakes.push(...unknownFileNames(file), ...reservedNames(source.env));
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  const config = resolvePaths(values as unknown as Config, source.cwd);
  const weak = weakKeys(config);
  const unsafe = [
    exposureMistake(config),
    originMistake(config),
    isReachable(config) ? weak : undefined,
  ].flatMap((it) => it ?? []);
  if (unsafe.length > 0) throw new ConfigError(unsafe);
  return { config, warnings: [...unknownEnvNames(source.env), ...(weak === undefined ? [] : [weak])] };
}

type ConfigFile = Readonly<Record<string, unknown>>;

function readFile(cwd: string, mistakes: string[]): ConfigFile {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(cwd, fileName), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    const reason = error instanceof z.ZodError ? 'it must hold one JSON object' : (error as Error).message;
    mistakes.push(`${fileName} cannot be read: ${reason}.`);
    return {};
  }
}

function readSetting(setting: Setting, source: ConfigSource, file: ConfigFile, mistakes: string[]): unknown {
  const fromEnv = source.env[setting.env];
  // `WEFT_PORT= node server` means the default, as everywhere in shells.
  const isInEnv = fromEnv !== undefined && fromEnv !== '';
  const value = isInEnv ? fromEnv : file[setting.name];
  if (value === undefined) return setting.fallback(source);
  const result = setting.schema.safeParse(value);
  if (result.success) return result.data;
  const where = isInEnv ? setting.env : `${fileName}: ${setting.name}`;
  mistakes.push(`${where} ${setting.expects}${setting.secret ? '' : `; it is ${JSON.stringify(value)}`}.`);
  return undefined;
}

function unknownFileNames(file: ConfigFile): string[] {
  const names = settings.map((setting) => setting.name);
  return Object.keys(file)
    .filter((name) => !names.includes(name as keyof Config) && name !== '$schema')
    .map((name) => `${fileName}: there is no setting ${name}${suggestion(name, names)}`);
}

/** Names that later versions will read: better refused now than silently without effect. */
function reservedNames(env: ConfigSource['env']): string[] {
  const mistakes: string[] = [];
  if (env['WEFT_DATABASE_URL']) {
    mistakes.push('WEFT_DATABASE_URL is reserved: this version keeps its data in WEFT_DATA only. Unset it.');
  }
  return mistakes;
}

function unknownEnvNames(env: ConfigSource['env']): string[] {
  const names = settings.map((setting) => setting.env);
  const known = new Set([...names, 'WEFT_DATABASE_URL']);
  return Object.keys(env)
    .filter((name) => name.startsWith('WEFT_') && !name.startsWith('WEFT_SECRET_') && !known.has(name))
    .map((name) => `There is no setting ${name}${suggestion(name, names)}`);
}

/** Where only this machine can reach the server a short key may do; elsewhere it is a mistake. */
function weakKeys({ apiKeys }: Config): string | undefined {
  if (apiKeys.every((key) => key.length >= 16)) return undefined;
  return 'WEFT_API_KEYS has a key of less than 16 characters, which can be guessed; `openssl rand -base64 24` makes a good one.';
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
    data: resolve(cwd, config.data),
  };
}

function originMistake(config: Config): string | undefined {
  const own = new URL(ownAddress(config, config.port)).origin;
  if (config.triggerOrigin !== own) return undefined;
  return `WEFT_TRIGGER_ORIGIN is ${own}, where the editor is: name another host or port, or unset it.`;
}

function exposureMistake(config: Config): string | undefined {
  if (config.editor === 'off' || isLoopback(config.host) || config.adminPassword !== undefined)
    return undefined;
  return (
    `WEFT_HOST=${config.host} lets other machines reach the editor, so it needs WEFT_ADMIN_PASSWORD. ` +
    'Or set WEFT_EDITOR=off, which serves triggers only, or WEFT_HOST=127.0.0.1.'
  );
}
