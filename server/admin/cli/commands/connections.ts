import { setTimeout as sleep } from 'node:timers/promises';
import { Id } from '#shared/flow.ts';
import type { SignInProgress, StartedSignIn } from '#shared/sign-in.ts';
import { ConnectionRate, type ConnectionTest } from '#shared/connection.ts';
import { connectionPlace, grantWords, rateWords } from '#shared/connection-labels.ts';
import { textOrJson } from '#shared/json.ts';
import type { Config } from '../../../base/config/config.ts';
import { foldersOfConnections } from '../../../base/files/data-folder.ts';
import { type Connections, openConnections } from '../../../integrations/connections/connections.ts';
import type { KnownConnection } from '../../../integrations/connections/stored-connections.ts';
import type { OwnData } from '../../control/own-data.ts';
import { type AskServer, withData } from '../../control/with-data.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { createOutbound, optionsOf } from '../../../base/outbound/outbound.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { openSecrets } from '../../../base/secrets/store.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { readSettings } from '../local/project.ts';

/** The connections, opened directly or through the server that uses the data folder. */
interface Known {
  list(): Promise<readonly KnownConnection[]>;
  test(name: string): Promise<ConnectionTest>;
  remove(name: string): Promise<void>;
  limit(name: string, rate: ConnectionRate | null): Promise<KnownConnection>;
  grant(name: string, flows: readonly string[]): Promise<KnownConnection>;
  authorize(name: string): Promise<StartedSignIn & { readonly isLocal: boolean }>;
  progress(name: string, id: string): Promise<SignInProgress>;
}

interface Named {
  readonly name: string;
  readonly json: boolean;
}

/** `weft connections list`: never shows hidden settings. */
export async function listConnections({ json }: { json: boolean }, io: Io): Promise<ExitCode> {
  const all = await withConnections(io, (known) => known.list());
  if (json) writeJson(io, all);
  else if (all.length === 0) io.stderr.write('There are no connections.\n');
  else io.stdout.write(all.map(lineOf).join(''));
  return 0;
}

/** `weft connections show`: settings and grants; for a hidden setting only whether it is set. */
export async function showConnection({ name, json }: Named, io: Io): Promise<ExitCode> {
  const one = await withConnections(io, async (known) => found(await known.list(), name));
  if (json) writeJson(io, one);
  else io.stdout.write(textOf(one));
  return 0;
}

/** `weft connections test`. Exit code 1 if it does not work. */
export async function testConnection({ name, json }: Named, io: Io): Promise<ExitCode> {
  checkName(name);
  const result = await withConnections(io, (known) => known.test(name));
  const { ok, about = '', ms, error } = result;
  if (json) writeJson(io, result);
  else if (ok) io.stdout.write(`${name} works: ${printable(about)} (${ms} ms)\n`);
  else io.stderr.write(`error: ${error?.code}: ${printable(error?.message ?? '')}\n`);
  return ok ? 0 : 1;
}

/** `weft connections remove`. */
export async function removeConnection({ name, json }: Named, io: Io): Promise<ExitCode> {
  checkName(name);
  await withConnections(io, (known) => known.remove(name));
  if (json) writeJson(io, { removed: name });
  else io.stderr.write(`Removed ${name}.\n`);
  return 0;
}

/** `weft connections limit`: how often flows may use it, such as `60/minute`; `none` removes the limit. */
export async function limitConnection(
  { name, json, limit, burst }: Named & { readonly limit: string; readonly burst: string | undefined },
  io: Io,
): Promise<ExitCode> {
  checkName(name);
  const rate = readRate(limit, burst);
  const info = await withConnections(io, (known) => known.limit(name, rate));
  if (json) writeJson(io, info);
  else io.stderr.write(`${name}: ${rate === null ? 'no rate limit' : rateWords(rate)}.\n`);
  return 0;
}

/** `weft connections grant`: lets more flows use it. */
export async function grantConnection(
  { name, json, flows }: Named & { readonly flows: readonly string[] },
  io: Io,
): Promise<ExitCode> {
  checkName(name);
  for (const flow of flows)
    if (!Id.safeParse(flow).success)
      throw new UsageError(`${printable(flow)} is no id of a flow; weft flows list shows them.`);
  const info = await withConnections(io, (known) => known.grant(name, flows));
  if (json) writeJson(io, info);
  else io.stderr.write(`${name}: granted to ${printable(grantWords(info.grants) ?? 'nobody')}.\n`);
  return 0;
}

/** Milliseconds between two looks at a sign-in. */
const LOOK_MS = 1000;

/**
 * `weft connections authorize`: prints the address where a person signs in, and waits until somebody has. Exit code 1 if the
 * sign-in fails or its time is over.
 */
export async function authorizeConnection({ name, json }: Named, io: Io): Promise<ExitCode> {
  checkName(name);
  return withConnections(io, async (known) => {
    const { isLocal, ...started } = await known.authorize(name);
    if (json) writeJson(io, started);
    else io.stdout.write(`${printable(started.address)}\n`);
    if (started.code !== undefined && !json) io.stdout.write(`Code: ${printable(started.code)}\n`);
    io.stderr.write(waitingWords(started, isLocal));
    for (;;) {
      const progress = await known.progress(name, started.id);
      if (progress.state === 'connected') {
        const who = progress.account === undefined ? '' : ` as ${printable(progress.account)}`;
        io.stderr.write(`Connected${who}.\n`);
        return 0;
      }
      if (progress.state === 'failed') {
        io.stderr.write(`error: ${progress.code}: ${printable(progress.message ?? '')}\n`);
        return 1;
      }
      await sleep(LOOK_MS);
    }
  });
}

function waitingWords({ by, until }: StartedSignIn, isLocal: boolean): string {
  const where =
    by === 'device'
      ? 'Open the address on any machine, and type the code there.'
      : isLocal
        ? 'Open the address in a browser on this machine: without WEFT_PUBLIC_URL the provider sends it back to 127.0.0.1. From another machine, forward the port (ssh -L), or set WEFT_PUBLIC_URL.'
        : 'Open the address in a browser.';
  return `${where} Waiting until ${until} …\n`;
}

/** `60/minute` as a rate. */
function readRate(text: string, burst: string | undefined): ConnectionRate | null {
  if (text === 'none' && burst === undefined) return null;
  const [, limit, per] = /^(\d+)\/(\w+)$/.exec(text) ?? [];
  const read = ConnectionRate.safeParse({
    limit: Number(limit),
    per,
    ...(burst && { burst: Number(burst) }),
  });
  if (read.success) return read.data;
  throw new UsageError(
    'Give a limit such as 10/second, 600/minute, 1000/hour or 5000/day (1 to 100000), with --burst a whole number from 1 on; or none.',
  );
}

function checkName(name: string): void {
  if (!Id.safeParse(name).success)
    throw new UsageError(`${printable(name)} is no name of a connection; weft connections list shows them.`);
}

async function withConnections<T>(io: Io, work: (known: Known) => Promise<T>): Promise<T> {
  const config = readSettings(io);
  return withData(
    config,
    (own) => alone(config, own, work),
    (ask) => work(ofServer(ask)),
  );
}

async function alone<T>(
  config: Config,
  { documents, secretStorage, note, sql }: OwnData,
  work: (known: Known) => Promise<T>,
): Promise<T> {
  const { data, secretsKey: key, secrets: environment, grants } = config;
  const { folders, mails } = foldersOfConnections(config);
  const db = await documents();
  const redactor = createRedactor();
  const untrusted = new Map();
  const sealer = openSecrets({
    data,
    key,
    secretStorage,
    environment,
    grants,
    untrusted,
    redactor,
    now: Date.now,
  });
  const outbound = createOutbound(optionsOf(config));
  const parts = { db, sealer, redactor, sockets: outbound, http: outbound, folders, mails, untrusted, sql };
  const connections: Connections = openConnections({ ...parts, now: Date.now });
  try {
    return await work({
      list: async () => connections.list(),
      async test(name) {
        const result = await connections.test(name);
        await note('connection tested', { connection: name, ok: result.ok });
        return result;
      },
      async remove(name) {
        const notRevoked = await connections.remove(name);
        await note('connection removed', { connection: name, ...(notRevoked && { notRevoked }) });
      },
      async limit(name, rate) {
        const info = await connections.limit(name, rate);
        await note('connection changed', { connection: name, rate });
        return info;
      },
      async grant(name, flows) {
        const info = await connections.grant(name, flows);
        await note('connection changed', { connection: name, grants: info.grants });
        return info;
      },
      authorize: async () => {
        throw new ServiceError(
          'oauth_failed',
          'Start the server first: the provider sends the person back to it.',
        );
      },
      progress: async () => ({ state: 'waiting' }),
    });
  } finally {
    connections.close();
    await outbound.close();
  }
}

function ofServer(ask: AskServer): Known {
  return {
    list: async () => (await ask({ do: 'connections.list' })) as KnownConnection[],
    test: async (name) => (await ask({ do: 'connections.test', name })) as ConnectionTest,
    remove: async (name) => void (await ask({ do: 'connections.remove', name })),
    limit: async (name, rate) => (await ask({ do: 'connections.limit', name, rate })) as KnownConnection,
    grant: async (name, flows) =>
      (await ask({ do: 'connections.grant', name, flows: [...flows] })) as KnownConnection,
    authorize: async (name) =>
      (await ask({ do: 'connections.authorize', name })) as StartedSignIn & { isLocal: boolean },
    progress: async (name, id) => (await ask({ do: 'connections.progress', name, id })) as SignInProgress,
  };
}

function found(all: readonly KnownConnection[], name: string): KnownConnection {
  const one = all.find((known) => known.name === name);
  if (one !== undefined) return one;
  throw new ServiceError('connection_not_found', `There is no connection ${printable(name)}.`);
}

function lineOf(one: KnownConnection): string {
  const granted = one.broken ?? grantWords(one.grants) ?? 'granted to nobody';
  const who = one.rate ? `${granted}; ${rateWords(one.rate)}` : granted;
  return `${one.name}  ${one.kind}  ${printable(connectionPlace(one))}  ${printable(who)}\n`;
}

function textOf({ name, kind, settings, hidden, grants, rate, updatedAt, broken }: KnownConnection): string {
  const rows: [string, string][] = [
    ['kind', kind],
    ...Object.entries(settings).map(([field, value]): [string, string] => [field, textOrJson(value)]),
    ...hidden.map((field): [string, string] => [field, '(hidden)']),
    ['grants', grantWords(grants) ?? 'nobody'],
    ['rate', rate ? rateWords(rate) : 'no limit'],
    ['changed', updatedAt],
    ...(broken === undefined ? [] : [['broken', broken] satisfies [string, string]]),
  ];
  const width = Math.max(...rows.map(([field]) => field.length));
  return `${name}\n${rows.map(([field, value]) => `  ${field.padEnd(width)}  ${printable(value).replaceAll('\n', ' ')}\n`).join('')}`;
}
