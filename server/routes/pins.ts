import type { FastifyInstance } from 'fastify';
import { PinBody, RenamePinBody } from '#shared/api.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { audit, ownerOf } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { wholeOutputs } from '../starts/partial/whole-outputs.ts';
import { readPart } from '../requests/read-part.ts';

interface OfFlow {
  Params: { id: string };
}
interface OfNode {
  Params: { id: string; node: string };
}

const WRITE = { config: { scope: 'flows:write' } } as const;

/** `/api/v1/flows/:id/pins`: outputs that runs by hand use instead of carrying a node out. */
export default async function pinRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { flows, pins } = ctx;

  app.get<OfFlow>('/api/v1/flows/:id/pins', { config: { scope: 'flows:read' } }, async ({ params }) => {
    await flows.get(params.id);
    return ok(await pins.get(params.id));
  });

  app.put<OfNode>('/api/v1/flows/:id/pins/:node', WRITE, async (request) => {
    const { id, node } = request.params;
    await flows.get(id);
    if (!ID_PATTERN.test(node))
      throw new ServiceError('invalid_request', `${JSON.stringify(node)} is no id of a node.`, {
        param: 'node',
      });
    const { outputs, run } = readPart(PinBody, request.body, 'body');
    if (run !== undefined) ctx.access.require(request, 'runs:read');
    const whole = await wholeOutputs(ctx.runs, run, outputs);
    const all = await pins.set(id, node, whole, ownerOf(ctx, request));
    audit(ctx, request, 'output pinned', { flow: id, node });
    return ok(all);
  });

  app.post<OfNode>('/api/v1/flows/:id/pins/:node/rename', WRITE, async (request) => {
    const { id, node } = request.params;
    await flows.get(id);
    const { to } = readPart(RenamePinBody, request.body, 'body');
    const all = await pins.rename(id, node, to, ownerOf(ctx, request));
    audit(ctx, request, 'pin renamed', { flow: id, node, to });
    return ok(all);
  });

  app.delete<OfNode>('/api/v1/flows/:id/pins/:node', WRITE, async (request) => {
    const { id, node } = request.params;
    await flows.get(id);
    const all = await pins.set(id, node, undefined, ownerOf(ctx, request));
    audit(ctx, request, 'output unpinned', { flow: id, node });
    return ok(all);
  });
}
