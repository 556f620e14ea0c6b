import { AgentBudgets } from '#shared/agent-budget.ts';
import { audit } from '../../access/security/audit.ts';
import { defineRoute } from './define-route.ts';

/** `/api/v1/budgets`: limits of agents for one answer, and per app and per key in a day. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/budgets',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Get the budgets of agents: for one answer, and per app and per key in a day.',
    guide: 'agents',
    answer: () => AgentBudgets,
    handle: ({ budgets }) => budgets.get(),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/budgets',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Replace all budgets of agents.',
    guide: 'agents',
    body: () => AgentBudgets,
    answer: () => AgentBudgets,
    errors: ['storage_failed'],
    async handle(ctx, { request, body }) {
      const { budgets } = ctx;
      await budgets.set(body);
      audit(ctx, request, 'budgets changed', { budgets: budgets.get() });
      return budgets.get();
    },
  }),
];
