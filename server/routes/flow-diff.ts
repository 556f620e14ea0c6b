import type { FastifyInstance } from 'fastify';
import { diffFlows, parse } from '#engine/check';
import { DiffQuery, type FlowDiff } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { readPart } from '../requests/read-part.ts';

interface OneFlow {
  Params: { id: string };
}

/** `/api/v1/flows/:id/diff`: what was changed between two versions, in the terms of the flow. */
export default async function flowDiffRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.get<OneFlow>('/api/v1/flows/:id/diff', { config: { scope: 'flows:read' } }, async (request) => {
    const { from, to } = readPart(DiffQuery, request.query, 'query');
    const { id } = request.params;
    const [before, after] = await Promise.all([flowAt(ctx, id, from), flowAt(ctx, id, to)]);
    const diff: FlowDiff = { from, to, changes: diffFlows(before, after) };
    return ok(diff);
  });
}

async function flowAt({ flows }: Context, id: string, version: string): Promise<Flow> {
  const found = version === 'live' ? await liveFlow(flows, id) : await flowOf(flows, id, version);
  if (found !== undefined) return found;
  throw new ServiceError('conflict', `The flow cannot be read as it is in ${version}; mend its text first.`);
}

async function flowOf(flows: Context['flows'], id: string, version: string): Promise<Flow | undefined> {
  if (version === 'draft') return (await flows.get(id)).flow;
  return parse(await flows.versionText(id, version), { id }).flow;
}

async function liveFlow(flows: Context['flows'], id: string): Promise<Flow> {
  const live = flows.live(id);
  if (live !== undefined) return live.flow;
  const { state } = await flows.get(id);
  throw new ServiceError('conflict', `The flow is not live (${state}); name a version as \`from\`.`);
}
