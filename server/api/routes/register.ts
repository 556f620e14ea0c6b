import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Context } from './context.ts';
import { nothingHere } from '../../access/http/nothing-here.ts';
import { compressedAnswer, knownAnswer } from '../../access/http/sparing-answer.ts';
import { logIfSlow } from '../../access/http/platform.ts';
import awelFlows from './awel/routes.ts';
import mcp from './mcp/routes.ts';
import { answersDirectly } from '../triggers/front-door.ts';
import triggers from '../triggers/routes.ts';
import { appLookUp, appManagement } from './apps.ts';
import olderApps from './apps-v1.ts';
import chat from './chat.ts';
import appPages from './app-pages.ts';
import chatPages from './chat-page.ts';
import connections from './connections.ts';
import auditEntries from './audit.ts';
import nodes from './nodes.ts';
import budgets from './budgets.ts';
import deadLetters from './dead-letters.ts';
import { allowOrigins } from './cors.ts';
import { addRoutes, type Route } from './define-route.ts';
import evaluations from './evaluations.ts';
import files, { chatFiles } from './files.ts';
import flowDiff from './flow-diff.ts';
import flowList from './flow-list.ts';
import flows from './flows.ts';
import formPages, { formPreview } from './form-page.ts';
import health from './health.ts';
import hookDeliveries, { hooks } from './hooks.ts';
import imports from './imports.ts';
import keys from './keys.ts';
import knowledge from './knowledge.ts';
import metrics from './metrics.ts';
import openApi from './openapi.ts';
import originalDatabases from './original-databases.ts';
import operators from './operators.ts';
import services from './services.ts';
import providers from './providers.ts';
import root from './root.ts';
import flowSearch from './flow-search.ts';
import flowTests from './flow-tests.ts';
import pins from './pins.ts';
import runDiff from './run-diff.ts';
import runs from './runs.ts';
import runStatus from './run-status.ts';
import schedules from './schedules.ts';
import secrets from './secrets.ts';
import session from './session.ts';
import signIns from './sign-ins.ts';
import startRun from './start-run.ts';
import shop from './shop.ts';
import templates from './templates.ts';
import testTriggers from './test-triggers.ts';
import toolTrials from './tool-trials.ts';
import timeline, { rounds as runRounds } from './timeline.ts';
import usage from './usage.ts';
import variables from './variables.ts';
import waitPage from './wait-page.ts';
import waits, { calls as waitCalls, events } from './waits.ts';

/** A group of routes: plain ones, or a plugin if they need their own hooks, parsers or parts. */
type RouteGroup = readonly Route[] | ((app: FastifyInstance, ctx: Context) => Promise<void>);

/** The routes by which people and their tools manage the server; not registered with WEFT_EDITOR=off. */
const management: readonly RouteGroup[] = [
  session,
  flows,
  flowList,
  templates,
  shop,
  imports,
  flowDiff,
  flowSearch,
  formPreview,
  awelFlows,
  testTriggers,
  runs,
  timeline,
  deadLetters,
  runDiff,
  runRounds,
  startRun,
  toolTrials,
  files,
  flowTests,
  evaluations,
  schedules,
  hooks,
  pins,
  variables,
  budgets,
  usage,
  auditEntries,
  nodes,
  secrets,
  connections,
  signIns,
  originalDatabases,
  providers,
  keys,
  appManagement,
  appPages,
  olderApps,
  operators,
  services,
];

/** Registers all routes, in the order of the OpenAPI document. */
export async function registerRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const hasEditor = ctx.config.editor === 'on';
  await addGroup(app, ctx, health);
  await addGroup(app, ctx, metrics);
  if (ctx.config.role === 'worker') {
    await forOtherServers(app, ctx);
    app.setNotFoundHandler((request) => Promise.reject(notByWorkers(app, request)));
    return;
  }
  await app.register(async (api) => {
    await allowOrigins(api, ctx.config);
    const direct = answersDirectly(ctx.config);
    await api.register((scope) => triggers(scope, ctx, { direct }));
    // Waits are available without the editor too: a run that waits for people must not wait for ever.
    for (const group of [runStatus, appLookUp, chat, mcp, openApi, waits, events, knowledge])
      await addGroup(api, ctx, group);
    if (!hasEditor) return await forOtherServers(api, ctx);
    await api.register(async (scope) => {
      scope.addHook('onResponse', logIfSlow);
      scope.addHook('onSend', knownAnswer);
      scope.addHook('onSend', compressedAnswer);
      for (const group of management) await addGroup(scope, ctx, group);
    });
  });
  await addGroup(app, ctx, waitPage);
  await addGroup(app, ctx, waitCalls);
  await addGroup(app, ctx, formPages);
  await addGroup(app, ctx, hookDeliveries);
  await addGroup(app, ctx, chatFiles);
  await addGroup(app, ctx, chatPages);
  if (hasEditor) await addGroup(app, ctx, root);
  else app.setNotFoundHandler((request) => Promise.reject(nothingHere(app, request)));
}

function notByWorkers(app: FastifyInstance, request: FastifyRequest): ServiceError {
  const found = nothingHere(app, request);
  if (found.code !== 'not_found') return found;
  const text =
    'This server is a worker (WEFT_ROLE=worker), which answers no such requests: send them to a server with WEFT_ROLE=web or all.';
  return new ServiceError('not_found', text);
}

/** Without an editor, the other servers show runs to people; they ask this one for the runs that it executes. */
async function forOtherServers(api: FastifyInstance, ctx: Context): Promise<void> {
  const { servers } = ctx;
  if (servers === undefined) return;
  await api.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      if (!servers.asks(request)) throw nothingHere(scope, request);
    });
    for (const group of [runs, timeline]) await addGroup(scope, ctx, group);
  });
}

/** A plugin gets its own Fastify scope, so its hooks cost the requests of other groups nothing. */
async function addGroup(app: FastifyInstance, ctx: Context, group: RouteGroup): Promise<void> {
  if (typeof group === 'function') await app.register((scope) => group(scope, ctx));
  else addRoutes(app, ctx, group);
}
