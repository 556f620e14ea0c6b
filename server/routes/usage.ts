import type { FastifyInstance } from 'fastify';
import { UsageQuery } from '#shared/usage.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { readPart } from '../requests/read-part.ts';

/** `/api/v1/usage`: tokens and money that models took. */
export default async function usageRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.get('/api/v1/usage', { config: { scope: 'runs:read' } }, (request) =>
    ok(ctx.usage.sum(readPart(UsageQuery, request.query, 'query'))),
  );
}
