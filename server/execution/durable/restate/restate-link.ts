import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type * as Sdk from '@restatedev/restate-sdk';
import { WeftError } from '#engine';
import { codedStartError } from '../../../base/errors/start-error.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import type { Attempt, Carrier } from './run-object.ts';
import { runObject } from './run-object.ts';

/** Users of Restate install it themselves: it is larger than everything else that Weft needs for durable runs. */
const SDK = '@restatedev/restate-sdk';
/** How long Restate has to answer, in milliseconds. */
const ANSWER_MS = 10_000;
/** Older servers lack options that the run's service uses. */
const OLDEST = [1, 5] as const;

/** Addresses of Restate, and of this server for it. */
export interface RestateSettings {
  /** The address of Restate's ingress. */
  readonly url: string;
  readonly adminUrl: string;
  /** How Restate reaches this server; absent if it only sends runs to Restate. */
  readonly executes: Executing | undefined;
  /** The service's name; other users of the same Restate need another one. */
  readonly service: string;
}

interface Executing {
  /** The address of this server, or of a balancer in front of all servers. */
  readonly serviceUrl: string;
  /** The host name or address that this server listens on. */
  readonly host: string | undefined;
  readonly port: number;
  /** Restate's public key: requests that it has not signed are refused. */
  readonly identityKey?: string | undefined;
}

/** This server's connection with Restate, both ways. */
export interface RestateLink {
  /** Hands attempts to `carrier`; until then Restate is asked to try again. */
  carry(carrier: Carrier): void;
  /** Resolves once Restate has stored the invocation. Rejects with `storage_failed`. */
  send(run: string, handler: 'pass' | 'forget', input: unknown): Promise<void>;
  /** Resolves to the answer. Rejects with `storage_failed`. */
  call<T>(run: string, handler: 'steps', input: unknown): Promise<T>;
  close(): Promise<void>;
  /** Cuts all connections. */
  kill(): Promise<void>;
}

/**
 * The service's name: the same on all servers of a database, and different for each database. It is derived from the
 * database's name and the time at which its tables were made.
 */
export async function serviceOf(sql: Sql): Promise<string> {
  const row = await sql.first<{ readonly name: string; readonly made: number }>(
    'SELECT current_database() AS name, min(at) AS made FROM migration',
  );
  const tag = createHash('sha256').update(`restate service of ${row?.name}, ${row?.made}`).digest('hex');
  return `weft-${tag.slice(0, 16)}`;
}

/** Listens for Restate and registers there, if it executes runs. Throws a `StartError` that begins with a code. */
export async function openRestate(settings: RestateSettings): Promise<RestateLink> {
  await checkServer(settings);
  const { executes } = settings;
  const calls = callsOf(settings);
  if (executes === undefined)
    return { ...calls, carry: () => {}, close: async () => {}, kill: async () => {} };
  return { ...calls, ...(await serve(settings, executes)) };
}

async function serve(
  { adminUrl, service }: RestateSettings,
  { serviceUrl, host, port, identityKey }: Executing,
): Promise<Pick<RestateLink, 'carry' | 'close' | 'kill'>> {
  const sdk = await loadSdk();
  let carrier: Carrier | undefined;
  const carried: Carrier = {
    attempt: (of): Attempt => {
      if (carrier === undefined) throw new Error('The server is starting.');
      return carrier.attempt(of);
    },
  };
  const handler = sdk.createEndpointHandler({
    services: [runObject(sdk, service, carried)],
    ...(identityKey !== undefined && { identityKeys: [identityKey] }),
    // A pass that is given up is logged where that happens, and Restate logs its repeats.
    logger: () => {},
  });
  const server = createServer(handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  const cut = (): void => {
    for (const session of sessions) session.destroy();
  };
  await listen(server, host, port);
  try {
    await register(adminUrl, serviceUrl);
  } catch (error) {
    cut();
    server.close();
    throw error;
  }
  return { ...endsOf(server, sessions, cut), carry: (to) => void (carrier = to) };
}

function endsOf(
  server: Http2Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  cut: () => void,
): Pick<RestateLink, 'close' | 'kill'> {
  return {
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.close();
      const late = setTimeout(cut, 1000);
      await closed;
      clearTimeout(late);
    },
    async kill() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}

function callsOf({ url, service }: RestateSettings): Pick<RestateLink, 'send' | 'call'> {
  const post = async (path: string, input: unknown): Promise<string> => {
    const request = { method: 'POST', signal: AbortSignal.timeout(ANSWER_MS) };
    const body = input === null ? {} : { body: JSON.stringify(input), headers: JSON_TYPE };
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(new URL(path, withSlash(url)), { ...request, ...body });
      text = await answer.text();
    } catch (error) {
      throw failed(((error as Error).cause as Error | undefined)?.message ?? (error as Error).message);
    }
    if (!answer.ok) throw failed(`it answered ${answer.status}: ${text.slice(0, 200)}`);
    return text;
  };
  const pathOf = (run: string, handler: string): string => `${service}/${encodeURIComponent(run)}/${handler}`;
  return {
    send: async (run, handler, input) => void (await post(`${pathOf(run, handler)}/send`, input)),
    call: async (run, handler, input) => JSON.parse(await post(pathOf(run, handler), input)),
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function failed(reason: string): WeftError {
  return new WeftError('storage_failed', `Restate did not take or answer a call (${reason}).`);
}

// --------------------------------------------------------------------------------------------------------- at the start

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return (await import(SDK)) as typeof Sdk;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw codedStartError(
      'restate_sdk_missing',
      `WEFT_RESTATE_URL needs the package ${SDK}: install it with \`npm install ${SDK}\`.`,
    );
  }
}

/** Checks that both addresses lead to a Restate that is recent enough. */
async function checkServer({ url, adminUrl }: RestateSettings): Promise<void> {
  const answer = await ask(adminUrl, 'version', 'WEFT_RESTATE_ADMIN_URL');
  const { version } = (jsonOf(answer) ?? {}) as { readonly version?: unknown };
  const [, major, minor] = (typeof version === 'string' && /^(\d+)\.(\d+)\./.exec(version)) || [];
  if (major === undefined)
    throw codedStartError('restate_not_admin', `${adminUrl} is not the admin address of a Restate server.`);
  const [oldestMajor, oldestMinor] = OLDEST;
  if (Number(major) !== oldestMajor || Number(minor) < oldestMinor)
    throw codedStartError(
      'restate_version',
      `${adminUrl} is Restate ${String(version)}; ${OLDEST.join('.')} or a later 1.x is needed.`,
    );
  await ask(url, 'restate/health', 'WEFT_RESTATE_URL');
}

async function ask(base: string, path: string, setting: string): Promise<string> {
  let answer: Response;
  try {
    answer = await fetch(new URL(path, withSlash(base)), { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error;
    throw codedStartError('restate_unreachable', `${setting} (${base}) does not answer: ${message}`);
  }
  if (answer.ok) return answer.text();
  const code = setting === 'WEFT_RESTATE_URL' ? 'restate_not_ingress' : 'restate_not_admin';
  throw codedStartError(code, `${setting} (${base}) answers ${answer.status} at /${path}.`);
}

/** Restate discovers the service at this address and calls it there from then on. */
async function register(adminUrl: string, serviceUrl: string): Promise<void> {
  const answer = await fetch(new URL('deployments', withSlash(adminUrl)), {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ uri: serviceUrl, force: true }),
    signal: AbortSignal.timeout(3 * ANSWER_MS),
  });
  if (answer.ok) return void (await answer.arrayBuffer());
  const { message } = (jsonOf(await answer.text()) ?? {}) as { readonly message?: string };
  throw codedStartError(
    'restate_cannot_reach',
    `Restate cannot use this server at ${serviceUrl}: ${message ?? answer.status}`,
  );
}

async function listen(server: Http2Server, host: string | undefined, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { message } = error as Error;
    throw codedStartError(
      'restate_port_taken',
      `No connections of Restate can be taken at port ${port}: ${message}`,
    );
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
