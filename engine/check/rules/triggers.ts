import type { OperatorInfo } from '#shared/catalog.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';
import { checkRequestSchema } from '../../flow/request-dialect.ts';
import { normalisePath, pathFault, routeKey } from '../../flow/trigger-path.ts';
import { checkTriggerAuth } from './trigger-auth.ts';

export const HTTP_TRIGGER = 'trigger.http';

/** The params that are checked here and not by the operator's schema. */
export const HTTP_TRIGGER_FIELDS: readonly string[] = ['path', 'auth', 'request'];

/** HTTP triggers: a valid path that no other trigger serves, a known way to authenticate, a safe request schema. */
export function checkTriggers(context: CheckContext): void {
  const own: Route[] = [];
  const ids = [...context.nodes.keys()].sort();
  for (const id of ids) {
    const view = context.nodes.get(id) as NodeView;
    if (!view.info || view.node.operator !== HTTP_TRIGGER) continue;
    checkTriggerAuth(context, view, view.info);
    checkRequest(context, view);
    const route = checkPath(context, view, view.info);
    if (!route || view.node.disabled) continue;
    const rival = own.find((other) => collides(other, route)) ?? rivalRoute(context, route);
    if (rival) reportDuplicate(context, id, route, rival);
    own.push(route);
  }
}

interface Route {
  /** `the node x` of this flow, or `the flow x`. */
  readonly owner: string;
  readonly path: string;
  readonly methods: readonly string[];
}

function checkPath({ report }: CheckContext, { id, node }: NodeView, info: OperatorInfo): Route | undefined {
  const path = node.params?.['path'];
  const fault = pathFault(path);
  if (fault === undefined)
    return {
      owner: `the node \`${id}\``,
      path: normalisePath(path as string),
      methods: methodsOf(node.params, info),
    };
  const said = typeof path === 'string' ? `The path ${JSON.stringify(path)}` : 'The path';
  report({ code: 'bad-path', message: `${said} ${fault}.`, node: id, path: ['params', 'path'] });
  return undefined;
}

function methodsOf(params: Readonly<Record<string, unknown>> | undefined, info: OperatorInfo): string[] {
  const properties = info.params['properties'] as Record<string, { default?: unknown }> | undefined;
  const given = params?.['methods'] ?? properties?.['methods']?.default;
  const methods = Array.isArray(given) ? given.filter((method) => typeof method === 'string') : [];
  return methods.length > 0 ? methods.map((method) => method.toUpperCase()) : ['GET'];
}

function collides(a: Omit<Route, 'owner'>, b: Omit<Route, 'owner'>): boolean {
  const same = a.path === b.path || (a.path.includes(':') && routeKey(a.path) === routeKey(b.path));
  return same && a.methods.some((method) => b.methods.includes(method));
}

function rivalRoute({ flow, world }: CheckContext, route: Route): Route | undefined {
  const other = world.routes.find((served) => served.flow !== flow.id && collides(served, route));
  return other && { ...other, owner: `the flow \`${other.flow}\`` };
}

function reportDuplicate({ report }: CheckContext, node: string, route: Route, rival: Route): void {
  const method = route.methods.find((name) => rival.methods.includes(name)) ?? '';
  const message = `${method} ${route.path} is already served by ${rival.owner}; choose another path or method.`;
  report({ code: 'duplicate-path', message, node, path: ['params', 'path'] });
}

function checkRequest({ report }: CheckContext, { id, node }: NodeView): void {
  const schema = node.params?.['request'];
  if (schema === undefined) return;
  for (const { path, message } of checkRequestSchema(schema)) {
    report({ code: 'bad-schema', message, node: id, path: ['params', 'request', ...path] });
  }
}
