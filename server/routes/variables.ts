import type { FastifyInstance } from 'fastify';
import { type Variable, VariableBody } from '#shared/api.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { readPart } from '../requests/read-part.ts';

interface OneVariable {
  Params: { name: string };
}

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/variables`: what expressions read as `vars`. */
export default async function variableRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { variables, flows, log } = ctx;

  app.get('/api/v1/variables', { config: { scope: 'flows:read' } }, () => {
    const all: Variable[] = Object.entries(variables.snapshot()).map(([name, value]) => ({ name, value }));
    return ok(all.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  app.put<OneVariable>('/api/v1/variables/:name', ADMIN, async (request) => {
    const { name } = request.params;
    const { value } = readPart(VariableBody, request.body, 'body');
    const isNew = !Object.hasOwn(variables.snapshot(), name);
    await variables.set(name, value);
    audit(ctx, request, 'variable set', { variable: name });
    // What is wrong with a flow depends on which variables there are, not on their values.
    if (isNew) await flows.worldChanged('variables');
    return ok({ name, value });
  });

  app.delete<OneVariable>('/api/v1/variables/:name', ADMIN, async (request) => {
    const { name } = request.params;
    await variables.remove(name);
    audit(ctx, request, 'variable removed', { variable: name });
    const usedBy = await flows.worldChanged('variables');
    if (usedBy.length > 0)
      log.warn({ variable: name, flows: usedBy }, 'flows use a variable that was deleted');
    return ok({ usedBy });
  });
}
