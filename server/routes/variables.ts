import type { FastifyInstance } from 'fastify';
import { type Variable, VariableBody } from '#shared/api.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { ok } from '../envelope.ts';
import { readPart } from './read-part.ts';

interface OneVariable {
  Params: { name: string };
}

const ADMIN = { config: { scope: 'admin' } } as const;

/** `/api/v1/variables`: what expressions read as `vars`. */
export default async function variableRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { variables } = ctx;

  app.get('/api/v1/variables', { config: { scope: 'flows:read' } }, () => {
    const all: Variable[] = Object.entries(variables.snapshot()).map(([name, value]) => ({ name, value }));
    return ok(all.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  app.put<OneVariable>('/api/v1/variables/:name', ADMIN, async (request) => {
    const { name } = request.params;
    const { value } = readPart(VariableBody, request.body, 'body');
    await variables.set(name, value);
    audit(ctx, request, 'variable set', { variable: name });
    return ok({ name, value });
  });

  app.delete<OneVariable>('/api/v1/variables/:name', ADMIN, async (request) => {
    const { name } = request.params;
    await variables.remove(name);
    audit(ctx, request, 'variable removed', { variable: name });
    return ok(null);
  });
}
