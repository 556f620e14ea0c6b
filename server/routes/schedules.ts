import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';

/** `/api/v1/schedules`: when which flow will be started. */
export default async function scheduleRoutes(app: FastifyInstance, { schedules }: Context): Promise<void> {
  app.get('/api/v1/schedules', { config: { scope: 'flows:read' } }, () => ok(schedules.list()));
}
