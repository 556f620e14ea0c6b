import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { nothingHere } from '../nothing-here.ts';
import { logIfSlow } from '../platform.ts';
import triggers from '../triggers/routes.ts';
import flows from './flows.ts';
import health from './health.ts';
import metrics from './metrics.ts';
import operators from './operators.ts';
import root from './root.ts';
import runs from './runs.ts';
import session from './session.ts';
import testTriggers from './test-triggers.ts';
import variables from './variables.ts';

type RoutePlugin = (app: FastifyInstance, ctx: Context) => Promise<void>;

/** What is served in every case, also with WEFT_EDITOR=off. */
const always: readonly RoutePlugin[] = [triggers, health, metrics];

/** What people and their tools manage the server with. */
const management: readonly RoutePlugin[] = [session, flows, testTriggers, runs, variables, operators];

export async function registerRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  for (const plugin of always) await app.register((scope) => plugin(scope, ctx));
  if (ctx.config.editor === 'off') {
    app.setNotFoundHandler((request) => {
      throw nothingHere(app, request);
    });
    return;
  }
  await app.register(async (scope) => {
    scope.addHook('onResponse', logIfSlow);
    for (const plugin of management) await scope.register((inner) => plugin(inner, ctx));
  });
  await app.register((scope) => root(scope, ctx));
}
