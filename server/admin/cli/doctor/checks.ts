import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProviderInfo } from '#shared/model-provider.ts';
import { openDb } from '../../../base/adapters/db.ts';
import type { Config } from '../../../base/config/config.ts';
import { diskUsage, reserveOf } from '../../../base/files/disk-usage.ts';
import { isInstalled } from '../../../access/http/version.ts';
import { discoverModels } from '../../../integrations/models/discover.ts';
import { createProviderStore, fixedProviders } from '../../../integrations/models/provider-store.ts';
import { createOutbound, optionsOf } from '../../../base/outbound/outbound.ts';
import { createCode } from '../../../integrations/sandbox/create-code.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { openSecrets } from '../../../base/secrets/store.ts';
import { storeFormats } from '../../../storage/database/manifest.ts';
import { checkAddress, checkProcesses } from './address.ts';
import type { Finding, Machine } from './finding.ts';
import { checkOutside } from './outside.ts';
import { checkOperators } from './operators.ts';
import { checkProxy, checkSharedDatabase } from './shared-database.ts';

const MB = 1024 ** 2;
/** Below the first, storing will fail soon; below the second, later. */
const NO_SPACE = 64 * MB;
const LITTLE_SPACE = 1024 * MB;

/** Checks everything that concerns a server with these settings. Changes nothing; a check that fails to run is a finding too. */
export async function checkServer(config: Config, machine: Machine): Promise<Finding[]> {
  const parts = await Promise.all([
    checkStores(config),
    checkAddress(config),
    checkSharedDatabase(config),
    checkSandbox(config),
    Promise.resolve(checkEditor(config, machine)),
    checkSpace(config, machine),
    checkOutside(config, machine),
    checkProviders(config),
    checkOperators(config),
  ]);
  const found = parts.flat();
  return [
    ...checkFlows(config),
    ...checkData(config),
    ...checkFolders(config),
    ...checkProcesses(config),
    ...checkProxy(config),
    ...found,
    ...checkClock(config, machine),
  ];
}

// ----------------------------------------------------------------------------------------------------- folders

function checkFlows({ flows, editor }: Config): Finding[] {
  const about = 'flows';
  return flows.map((folder): Finding => {
    if (!existsSync(folder)) return { about, state: 'note', says: `${folder} is made at the first start.` };
    if (!mayUse(folder, constants.R_OK | constants.X_OK))
      return {
        about,
        state: 'error',
        says: `${folder} cannot be read by this user.`,
        todo: `Give this user the right to read it, or set WEFT_FLOWS to another folder.`,
      };
    if (editor === 'on' && !mayUse(folder, constants.W_OK))
      return {
        about,
        state: 'warning',
        says: `${folder} cannot be written by this user: the editor can save nothing there.`,
        todo: 'Give this user the right to write it, or set WEFT_EDITOR=off.',
      };
    return { about, state: 'ok', says: folder };
  });
}

function checkData({ data }: Config): Finding[] {
  const about = 'data';
  const place = existing(data);
  if (!mayUse(place, constants.R_OK | constants.W_OK | constants.X_OK))
    return [
      {
        about,
        state: 'error',
        says: `${data} cannot be ${place === data ? 'used' : 'made'} by this user.`,
        todo: 'Set WEFT_DATA to a folder that this user may write, or give this user the rights.',
      },
    ];
  if (place !== data) return [{ about, state: 'note', says: `${data} is made at the first start.` }];
  const isOpen = process.platform !== 'win32' && (statSync(data).mode & 0o077) !== 0;
  return isOpen
    ? [
        {
          about,
          state: 'warning',
          says: `${data} is open to other users of this machine, who can read runs.`,
          todo: `chmod 700 ${data}`,
        },
      ]
    : [{ about, state: 'ok', says: data }];
}

/** The folders of WEFT_FOLDERS in which files and SQLite databases cannot be. */
function checkFolders({ folders }: Config): Finding[] {
  return Object.entries(folders).flatMap(([name, folder]): Finding[] => {
    const isThere = existsSync(folder);
    if (isThere && mayUse(folder, constants.R_OK | constants.X_OK)) return [];
    const says = `${name} of WEFT_FOLDERS is ${folder}, which ${isThere ? 'cannot be read by this user' : 'does not exist'}.`;
    const todo = isThere ? 'Give this user the rights, or name another folder.' : `mkdir -p ${folder}`;
    return [{ about: 'folders', state: 'warning', says, todo }];
  });
}

/** Little free space, with the largest kind of data in the data folder. */
async function checkSpace({ data, diskReserve }: Config, { space }: Machine): Promise<Finding[]> {
  const disk = await space(existing(data));
  const { free } = disk;
  const isRefusing = free < reserveOf(disk, diskReserve);
  if (free >= LITTLE_SPACE && !isRefusing) return [];
  const used = Object.entries(await diskUsage(data)).sort(([, a], [, b]) => b - a);
  const parts = used.filter(([, bytes]) => bytes >= MB).map(([kind, bytes]) => `${kind} ${inMb(bytes)}`);
  const taken = parts.length > 0 ? `; in it are ${parts.join(', ')}` : '';
  const refused = isRefusing ? ', so no files are stored (WEFT_DISK_RESERVE)' : '';
  return [
    {
      about: 'disk',
      state: free < NO_SPACE ? 'error' : 'warning',
      says: `${inMb(free)} are free on the disk of ${data}${refused}${taken}.`,
      todo: 'Free space, or lower WEFT_RUNS_SIZE or WEFT_RUNS_DAYS, so that fewer runs and their files are stored.',
    },
  ];
}

function inMb(bytes: number): string {
  return `${Math.floor(bytes / MB)} MB`;
}

function mayUse(folder: string, rights: number): boolean {
  try {
    accessSync(folder, rights);
    return true;
  } catch {
    return false;
  }
}

/** The folder, or the nearest one above it that exists. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

// ------------------------------------------------------------------------------------------------------ stores

async function checkStores(config: Config): Promise<Finding[]> {
  const { data } = config;
  const about = 'stores';
  if (!existsSync(data)) return [];
  const checks = [
    async () => checkFormats(data),
    async () => checkDatabases(data),
    async () => void openSecrets({ ...secretDeps(config), now: Date.now }),
    async () => {
      if (existsSync(join(data, 'db.json'))) await openDb(join(data, 'db.json'));
    },
  ];
  const found: Finding[] = [];
  for (const check of checks) {
    try {
      found.push(...((await check()) ?? []));
    } catch (error) {
      const todo = 'Restore a backup (docs/backup.md), or follow the advice in the line.';
      found.push({ about, state: 'error', says: (error as Error).message, todo });
    }
  }
  const isWell = found.every(({ state }) => state === 'note');
  return isWell ? [{ about, state: 'ok', says: 'All can be opened.' }, ...found] : found;
}

/** Throws a `StartError` for a damaged manifest. */
function checkFormats(data: string): Finding[] {
  return storeFormats(data).flatMap(({ store, found, known }): Finding[] => {
    const about = 'stores';
    if (found > known)
      return [
        {
          about,
          state: 'error',
          says: `${store} has format ${found}, and this version knows ${known} at most: a newer Weft wrote it.`,
          todo: 'Start that version or a later one, or restore a backup that this version can read.',
        },
      ];
    if (found === known) return [];
    const says = `${store} is brought from format ${found} to ${known} at the next start; a copy is kept in before-migration.`;
    return [{ about, state: 'note', says }];
  });
}

/** Throws an error for a database that is damaged. */
function checkDatabases(data: string): void {
  for (const name of ['weft.db', 'durable.db']) {
    const file = join(data, name);
    if (!existsSync(file)) continue;
    try {
      using db = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
      const verdict = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
      if (verdict !== 'ok') throw new Error(String(verdict));
    } catch (error) {
      throw new Error(`${file} is damaged or cannot be read: ${(error as Error).message}.`, { cause: error });
    }
  }
}

function secretDeps({
  data,
  secretsKey: key,
  secretsKeyNext: nextKey,
  secrets: environment,
  grants,
}: Config) {
  return { data, key, nextKey, environment, grants, redactor: createRedactor() };
}

// --------------------------------------------------------------------------------------------- sandbox, editor

async function checkSandbox(config: Config): Promise<Finding[]> {
  const about = 'code';
  const warnings: string[] = [];
  const sandbox = createCode(config, { services: () => ({}), warn: (text) => void warnings.push(text) });
  if (!sandbox) return [{ about, state: 'note', says: 'Code nodes are off (WEFT_CODE=off).' }];
  try {
    const result = await sandbox.run(oneCall());
    if (result !== 2) throw new Error(`1 + 1 gives ${JSON.stringify(result)}.`);
    if (config.code === 'on' && sandbox.engines.includes('quickjs'))
      return [
        {
          about,
          state: 'warning',
          says: 'Code runs in QuickJS, which is slower: isolated-vm has no binary for this machine and this Node.',
          todo: `Run Weft on Linux (x64, arm64), macOS (arm64) or Windows (x64) with Node 24, or accept it with WEFT_CODE=quickjs.`,
        },
      ];
    return [{ about, state: 'ok', says: `The sandbox runs code (${sandbox.engines.join(', ')}).` }];
  } catch (error) {
    const says = [(error as Error).message, ...warnings].join(' ');
    return [{ about, state: 'error', says, todo: sandboxTodo(config) }];
  } finally {
    sandbox.close();
  }
}

function sandboxTodo({ codeHost }: Config): string {
  if (codeHost !== undefined)
    return `Start the sandbox at unix:${codeHost} (node server/code-host.js), or unset WEFT_CODE_HOST.`;
  return 'Set WEFT_CODE=quickjs, or WEFT_CODE=off if no flow has code.';
}

function oneCall() {
  const code = { source: 'return 1 + 1;', language: 'javascript', pure: true, cpuMs: 1000 } as const;
  const asker = { flow: '', version: '', run: '', node: '', operator: 'code.run' };
  const signal = AbortSignal.timeout(20_000);
  const context = {
    trigger: undefined,
    vars: undefined,
    item: undefined,
    index: undefined,
    attempt: 1,
    idempotencyKey: '',
    asker,
    signal,
    log() {},
  };
  return { code, input: null, context };
}

/** Whether the page exists with all files that it names. */
function checkEditor({ editor }: Config, { editor: folder }: Machine): Finding[] {
  const about = 'editor';
  if (editor === 'off') return [{ about, state: 'note', says: 'It is off (WEFT_EDITOR=off).' }];
  const todo = isInstalled
    ? 'Install the package again.'
    : 'npm start builds it; node server alone does not.';
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return [{ about, state: 'error', says: 'It was not built.', todo }];
  const named = [...readFileSync(page, 'utf8').matchAll(/(?:src|href)="\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  const missing = named.filter((path) => !existsSync(join(folder, path)));
  if (missing.length === 0) return [{ about, state: 'ok', says: 'It is built, with all its files.' }];
  return [{ about, state: 'error', says: `Files of it are missing: ${missing.join(', ')}.`, todo }];
}

// --------------------------------------------------------------------------------------------------- providers

/** Asks each provider for its models, as the editor does. */
async function checkProviders(config: Config): Promise<Finding[]> {
  const about = 'models';
  const { port } = config;
  try {
    const providers = (await providersOf(config)).filter(({ type }) => type !== 'demo');
    if (providers.length === 0)
      return [{ about, state: 'note', says: 'No provider; only the demo model answers.' }];
    const http = createOutbound({ ...optionsOf(config), ownPort: () => port });
    const secrets = openSecrets({ ...secretDeps(config), now: Date.now });
    const ask = async ({ id, type, baseUrl, key, allow: own }: ProviderInfo): Promise<Finding> => {
      if (type === 'demo') return { about, state: 'ok', says: id };
      try {
        const { models } = await discoverModels({ type, baseUrl, key, allow: own }, { http, secrets });
        return { about, state: 'ok', says: `${id} answers and offers ${models.length} models.` };
      } catch (error) {
        const todo = 'Check its address and key (docs/models.md), the network, and the grants of the secret.';
        return { about, state: 'error', says: `${id}: ${(error as Error).message}`, todo };
      }
    };
    const found = await Promise.all(providers.map(ask));
    await http.close();
    return found;
  } catch {
    // The stores are damaged, which is a finding of its own.
    return [{ about, state: 'note', says: 'Not checked: the stored providers cannot be read.' }];
  }
}

async function providersOf({ data, providers }: Config): Promise<readonly ProviderInfo[]> {
  const file = join(data, 'db.json');
  if (!existsSync(file)) return fixedProviders(providers).list();
  return createProviderStore(await openDb(file), providers).list();
}

// ------------------------------------------------------------------------------------------------------- clock

/** Minutes by which clocks may differ. */
const DRIFT_MIN = 5;

/** A file from the future means that the clock was set back: schedules would be late, and keys and sessions live too long. */
function checkClock({ data }: Config, { now }: Machine): Finding[] {
  const about = 'clock';
  const shown = `${new Date(now()).toISOString()}, time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  const times = (existsSync(data) ? readdirSync(data) : []).map((name) => timeOf(join(data, name)));
  const ahead = Math.round((Math.max(0, ...times) - now()) / 60_000);
  if (ahead < DRIFT_MIN) return [{ about, state: 'ok', says: shown }];
  return [
    {
      about,
      state: 'error',
      says: `It says ${shown}, and the newest file of the data folder is ${ahead} minutes younger.`,
      todo: 'Set the clock, and let it follow a time server (NTP).',
    },
  ];
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
