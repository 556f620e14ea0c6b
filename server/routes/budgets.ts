import type { FastifyInstance } from 'fastify';
import { AgentBudgets } from '#shared/agent-budget.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { readPart } from '../requests/read-part.ts';

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/budgets`: what agents may use, for an answer, and for each app and key a day. */
export default async function budgetRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { budgets } = ctx;

  app.get('/api/v1/budgets', ADMIN, () => ok(budgets.get()));

  app.put('/api/v1/budgets', ADMIN, async (request) => {
    await budgets.set(readPart(AgentBudgets, request.body, 'body'));
    audit(ctx, request, 'budgets changed', { budgets: budgets.get() });
    return ok(budgets.get());
  });
}
