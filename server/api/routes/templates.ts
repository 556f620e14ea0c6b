import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { actorOf, audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { WholeTemplate } from '../../flows/templates/templates.ts';
import { callerUploads } from '../../storage/file-store/held-values.ts';
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
    errors: [
      'template_not_found',
      'connection_not_found',
      'secret_not_found',
      'secret_read_only',
      'shop_name_taken',
      'shop_not_here',
      'conflict',
      'servers_too_old',
      'flows_read_only',
      'storage_failed',
    ],
    async handle(ctx, { request, params: { id }, body }) {
      const template = await findTemplate(id);
      const flow = (await templates()).flowFrom(template, body, ctx.flows.list());
      const isAdmin = ctx.access.ofRequest(request)?.scopes.has('admin') ?? false;
      const provided = isAdmin ? await provide(ctx, template, { flow: flow.id, choices: body.choices }) : [];
      const actor = actorOf(ctx, request);
      await ctx.flows.save(flow.id, formatFlow(flow), { revision: undefined, actor, mode: 'draft' });
      await keepAround(ctx, flow, template);
      audit(ctx, request, 'flow made', { flow: flow.id, template: id, state: 'draft', granted: provided });
      return { flow: flow.id, sample: await sampleOf(ctx, request, template) };
    },
  }),
];

async function findTemplate(id: string): Promise<WholeTemplate> {
  const found = (await (await templates()).readTemplates()).find((one) => one.id === id);
  if (found) return found;
  throw new ServiceError('template_not_found', `There is no template ${JSON.stringify(id.slice(0, 100))}.`);
}

/** Opens the small shop if a choice needs it, and grants the flow the chosen connections and secrets; returns their names. */
async function provide(
  ctx: Context,
  { needs }: WholeTemplate,
  { flow, choices }: { readonly flow: string; readonly choices: Readonly<Record<string, string>> },
): Promise<string[]> {
  const chosen = needs.flatMap((need) => {
    const choice = choices[need.name];
    return choice === undefined ? [] : [{ kind: need.kind, choice, isShipped: choice === need.name }];
  });
  if (chosen.some(({ kind, isShipped }) => isShipped && (kind === 'connection' || kind === 'space'))) {
    const { openShop } = await import('../../integrations/shop/shop.ts');
    await openShop(ctx);
  }
  const granted: string[] = [];
  for (const { kind, choice, isShipped } of chosen) {
    if (kind === 'connection') await grantConnection(ctx, choice, flow);
    else if (kind === 'secret') await grantSecret(ctx, choice, { flow, isShipped });
    else continue;
    granted.push(choice);
  }
  if (granted.length > 0) await ctx.flows.worldChanged('connections');
  return granted;
}

/** One that is granted to operators alone stays so: a list of flows would take it from all others. */
async function grantConnection({ connections }: Context, name: string, flow: string): Promise<void> {
  const found = connections.list().find((one) => one.name === name);
  if (!found)
    throw new ServiceError('connection_not_found', `There is no connection ${JSON.stringify(name)}.`);
  const { kind, settings, grants } = found;
  if (grants.flows === undefined && grants.operators !== undefined) return;
  await connections.put(name, {
    kind,
    settings,
    grants: { ...grants, flows: [...(grants.flows ?? []), flow] },
  });
}

/** A shipped secret is a random one that this server makes up. */
async function grantSecret(
  { secrets, flows }: Context,
  name: string,
  { flow, isShipped }: { readonly flow: string; readonly isShipped: boolean },
): Promise<void> {
  const found = secrets.list().find((one) => one.name === name);
  if (found === undefined && !isShipped)
    throw new ServiceError('secret_not_found', `There is no secret ${JSON.stringify(name)}.`);
  if (found === undefined)
    await secrets.put(name, { value: randomBytes(32).toString('base64url'), grants: { flows: [flow] } });
  else if (found.grants.flows !== undefined)
    await secrets.put(name, { grants: { ...found.grants, flows: [...found.grants.flows, flow] } });
  await flows.worldChanged('secrets');
}

/** The input of the first run, with its files uploaded for the caller. */
async function sampleOf(ctx: Context, request: FastifyRequest, { sample }: WholeTemplate) {
  const { trigger, input, files = {} } = sample;
  if (Object.keys(files).length === 0) return { trigger, input };
  const { readShopFile } = await import('../../integrations/shop/shop.ts');
  const caller = ctx.access.require(request, 'flows:write');
  const uploaded = await Promise.all(
    Object.entries(files).map(async ([field, name]) => {
      const bytes = await readShopFile(name);
      const { value } = await ctx.files.add({ name, content: only(bytes) });
      return [field, value] as const;
    }),
  );
  await ctx.uploads.keep(
    callerUploads(caller),
    uploaded.map(([, { $file }]) => $file),
  );
  return { trigger, input: { ...(input as object), ...Object.fromEntries(uploaded) } };
}

async function keepAround(ctx: Context, { id }: Flow, { layout, cases }: WholeTemplate): Promise<void> {
  await ctx.flows.saveLayout(id, layout);
  const { openTests } = await import('./flow-tests.ts');
  await (await openTests(ctx)).change(id, () => cases);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
