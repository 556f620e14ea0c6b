import type { z } from 'zod';
import type { RouteEntry } from '../../../access/security/guard.ts';
import type { RouteDescription } from '../define-route.ts';

/** A route of the server with its description and its schemas. */
export interface DescribedRoute
  extends Pick<RouteEntry, 'method' | 'url' | 'scope'>,
    Omit<RouteDescription, 'query' | 'body' | 'answer' | 'content'> {
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer?: z.ZodType | undefined;
  readonly content?: Readonly<Record<string, z.ZodType | undefined>> | undefined;
}

/** The routes of a table that were defined with `defineRoute`, in the table's order, without those for HEAD. */
export async function describedRoutes(table: readonly RouteEntry[]): Promise<DescribedRoute[]> {
  const described = table.flatMap(({ method, url, scope, config: { route } }) =>
    route === undefined || method === 'HEAD' ? [] : [{ method, url, scope, route }],
  );
  return Promise.all(
    described.map(async ({ method, url, scope, route }) => {
      const { tag, summary, guide, bodyOptional, uploads, status, errors } = route;
      const [query, body, answer, content] = await Promise.all([
        route.query?.(),
        route.body?.(),
        route.answer?.(),
        route.content?.(),
      ]);
      return {
        ...{ method, url, scope, tag, summary, query, body, answer, content },
        ...(guide !== undefined && { guide }),
        ...(bodyOptional !== undefined && { bodyOptional }),
        ...(uploads && { uploads }),
        ...(status && { status }),
        ...(errors && { errors }),
      };
    }),
  );
}
