import { z } from 'zod';
import { audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { defineRoute } from './define-route.ts';
import { flowsThatMention, variablePattern } from './mentions.ts';

const api = () => import('#shared/api.ts');

/** `/api/v1/variables`: the values that expressions read as `vars`. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/variables',
    scope: 'flows:read',
    tag: 'Administration',
    summary: 'List all variables.',
    answer: async () => z.array((await api()).Variable),
    handle({ variables }) {
      const all = Object.entries(variables.snapshot()).map(([name, value]) => ({ name, value }));
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/variables/:name',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Set a variable.',
    body: async () => (await api()).VariableBody,
    answer: async () => (await api()).Variable,
    errors: ['storage_failed'],
    async handle(ctx, { request, params: { name }, body: { value } }) {
      const { variables, flows } = ctx;
      const isNew = !Object.hasOwn(variables.snapshot(), name);
      await variables.set(name, value);
      audit(ctx, request, 'variable set', { variable: name });
      // The problems of a flow depend on which variables exist, not on their values.
      if (isNew) await flows.worldChanged('variables');
      return { name, value };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/variables/:name/used-by',
    scope: 'flows:read',
    tag: 'Administration',
    summary: 'List the flows that read a variable, in their draft or in what is live.',
    answer: async () => (await api()).NameUse,
    errors: ['variable_not_found'],
    handle(ctx, { params: { name } }) {
      if (!Object.hasOwn(ctx.variables.snapshot(), name))
        throw new ServiceError('variable_not_found', `There is no variable ${name}.`);
      return flowsThatMention(ctx, variablePattern(name));
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/variables/:name',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Delete a variable.',
    answer: () =>
      z
        .object({ usedBy: z.array(z.string()) })
        .describe('Ids of flows that read the variable and now have a problem.'),
    errors: ['variable_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { name } }) {
      const { variables, flows, log } = ctx;
      await variables.remove(name);
      audit(ctx, request, 'variable removed', { variable: name });
      const usedBy = await flows.worldChanged('variables');
      if (usedBy.length > 0)
        log.warn({ variable: name, flows: usedBy }, 'flows use a variable that was deleted');
      return { usedBy };
    },
  }),
];
