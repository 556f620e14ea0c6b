import { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import { FormField, fieldsFault } from '#shared/form-field.ts';
import type { CheckContext, NodeView } from '../../flow/context.ts';
import { checkRequestSchema } from '../../flow/request-dialect.ts';
import { normalisePath, pathFault, routeKey } from '../../flow/trigger-path.ts';
import { checkTriggerAuth } from './trigger-auth.ts';

export const HTTP_TRIGGER = 'trigger.http';
const FORM_TRIGGER = 'trigger.form';
/** In place of the methods of a form, whose paths are apart from those of HTTP triggers. */
const FORM_METHODS = ['FORM'];

/** The params that are checked here and not by the operator's schema. */
export const HTTP_TRIGGER_FIELDS: readonly string[] = ['path', 'auth', 'request'];

/** HTTP triggers: a valid path that no other trigger serves, a known way to authenticate, a safe request schema. */
export function checkTriggers(context: CheckContext): void {
  const own: Route[] = [];
  const ids = [...context.nodes.keys()].sort();
  for (const id of ids) {
    const view = context.nodes.get(id) as NodeView;
    const { operator } = view.node;
    if (!view.info || (operator !== HTTP_TRIGGER && operator !== FORM_TRIGGER)) continue;
    if (operator === FORM_TRIGGER) checkForm(context, view);
    else checkTriggerAuth(context, view, view.info);
    checkRequest(context, view, operator === FORM_TRIGGER ? 'schema' : 'request');
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
      methods: node.operator === FORM_TRIGGER ? FORM_METHODS : methodsOf(node.params, info),
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
  const message =
    method === FORM_METHODS[0]
      ? `The form ${route.path} is already served by ${rival.owner}; choose another path.`
      : `${method} ${route.path} is already served by ${rival.owner}; choose another path or method.`;
  report({ code: 'duplicate-path', message, node, path: ['params', 'path'] });
}

function checkRequest({ report }: CheckContext, { id, node }: NodeView, param: 'request' | 'schema'): void {
  const schema = node.params?.[param];
  if (schema === undefined) return;
  for (const { path, message } of checkRequestSchema(schema)) {
    report({ code: 'bad-schema', message, node: id, path: ['params', param, ...path] });
  }
}

/** A form needs fields that somebody can fill in, and an address where it leads to one. */
function checkForm({ report }: CheckContext, { id, node }: NodeView): void {
  const { fields = [], schema, after, redirect } = node.params ?? {};
  const tell = (param: string, message: string): void =>
    report({ code: 'bad-param', message, node: id, path: ['params', param] });
  const read = z.array(FormField).safeParse(fields);
  const count = Array.isArray(fields) ? fields.length : 0;
  if (schema === undefined && count === 0)
    tell('fields', 'The form has no fields: add some, or give a `schema`.');
  if (schema !== undefined && count > 0)
    tell('schema', 'The form has `fields` and a `schema`: remove one of them.');
  const fault = read.success ? fieldsFault(read.data) : undefined;
  if (fault !== undefined) tell('fields', fault);
  if (after === 'redirect' && redirect === undefined)
    tell('redirect', 'The form leads to an address, but none is given.');
}
