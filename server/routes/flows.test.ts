import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDb } from '../adapters/db.ts';
import type { Context } from '../context.ts';
import { handleError } from '../error-handler.ts';
import { builtInRegistry, flowFixture, type FlowFixture, helloFlow } from '../flows/testing/flow-fixture.ts';
import { createVariableStore } from '../flows/variable-store.ts';
import { createAccess } from '../security/access.ts';
import { guardRoutes } from '../security/guard.ts';
import type { Scope } from '../security/scopes.ts';
import { sha256 } from '../security/secrets.ts';
import { testConfig, testContext } from '../testing/fake-context.ts';
import flowRoutes from './flows.ts';
import operatorRoutes from './operators.ts';
import variableRoutes from './variables.ts';

let f: FlowFixture;
let app: FastifyInstance;
let url: string;

const keys: Record<string, Scope[]> = {
  reader: ['flows:read'],
  writer: ['flows:read', 'flows:write'],
  publisher: ['flows:read', 'flows:write', 'flows:publish'],
  admin: ['flows:read', 'admin'],
};

beforeEach(async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  app = fastify();
  app.setErrorHandler(handleError);
  const ctx = await contextOf(f);
  guardRoutes(app, ctx);
  for (const routes of [flowRoutes, operatorRoutes, variableRoutes]) await app.register((scope) => routes(scope, ctx));
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await app.close();
  await f.end();
});

async function contextOf(fixture: FlowFixture): Promise<Context> {
  const registry = await builtInRegistry();
  const records = Object.entries(keys).map(([name, scopes]) => {
    return { id: name, name, hash: sha256(name), scopes, createdAt: '2025-01-01T00:00:00Z' };
  });
  return testContext({
    flows: fixture.service,
    registry,
    catalog: registry.catalog,
    variables: createVariableStore(await openDb(`${fixture.data}/db.json`)),
    access: createAccess(testConfig(), records),
  });
}

interface Answer {
  status: number;
  headers: Headers;
  code: string | null;
  detail: unknown;
  // biome-ignore lint: the tests look into whatever came back
  data: never;
}

async function call(key: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { err_code: string | null; data: never; detail?: unknown };
  const { status, headers } = response;
  return { status, headers, code: answer.err_code, detail: answer.detail, data: answer.data };
}
