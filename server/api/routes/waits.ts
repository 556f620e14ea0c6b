import { DecideBody, WaitInfo, WaitListQuery, WaitPage } from '#shared/wait.ts';
import { audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { callerUploads } from '../../storage/file-store/held-values.ts';
import { earlyFlow, refuseLost } from '../../execution/waits/early-flow.ts';
import { defineRoute } from './define-route.ts';

/** `/api/v1/waits`: questions of runs to people, and their decisions. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/waits',
    scope: 'runs:read',
    tag: 'Waits',
    summary: 'List the questions of runs to people, oldest first; by default only the open ones.',
    guide: 'waiting',
    query: () => WaitListQuery,
    answer: () => WaitPage,
    handle: ({ waits }, { query }) => waits.list(query),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/waits/:id',
    scope: 'runs:read',
    tag: 'Waits',
    summary: 'Get a question of a run. Its id is `<run>.<node>`.',
    answer: () => WaitInfo,
    errors: ['wait_not_found'],
    async handle({ waits }, { params: { id } }) {
      const wait = await waits.get(id);
      if (!wait) throw new ServiceError('wait_not_found', `There is no wait ${JSON.stringify(id)}.`);
      return wait;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/waits/:id/decide',
    scope: 'runs:write',
    tag: 'Waits',
    summary:
      'Approve, reject or fill in. The first decision counts, and is on disk when this answers; it may arrive before the run asks.',
    guide: 'waiting',
    body: () => DecideBody,
    answer: () => WaitInfo,
    errors: ['wait_not_found', 'wait_decided', 'wait_expired', 'wait_void', 'wait_answer_invalid'],
    async handle(ctx, { request, params: { id }, body: { decision, comment, data } }) {
      const { waits, access } = ctx;
      const caller = access.require(request, 'runs:write');
      const { name: by, kind: via } = caller;
      const decided = { decision, comment, by, via, ...(data !== undefined && { data }) };
      const asked = await waits.get(id);
      if (asked) await refuseLost(ctx, asked);
      const early = asked ? undefined : await earlyFlow(ctx, id);
      // Before the decision, which may reach the run at once.
      const uploaded = await ctx.uploads.heldIn(data, callerUploads(caller));
      await ctx.files.give(uploaded, { kind: 'run', id: id.slice(0, id.indexOf('.')) });
      const wait = await waits.decide(id, decided, early);
      audit(ctx, request, 'wait decided', { wait: id, flow: wait.flow, decision });
      return wait;
    },
  }),
];
