import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { once } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import type { Context } from '../../api/routes/context.ts';
import { WeftError } from '#engine';
import { ServiceError } from '../../base/errors/errors.ts';
import { COMMAND_LINE } from '../../access/security/access.ts';
import { ownAddress } from '../../base/config/own-address.ts';
import { controlSocket } from '../../base/files/data-folder.ts';
import type { ErrorFlow } from '../../execution/after-runs/error-flow.ts';
import type { CallStores } from '../../execution/after-runs/open-calls.ts';
import type { DurableRuns } from '../../execution/durable/durable-runs.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { FlowDeps } from '../../flows/awel/awel-flows.ts';
import { auditLocal, localActor } from '../../access/security/audit.ts';
import type { AuditLog } from '../../access/security/audit-log.ts';
import type { KeyStore } from '../../access/security/key-store.ts';
import type { Connections } from '../../integrations/connections/connections.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { Pins } from '../../execution/starts/partial/pins.ts';
import type { Ask, Reply } from './protocol.ts';
import { createServer } from '../../base/process/node-http.ts';

export interface ControlDeps {
  readonly data: string;
  /** Whether several processes answer through one socket; their supervisor has then removed an old one. */
  readonly isShared?: boolean;
  readonly keys: KeyStore;
  readonly auditLog: AuditLog;
  readonly flows: FlowDeps;
  readonly secrets: SecretStore;
  readonly pins: Pick<Pins, 'set'>;
  readonly connections: Pick<
    Connections,
    'list' | 'test' | 'remove' | 'limit' | 'grant' | 'sealAnew' | 'signIns'
  >;
  readonly runs: Pick<RunHub, 'get' | 'list' | 'events' | 'value' | 'tape'>;
  readonly letters: {
    readonly durable: DurableRuns;
    readonly calls: CallStores & { readonly errorFlow: Pick<ErrorFlow, 'stats'> };
  };
  readonly log: FastifyBaseLogger;
  /** Where the server is reached. */
  readonly address: Pick<Context, 'config' | 'ownPort'>;
  /** Creates a sign-in address. */
  readonly signInAddress: () => string;
}

/**
 * Answers the command line of this machine's owner through a socket in the data folder. The server's lock keeps the
 * command line from opening that folder itself. If such a socket is impossible (too long a path, Windows), there is
 * none, and the log reports it.
 */
export async function openControl(deps: ControlDeps): Promise<{ close(): Promise<void> }> {
  const path = controlSocket(deps.data);
  const server = createServer((request, response) => {
    void answer(deps, request).then((reply) => {
      response.setHeader('content-type', 'application/json; charset=utf-8').end(JSON.stringify(reply));
    });
  });
  try {
    // Left by a server that was killed; the lock proves that none is running.
    if (deps.isShared !== true) rmSync(path, { force: true });
    server.listen(path);
    await once(server, 'listening');
    // For processes whose umask does not ensure this; the folder around it is accessible only to its owner anyway.
    chmodSync(path, 0o600);
  } catch (error) {
    deps.log.info(
      { err: error },
      'no socket for the command line; `weft open` cannot work, `weft keys` and `weft import` need the server to be stopped',
    );
  }
  return { close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function answer(deps: ControlDeps, request: IncomingMessage): Promise<Reply> {
  try {
    const { Ask } = await import('./protocol.ts');
    const ask = Ask.safeParse(await json(request));
    if (!ask.success) {
      return { ok: false, code: 'invalid_request', message: 'This server does not know that command.' };
    }
    return { ok: true, data: await doIt(deps, ask.data) };
  } catch (error) {
    // A database that does not answer is a WeftError.
    if (error instanceof ServiceError || error instanceof WeftError)
      return { ok: false, code: error.code, message: error.message };
    deps.log.error({ err: error }, 'unexpected error');
    return { ok: false, code: 'internal', message: 'A bug in the server; see its log.' };
  }
}

async function doIt(deps: ControlDeps, ask: Ask): Promise<unknown> {
  const { flows, runs, letters, log, auditLog } = deps;
  if (ask.do === 'open') {
    const address = deps.signInAddress();
    auditLocal(deps, COMMAND_LINE, 'sign-in address made', {});
    return address;
  }
  if (ask.do === 'address') {
    const { config, ownPort } = deps.address;
    return ownAddress({ host: config.host, publicUrl: undefined }, ownPort());
  }
  if (ask.do === 'flows.import') {
    const { importAsked } = await import('../../flows/awel/import-asked.ts');
    const imported = await importAsked(flows, ask);
    auditLocal(deps, COMMAND_LINE, 'flow imported', { flow: imported.id, open: ask.open });
    return imported;
  }
  if (ask.do === 'flows.draft') {
    const { writeDrafts } = await import('../../flows/imports/write-drafts.ts');
    await writeDrafts({ flows: flows.flows, secrets: deps.secrets, pins: deps.pins }, ask, {
      actor: localActor(COMMAND_LINE),
      owner: COMMAND_LINE,
    });
    auditLocal(deps, COMMAND_LINE, 'flow imported', { flow: ask.drafts[0]?.flow.id, open: ask.open });
    return {};
  }
  if (isOf('letters', ask)) {
    const { lettersAsked } = await import('./dead-letters-asked.ts');
    return lettersAsked({ ...letters, log, auditLog }, ask);
  }
  if (ask.do === 'audit.list') return await auditLog.list(ask.query);
  if (isOf('runs', ask)) return runsAsked(runs, ask);
  if (ask.do === 'secrets.rotate') {
    const { rotateSecrets } = await import('./rotate-secrets.ts');
    const rotated = await rotateSecrets(deps, ask.key);
    auditLocal(deps, COMMAND_LINE, 'secrets key changed', { ...rotated });
    return rotated;
  }
  if (isOf('connections', ask)) return connectionsAsked(deps, ask);
  return keysAsked(deps, ask);
}

type Of<G extends string> = Extract<Ask, { readonly do: `${G}.${string}` }>;

function isOf<G extends string>(group: G, ask: Ask): ask is Of<G> {
  return ask.do.startsWith(`${group}.`);
}

function runsAsked(runs: ControlDeps['runs'], ask: Of<'runs'>): unknown {
  if (ask.do === 'runs.get') return runs.get(ask.run);
  if (ask.do === 'runs.list') return runs.list(ask);
  if (ask.do === 'runs.events') return runs.events(ask.run, 0);
  if (ask.do === 'runs.value') return runs.value(ask.run, ask.hash);
  return runs.tape(ask.run);
}

async function connectionsAsked(deps: ControlDeps, ask: Of<'connections'>): Promise<unknown> {
  const { connections, flows } = deps;
  if (ask.do === 'connections.list') return connections.list();
  if (ask.do === 'connections.test') {
    const result = await connections.test(ask.name);
    auditLocal(deps, COMMAND_LINE, 'connection tested', { connection: ask.name, ok: result.ok });
    return result;
  }
  if (ask.do === 'connections.limit') {
    const info = await connections.limit(ask.name, ask.rate);
    await flows.flows.worldChanged('connections');
    auditLocal(deps, COMMAND_LINE, 'connection changed', { connection: ask.name, rate: ask.rate });
    return info;
  }
  if (ask.do === 'connections.grant') {
    const info = await connections.grant(ask.name, ask.flows);
    await flows.flows.worldChanged('connections');
    auditLocal(deps, COMMAND_LINE, 'connection changed', { connection: ask.name, grants: info.grants });
    return info;
  }
  if (ask.do === 'connections.authorize') {
    const { config, ownPort } = deps.address;
    const { startSignIn } = await import('../../api/routes/sign-ins.ts');
    const started = await startSignIn({ config, ownPort, connections }, ask.name);
    auditLocal(deps, COMMAND_LINE, 'connection sign-in begun', { connection: ask.name, how: started.by });
    return { ...started, isLocal: config.publicUrl === undefined };
  }
  if (ask.do === 'connections.progress') return connections.signIns.progress(ask.name, ask.id);
  const notRevoked = await connections.remove(ask.name);
  await flows.flows.worldChanged('connections');
  auditLocal(deps, COMMAND_LINE, 'connection removed', {
    connection: ask.name,
    ...(notRevoked && { notRevoked }),
  });
  return null;
}

async function keysAsked(deps: ControlDeps, ask: Of<'keys'>): Promise<unknown> {
  const { keys } = deps;
  if (ask.do === 'keys.list') return keys.list();
  if (ask.do === 'keys.create') {
    const created = await keys.create(ask.key);
    const { id: keyId, name: key, scopes, expiresAt, perMinute } = created;
    auditLocal(deps, COMMAND_LINE, 'API key made', { key, keyId, scopes, expiresAt, perMinute });
    return created;
  }
  const info = await keys.revoke(ask.key);
  const { id: keyId, name: key } = info;
  auditLocal(deps, COMMAND_LINE, 'API key revoked', { key, keyId });
  return info;
}
