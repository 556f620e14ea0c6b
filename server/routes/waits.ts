import type { FastifyInstance } from 'fastify';
import { DecideBody, WaitListQuery } from '#shared/wait.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { earlyFlow, refuseLost } from '../waits/early-flow.ts';
import { readPart } from '../requests/read-part.ts';

interface OfWait {
  Params: { id: string };
}

/** `/api/v1/waits`: what runs ask people, and their decisions. */
export default async function waitRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { waits, access } = ctx;

  app.get('/api/v1/waits', { config: { scope: 'runs:read' } }, async ({ query }) =>
    ok(await waits.list(readPart(WaitListQuery, query, 'query'))),
  );

  app.get<OfWait>('/api/v1/waits/:id', { config: { scope: 'runs:read' } }, async ({ params: { id } }) => {
    const wait = await waits.get(id);
    if (!wait) throw new ServiceError('wait_not_found', `There is no wait ${JSON.stringify(id)}.`);
    return ok(wait);
  });

  app.post<OfWait>('/api/v1/waits/:id/decide', { config: { scope: 'runs:write' } }, async (request) => {
    const { id } = request.params;
    const { decision, comment, data } = readPart(DecideBody, request.body, 'body');
    const { name: by, kind: via } = access.require(request, 'runs:write');
    const decided = { decision, comment, by, via, ...(data !== undefined && { data }) };
    const asked = await waits.get(id);
    if (asked) await refuseLost(ctx, asked);
    const early = asked ? undefined : await earlyFlow(ctx, id);
    const wait = await waits.decide(id, decided, early);
    audit(ctx, request, 'wait decided', { wait: id, flow: wait.flow, decision });
    return ok(wait);
  });
}
