import { connect } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { WeftError } from '#engine';
import type { Context } from '../../routes/context.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { TriggerTable } from '../../../flows/service/trigger-table.ts';
import { handleError } from '../../../access/http/error-handler.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { IdempotencyStore } from '../../../storage/idempotency/idempotency-store.ts';
import { createMemoryIdempotency } from '../../../storage/idempotency/memory-idempotency.ts';
import { createTriggerGate, type TriggerGate } from '../../../access/security/auth/gate.ts';
import triggerRoutes from '../routes.ts';
import { createTriggerTable } from '../table.ts';
import { type Evaluate, type FakeRuns, fakeRuns } from './fake-runs.ts';
import { routeOf } from './live-flow.ts';

export interface TriggerServer {
  /** Address of the trigger routes, without a final slash. */
  readonly url: string;
  readonly port: number;
  readonly table: TriggerTable;
  readonly runs: FakeRuns;
  /** Calls a trigger; returns status, headers and the body as text. */
  call(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; text: string }>;
  /** Sends bytes unchanged and returns everything that comes back until the server closes the connection. */
  raw(bytes: string | Buffer): Promise<string>;
  /** Resolves when a client has closed its connection and the server has dealt with it. */
  nextHangUp(): Promise<void>;
  close(): Promise<void>;
}

/** A key named `good` may call triggers, one named `other` may do something else; there are no sessions. */
export const fakeAccess = {
  guesses: { refusal: () => undefined, wrong: () => {} },
  keyHasScope: (authorization, scope) =>
    authorization === 'Bearer good' && (scope === 'triggers' || scope === 'flows:write'),
  keys: {
    expiredAt: () => undefined,
    find: (authorization?: string) =>
      authorization === undefined ? undefined : fakeAccess.ofRequest({ headers: { authorization } }),
  } as unknown as Context['access']['keys'],
  ready: () => undefined,
  ofRequest({ headers }) {
    if (!/^Bearer (?:good|other)$/.test(headers.authorization ?? '')) return undefined;
    return { kind: 'key', name: 'a key', owner: 'key:a', scopes: new Set(), csrf: undefined };
  },
  require(request, scope) {
    const caller = fakeAccess.ofRequest(request);
    if (!caller) throw new ServiceError('unauthorized');
    if (scope === 'session' || !fakeAccess.keyHasScope(request.headers.authorization, scope)) {
      throw new ServiceError('forbidden');
    }
    return caller;
  },
} satisfies Partial<Context['access']> as unknown as Context['access'];

const noSecrets = {
  use(name: string): never {
    throw new WeftError('secret_unknown', `There is no secret ${name}.`);
  },
};

/** The real gate, with those keys and without secrets. */
export const fakeGate = createTriggerGate({ access: fakeAccess, secrets: noSecrets, now: Date.now });

/** The trigger routes over real HTTP, with flows whose runs are plain functions. */
export async function serveTriggers(
  flows: readonly LiveFlow[],
  evaluate: Evaluate,
  gate: TriggerGate = fakeGate,
  idempotency: IdempotencyStore = createMemoryIdempotency(Date.now),
): Promise<TriggerServer> {
  const table = createTriggerTable();
  for (const flow of flows) table.replace(flow.id, [routeOf(flow)]);
  const runs = fakeRuns(evaluate);
  const app = newApp();
  const ctx = { triggers: table, runs: runs as unknown as Context['runs'], gate, idempotency };
  await app.register((scope) => triggerRoutes(scope, ctx));
  const address = await listen(app);
  const nextHangUp = (): Promise<void> =>
    new Promise((resolve) => {
      app.server.once('connection', (socket) => socket.once('close', () => setImmediate(resolve)));
    });
  return {
    ...address,
    nextHangUp,
    url: `${address.url}/api/v1/awel/trigger`,
    table,
    runs,
    ...client(address),
  };
}

/** A server with the setup of `app.ts`, as far as triggers depend on it. */
export function newApp(): FastifyInstance {
  const app = fastify({ bodyLimit: 10_485_760, forceCloseConnections: 'idle' });
  app.setErrorHandler(handleError);
  return app;
}

export async function listen(
  app: FastifyInstance,
): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}

function client({ url, port }: { url: string; port: number }): Pick<TriggerServer, 'call' | 'raw'> {
  return {
    async call(path, init) {
      const response = await fetch(`${url}/api/v1/awel/trigger${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async raw(bytes) {
      const socket = connect(port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.write(bytes);
      await once(socket, 'close');
      return Buffer.concat(chunks).toString('latin1');
    },
  };
}
