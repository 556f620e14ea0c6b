import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Context } from './context.ts';
import { nothingHere } from '../http/nothing-here.ts';
import { logIfSlow } from '../http/platform.ts';
import awelFlows from './awel/routes.ts';
import mcp from './mcp/routes.ts';
import { editorOrigins } from '../http/trigger-origin.ts';
import triggers from '../triggers/routes.ts';
import { appLookUp, appManagement } from './apps.ts';
import olderApps from './apps-v1.ts';
import chat from './chat.ts';
import budgets from './budgets.ts';
import deadLetters from './dead-letters.ts';
import flowDiff from './flow-diff.ts';
import flows from './flows.ts';
import health from './health.ts';
import keys from './keys.ts';
import metrics from './metrics.ts';
import openApi from './openapi.ts';
import operators from './operators.ts';
import providers from './providers.ts';
import root from './root.ts';
import flowTests from './flow-tests.ts';
import pins from './pins.ts';
import runDiff from './run-diff.ts';
import runs from './runs.ts';
import runStatus from './run-status.ts';
import schedules from './schedules.ts';
import secrets from './secrets.ts';
import session from './session.ts';
import startRun from './start-run.ts';
import testTriggers from './test-triggers.ts';
import timeline from './timeline.ts';
import usage from './usage.ts';
import variables from './variables.ts';
import waitPage from './wait-page.ts';
import waits from './waits.ts';

type RoutePlugin = (app: FastifyInstance, ctx: Context) => Promise<void>;

/** What people and their tools manage the server with; absent with WEFT_EDITOR=off. */
const management: readonly RoutePlugin[] = [
  session,
  flows,
  flowDiff,
  awelFlows,
  testTriggers,
  runs,
  timeline,
  deadLetters,
  runDiff,
  startRun,
  flowTests,
  schedules,
  pins,
  variables,
  budgets,
  usage,
  secrets,
  providers,
  keys,
  appManagement,
  olderApps,
  operators,
];

/** Registers all routes, each group in a scope of its own, so that no group's hooks cost another's requests anything. */
export async function registerRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const hasEditor = ctx.config.editor === 'on';
  await app.register((scope) => health(scope, ctx));
  await app.register((scope) => metrics(scope, ctx));
  await app.register(async (api) => {
    await allowOrigins(api, ctx.config);
    const direct = answersDirectly(ctx);
    await api.register((scope) => triggers(scope, ctx, { direct }));
    await api.register((scope) => runStatus(scope, ctx));
    await api.register((scope) => appLookUp(scope, ctx));
    await api.register((scope) => chat(scope, ctx));
    await api.register((scope) => mcp(scope, ctx));
    await api.register((scope) => openApi(scope, ctx));
    // Also without the editor: a run that waits for people must not wait for ever.
    await api.register((scope) => waits(scope, ctx));
    if (!hasEditor) return;
    await api.register(async (scope) => {
      scope.addHook('onResponse', logIfSlow);
      for (const plugin of management) await scope.register((inner) => plugin(inner, ctx));
    });
  });
  await app.register((scope) => waitPage(scope, ctx));
  if (hasEditor) await app.register((scope) => root(scope, ctx));
  else app.setNotFoundHandler((request) => Promise.reject(nothingHere(app, request)));
}

/** Whether trigger answers may go past the framework: none of its hooks has to see them. */
export function answersDirectly({ config }: Pick<Context, 'config'>): boolean {
  return config.corsOrigins.length === 0 && config.triggerOrigin === undefined;
}

/**
 * Pages of these origins may call the API with a key; cookies are never for them. The editor is among them where triggers have
 * an origin of their own.
 */
async function allowOrigins(api: FastifyInstance, config: Config): Promise<void> {
  if (config.corsOrigins.length === 0 && config.triggerOrigin === undefined) return;
  const isAllowed = (origin: string): boolean => {
    const { port } = (api.server.address() as AddressInfo | null) ?? config;
    return config.corsOrigins.includes(origin) || editorOrigins(config, port).includes(origin);
  };
  const { default: cors } = await import('@fastify/cors');
  await api.register(cors, {
    // `false` leaves the request as it is, also an OPTIONS request that is no preflight.
    origin: (origin, done) => done(null, origin !== undefined && isAllowed(origin) ? origin : false),
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Weft-Version',
      'X-Weft-Run',
      'X-Weft-Resume',
      'X-Weft-Ignored',
      'Idempotent-Replayed',
      'X-Request-Id',
      'Mcp-Session-Id',
      'Location',
      'Retry-After',
    ],
    maxAge: 600,
  });
}
