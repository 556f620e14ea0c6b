import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
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

export async function statusOf({ owner }: Node, run: string): Promise<string> {
  return (await owner.data<RunSummary>('GET', `/runs/${run}`)).status;
}

/** The one of the servers that executes the run, first: only that one has its events. */
export async function executing(nodes: readonly [Node, Node], run: string): Promise<[Node, Node]> {
  const [a, b] = nodes;
  const { recorded } = await a.owner.data<RunSummary>('GET', `/runs/${run}`);
  return recorded ? [a, b] : [b, a];
}

/** How often servers have claimed the durable run, and whether a claim holds it now. */
export async function claimsOf(url: string, run: string): Promise<{ claims: number; isHeld: boolean }> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ claims: number; isHeld: boolean }[]>`
      SELECT attempts::int AS claims, status = 'running' AND available_at > now() AS "isHeld"
      FROM weft_workflows.workflow_runs WHERE input->>'run' = ${run}`;
    if (row === undefined) throw new Error(`No server has begun ${run}.`);
    return row;
  } finally {
    await sql.end();
  }
}
