import { ServiceError } from '../../base/errors/errors.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import type { Sql, SqlStatement, SqlTransaction } from '../../storage/database/sql.ts';
import { type RoutePlace, routesOfText } from './trigger-routes.ts';

const FREE = 'DELETE FROM flow_route WHERE project = ? AND flow = ?';
/** A server of an earlier version changes and removes flows without their routes. */
const FREE_LEFT = `DELETE FROM flow_route WHERE project = ? AND method = ? AND path = ? AND NOT EXISTS (
  SELECT 1 FROM flow_file WHERE flow_file.project = flow_route.project AND id = flow AND flow_file.hash = flow_route.hash)`;
const TAKE = `INSERT INTO flow_route (project, method, path, flow, hash) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, method, path) DO NOTHING`;
const MARK = 'UPDATE flow_route SET hash = ? WHERE project = ? AND flow = ?';
const OWNER = 'SELECT flow FROM flow_route WHERE project = ? AND method = ? AND path = ?';
const NOTED = 'SELECT flow, hash FROM flow_route WHERE project = ?';

/** A flow with the hash of its text. */
interface Owner {
  readonly project: string;
  readonly id: string;
  readonly hash: string;
}

/**
 * Stores the routes of a flow from this transaction on, in place of the former ones. Throws `publish_conflict` if another
 * flow has one of them, whichever server published it.
 */
export async function takeRoutes(
  tx: SqlTransaction,
  { project, id, hash }: Owner,
  routes: readonly RoutePlace[],
): Promise<void> {
  await freeRoutes(tx, project, id);
  for (const [method, path, shown] of keysOf(routes)) {
    await tx.run(FREE_LEFT, project, method, path);
    if ((await tx.run(TAKE, project, method, path, id, hash)) > 0) continue;
    const owner = await tx.first<{ readonly flow: string }>(OWNER, project, method, path);
    const by = owner === undefined ? 'another flow' : `flow ${owner.flow}`;
    throw new ServiceError(
      'publish_conflict',
      `Flow ${id} cannot go live: ${method} ${shown} is served by ${by} already.`,
    );
  }
}

/**
 * The same for flows that change together, which may pass routes to each other. The first flow by id gets a route that several want, as in
 * the trigger table. A text that cannot serve leaves the routes to the serving one.
 */
export async function exchangeRoutes(
  tx: SqlTransaction,
  project: string,
  texts: readonly { readonly id: string; readonly text: string | undefined; readonly works: boolean }[],
): Promise<void> {
  const works = texts.filter((one) => one.works || one.text === undefined);
  for (const { id } of works) await freeRoutes(tx, project, id);
  for (const { id, text = '' } of texts.filter((one) => !works.includes(one)))
    await tx.run(MARK, contentHash(text), project, id);
  for (const { id, text = '' } of works.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    for (const [method, path] of keysOf(routesOfText(text))) {
      await tx.run(FREE_LEFT, project, method, path);
      await tx.run(TAKE, project, method, path, id, contentHash(text));
    }
}

export async function freeRoutes(tx: SqlTransaction, project: string, id: string): Promise<void> {
  await tx.run(FREE, project, id);
}

/** Stores the routes of flows that went live without: those of an earlier version, and imported ones. The first one by id wins. */
export async function noteRoutes(
  sql: Sql,
  project: string,
  files: Iterable<{ readonly id: string; readonly hash: string; readonly text: string }>,
): Promise<void> {
  const rows = await sql.all<{ readonly flow: string; readonly hash: string }>(NOTED, project);
  const noted = new Set(rows.map(({ flow, hash }) => `${flow} ${hash}`));
  const unknown = [...files].filter(({ id, hash }) => !noted.has(`${id} ${hash}`));
  const statements = unknown
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ id, hash, text }) =>
      keysOf(routesOfText(text)).flatMap(([method, path]): SqlStatement[] => [
        [FREE_LEFT, project, method, path],
        [TAKE, project, method, path, id, hash],
      ]),
    );
  if (statements.length > 0) await sql.batch(statements);
}

/** Methods with paths, each once; names of path params make no difference. The last element is the path in its readable form. */
function keysOf(routes: readonly RoutePlace[]): (readonly [method: string, path: string, shown: string])[] {
  const all = routes.flatMap(({ path, methods }) =>
    methods.map((method) => [method, path.replaceAll(/:\w+/g, ':'), path] as const),
  );
  return [...new Map(all.map((key) => [`${key[0]} ${key[1]}`, key])).values()];
}
