import { onTestFinished } from 'vitest';
import { newDatabase } from '../../server/storage/testing/postgres-server.ts';
import { type Answer, type Owner, signIn, signInBy } from './client.ts';
import type { FlowJson } from './flows.ts';
import { discard, product, startServer, type TestServer } from './server.ts';

/** Real servers on one real PostgreSQL, each with its own data folder. */
export const SECRETS_KEY = '11'.repeat(32);

export type Node = TestServer & { readonly owner: Owner };

/** Starts a server on the database, of another build if that is given; it is stopped after the test. */
export async function startNode(
  url: string,
  env: Record<string, string> = {},
  program = product,
): Promise<Node> {
  const server = await startServer({
    program,
    env: { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY, ...env },
  });
  onTestFinished(() => discard(server));
  const password = env['WEFT_ADMIN_PASSWORD'];
  const owner = password === undefined ? signIn(server) : signInBy(password, server);
  return { ...server, owner: await owner };
}

/** Two servers on a new database. */
export async function startPair(
  env: Record<string, string> = {},
): Promise<{ url: string; a: Node; b: Node }> {
  const url = await newDatabase();
  const [a, b] = await Promise.all([startNode(url, env), startNode(url, env)]);
  return { url, a, b };
}

/** Creates a flow, or changes the revision of it. */
export function save({ owner }: Node, flow: FlowJson, revision?: string): Promise<Answer> {
  const text = JSON.stringify(flow);
  if (revision === undefined) return owner.api('POST', '/flows', { text });
  return owner.api('PUT', `/flows/${flow.id}`, { text, revision });
}

/** The same; throws if it is refused. */
export async function publish(node: Node, flow: FlowJson, revision?: string): Promise<{ revision: string }> {
  const { status, text, body } = await save(node, flow, revision);
  if (status >= 300) throw new Error(text);
  return (body as { data: { revision: string } }).data;
}
