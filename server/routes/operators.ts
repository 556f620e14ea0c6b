import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';

/** `/api/v1/operators`: the catalog that the editor draws its palette and forms from. */
export default async function operatorRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.get('/api/v1/operators', { config: { scope: 'flows:read' } }, () => ok(ctx.catalog));
}
