import { normalisePath, operatorInfo } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { FlowRecord } from './flow-types.ts';
import type { TriggerRoute } from './trigger-table.ts';

export type TriggerInfo = FlowRecord['triggers'][number];
export type RoutePlace = Pick<TriggerRoute, 'node' | 'path' | 'methods'>;

const HTTP_TRIGGER = 'trigger.http';
export const FORM_TRIGGER = 'trigger.form';
/** Stands for a method in the table of triggers: forms have paths of their own, and no request has this method. */
export const FORM_METHOD = 'FORM';

/** The triggers of a flow; those for HTTP with path, methods and auth. */
export function triggersOf(flow: Flow, catalog: Catalog): TriggerInfo[] {
  return Object.entries(flow.nodes)
    .filter(([, node]) => operatorInfo(catalog, node.operator)?.trigger && !node.disabled)
    .map(([id, { operator, params }]) => ({
      node: id,
      operator,
      ...(operator === HTTP_TRIGGER && httpPart(params ?? {})),
      ...(operator === FORM_TRIGGER && formPart(params ?? {})),
    }));
}

function httpPart(params: Record<string, unknown>): Pick<TriggerInfo, 'path' | 'methods' | 'auth'> {
  const { path, methods, auth } = params;
  if (typeof path !== 'string' || path.trim() === '') return {};
  return {
    path: normalisePath(path),
    methods: methodList(methods),
    auth: authType(auth),
  };
}

function formPart({ path }: Record<string, unknown>): Pick<TriggerInfo, 'path' | 'methods' | 'auth'> {
  if (typeof path !== 'string' || path.trim() === '') return {};
  return { path: normalisePath(path), methods: [FORM_METHOD], auth: 'none' };
}

/** `hmac` and `basic` come with their settings. */
function authType(auth: unknown): string {
  const type = typeof auth === 'object' && auth !== null ? (auth as { type?: unknown }).type : auth;
  return typeof type === 'string' ? type : 'api-key';
}

/** HEAD and OPTIONS are answered everywhere, so no trigger owns them. */
function methodList(methods: unknown): string[] {
  const given = Array.isArray(methods) ? methods : [];
  const names = given.filter((m) => typeof m === 'string').map((m) => m.toUpperCase());
  const own = [...new Set(names)].filter((m) => m !== 'HEAD' && m !== 'OPTIONS');
  return own.length > 0 ? own : ['GET'];
}

/** The routes of a text that went live; none if it is not a flow. */
export function routesOfText(text: string): RoutePlace[] {
  let nodes: Flow['nodes'];
  try {
    nodes = (JSON.parse(text) as Partial<Flow> | null)?.nodes ?? {};
  } catch {
    return [];
  }
  return Object.entries(nodes).flatMap(([node, { operator, params = {}, disabled }]) => {
    if (disabled === true || (operator !== HTTP_TRIGGER && operator !== FORM_TRIGGER)) return [];
    const { path, methods } = operator === HTTP_TRIGGER ? httpPart(params) : formPart(params);
    return path && methods ? [{ node, path, methods }] : [];
  });
}

export function routesOf(triggers: readonly TriggerInfo[]): RoutePlace[] {
  return triggers.flatMap(({ node, path, methods }) => (path && methods ? [{ node, path, methods }] : []));
}
