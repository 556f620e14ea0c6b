import { z } from 'zod';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { UseTemplateBody } from '#shared/template.ts';
import { actorOf, audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { WholeTemplate } from '../../flows/templates/templates.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

const shapes = () => import('#shared/template.ts');
const templates = () => import('../../flows/templates/templates.ts');

/** `/api/v1/templates`: flows to begin with. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/templates',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List the templates, by purpose, with their flows and what they need.',
    guide: 'templates',
    answer: async () => z.array((await shapes()).Template),
    handle: async () =>
      (await (await templates()).readTemplates()).map(({ cases: _, ...template }) => template),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/templates/:id/flows',
    scope: 'flows:write',
    tag: 'Flows',
    summary:
      'Create a flow from a template, as a draft, with its layout and its tests; answers with the id of the flow and an input for its first run.',
    guide: 'templates',
    body: async () => (await shapes()).UseTemplateBody,
    bodyOptional: true,
    answer: async () => (await shapes()).TemplateFlow,
    status: 201,
    errors: ['template_not_found', 'conflict', 'servers_too_old', 'flows_read_only', 'storage_failed'],
    async handle(ctx, { request, params: { id }, body }) {
      const template = await findTemplate(id);
      const flow = await makeFlow(ctx, template, body);
      const actor = actorOf(ctx, request);
      await ctx.flows.save(flow.id, formatFlow(flow), { revision: undefined, actor, mode: 'draft' });
      await keepAround(ctx, flow, template);
      audit(ctx, request, 'flow made', { flow: flow.id, template: id, state: 'draft' });
      return { flow: flow.id, sample: template.sample };
    },
  }),
];

async function findTemplate(id: string): Promise<WholeTemplate> {
  const found = (await (await templates()).readTemplates()).find((one) => one.id === id);
  if (found) return found;
  throw new ServiceError('template_not_found', `There is no template ${JSON.stringify(id.slice(0, 100))}.`);
}

async function makeFlow(
  { flows }: Pick<Context, 'flows'>,
  template: WholeTemplate,
  asked: z.output<typeof UseTemplateBody>,
): Promise<Flow> {
  return (await templates()).flowFrom(template, asked, flows.list());
}

async function keepAround(ctx: Context, { id }: Flow, { layout, cases }: WholeTemplate): Promise<void> {
  await ctx.flows.saveLayout(id, layout);
  const { openTests } = await import('./flow-tests.ts');
  await (await openTests(ctx)).change(id, () => cases);
}
