import { ID_PATTERN } from '#shared/flow.ts';
import { audit, ownerOf } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { handlesIn, passFiles } from '../../storage/file-store/held-values.ts';
import { pinHolder } from '../../execution/starts/partial/pins.ts';
import { wholeOutputs } from '../../execution/starts/partial/whole-outputs.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

/** `/api/v1/flows/:id/pins`: outputs that replace running a node, in runs by hand. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/pins',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List pins by node and port: outputs that replace running a node, in runs by hand.',
    answer: async () => (await api()).NodeOutputs,
    errors: ['flow_not_found'],
    async handle({ flows, pins }, { params: { id } }) {
      await flows.get(id);
      return pins.get(id);
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/flows/:id/pins/:node',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Pin the outputs of a node.',
    body: async () => (await api()).PinBody,
    answer: async () => (await api()).NodeOutputs,
    errors: ['flow_not_found', 'storage_failed'],
    async handle(ctx, call) {
      const { request } = call;
      const { id, node } = call.params;
      await ctx.flows.get(id);
      if (!ID_PATTERN.test(node))
        throw new ServiceError('invalid_request', `${JSON.stringify(node)} is not the id of a node.`, {
          param: 'node',
        });
      const { outputs, run } = call.body;
      if (run !== undefined) ctx.access.require(request, 'runs:read');
      const whole = await wholeOutputs(ctx.runs, run, outputs);
      // Only files that the named run holds: a handle from a caller proves nothing.
      if (run !== undefined)
        await passFiles(ctx.files, handlesIn(whole), { from: { kind: 'run', id: run }, to: pinHolder(id) });
      const all = await ctx.pins.set(id, node, whole, ownerOf(ctx, request));
      audit(ctx, request, 'output pinned', { flow: id, node });
      return all;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/pins/:node/rename',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Move the pin of a node to its new id; without a pin nothing changes.',
    body: async () => (await api()).RenamePinBody,
    answer: async () => (await api()).NodeOutputs,
    errors: ['flow_not_found', 'storage_failed'],
    async handle(ctx, call) {
      const { request } = call;
      const { id, node } = call.params;
      await ctx.flows.get(id);
      const { to } = call.body;
      const all = await ctx.pins.rename(id, node, to, ownerOf(ctx, request));
      audit(ctx, request, 'pin renamed', { flow: id, node, to });
      return all;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/flows/:id/pins/:node',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Unpin the outputs of a node: it runs again.',
    answer: async () => (await api()).NodeOutputs,
    errors: ['flow_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { id, node } }) {
      await ctx.flows.get(id);
      const all = await ctx.pins.set(id, node, undefined, ownerOf(ctx, request));
      audit(ctx, request, 'output unpinned', { flow: id, node });
      return all;
    },
  }),
];
