import { defineRoute } from './define-route.ts';

const shapes = () => import('#shared/tool-trial.ts');

/** Tools of agents, tried by whoever writes the agent. */
export default [
  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/tools/try',
    scope: 'flows:write',
    masked: true,
    tag: 'Flows',
    summary:
      'Try a tool of an agent as it is written now: list what the model would see, or call it. Asks for the scope `runs:write` too. Secrets and connections must be granted to the flow and to `agent.run`; for callers without `flows:publish` also in drafts. What goes wrong is part of the answer.',
    guide: 'agents',
    body: async () => (await shapes()).ToolTrialBody,
    answer: async () => (await shapes()).ToolTrial,
    errors: ['flow_not_found'],
    async handle(ctx, { request, reply, params: { id }, body: { node, ...wish } }) {
      ctx.access.require(request, 'runs:write');
      await ctx.flows.get(id);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const isDraft = !(ctx.access.ofRequest(request)?.scopes.has('flows:publish') ?? false);
      const by = { flow: id, version: '', run: '', node, operator: 'agent.run', isDraft };
      return ctx.toolTrials.run(wish, by, gone.signal);
    },
  }),
];
