import { parse } from '#engine/check';
import { diffFlows } from '#engine/edit';
import type { Flow } from '#shared/flow.ts';
import type { Context } from './context.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

/** `/api/v1/flows/:id/diff`: the changes between two versions, as nodes, edges and settings of the flow. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/diff',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'Compare two versions of a flow, as changes to its nodes, edges and settings.',
    query: async () => (await api()).DiffQuery,
    answer: async () => (await api()).FlowDiff,
    errors: ['flow_not_found', 'version_not_found', 'conflict'],
    async handle({ flows }, { params: { id }, query: { from, to } }) {
      const [before, after] = await Promise.all([flowAt(flows, id, from), flowAt(flows, id, to)]);
      return { from, to, changes: diffFlows(before, after) };
    },
  }),
];

async function flowAt(flows: Context['flows'], id: string, version: string): Promise<Flow> {
  const found = version === 'live' ? await liveFlow(flows, id) : await flowOf(flows, id, version);
  if (found !== undefined) return found;
  throw new ServiceError(
    'conflict',
    `The flow cannot be read as it is in ${version}; correct its text first.`,
  );
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
