import { normalisePath } from '#engine/check';
import { FORM_METHOD } from '../../flows/service/trigger-routes.ts';
import type { FlowAside, TriggerRoute, TriggerTable } from '../../flows/service/trigger-table.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { createParamRouter, readParams } from './param-router.ts';
import { canonicalPath, parseRoutePath } from '../../base/requests/path.ts';

/** Methods that a trigger can serve; HEAD and OPTIONS come with them. */
export const TRIGGER_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

type Found = NonNullable<ReturnType<TriggerTable['find']>>;

const NO_PARAMS: Record<string, string> = Object.freeze({});

/**
 * The table of live triggers.
 * - Static paths are one Map look-up; paths with params go through find-my-way and lose against a static match.
 * - A change is synchronous, so no request sees half of it; its cost depends only on the changed flow's own routes.
 * - `find` throws `invalid_request` if the path's percent-encoding is broken.
 */
export function createTriggerTable(later?: (fn: () => void) => void): TriggerTable {
  const statics = new Map<string, Map<string, Found>>();
  const router = createParamRouter(later);
  const owned = new Map<string, readonly TriggerRoute[]>();
  const names = new WeakMap<TriggerRoute, readonly (string | undefined)[]>();

  function ownerOf(method: string, path: string): string | undefined {
    const { shape, names: params } = parseRoutePath(path);
    const route = params.length === 0 ? statics.get(shape)?.get(method)?.route : router.get(method, shape);
    return route?.flow.id;
  }

  const conflict: TriggerTable['conflict'] = (flow, routes) =>
    firstTaken(routes, (method, path) => {
      const owner = ownerOf(method, path);
      return owner === flow ? undefined : owner;
    });

  function add(route: TriggerRoute): void {
    const { shape, names: params } = parseRoutePath(route.path);
    const found = Object.freeze({ route, params: NO_PARAMS });
    for (const method of route.methods) {
      if (params.length > 0) router.set(method, shape, route);
      else if (statics.has(shape)) statics.get(shape)?.set(method, found);
      else statics.set(shape, new Map([[method, found]]));
    }
    if (params.length > 0) names.set(route, params);
  }

  function drop(route: TriggerRoute): void {
    const { shape, names: params } = parseRoutePath(route.path);
    for (const method of route.methods) {
      if (params.length > 0) router.remove(method, shape);
      else statics.get(shape)?.delete(method);
    }
    if (statics.get(shape)?.size === 0) statics.delete(shape);
  }

  function replace(flow: string, routes: readonly TriggerRoute[]): void {
    for (const { path, methods } of routes) assertMethods(path, methods);
    const taken = conflict(flow, routes) ?? ownConflict(flow, routes);
    if (taken) throw publishConflict(flow, taken);
    for (const route of owned.get(flow) ?? []) drop(route);
    if (routes.length === 0) owned.delete(flow);
    else owned.set(flow, routes);
    for (const route of routes) add(route);
  }

  const find: TriggerTable['find'] = (method, path) => {
    // Most requests already have the path in its canonical form.
    const direct = statics.get(path)?.get(method);
    if (direct) return direct;
    const canonical = canonicalPath(path);
    const fixed = statics.get(canonical)?.get(method);
    if (fixed) return fixed;
    const route = router.find(method, canonical);
    return route && { route, params: readParams(names.get(route) ?? [], canonical) };
  };

  return {
    replace,
    conflict,
    find,
    methodsAt: (path) => TRIGGER_METHODS.filter((method) => find(method, path) !== undefined),
    all: () => [...owned.values()].flat(),
    ...createAside(),
  };
}

/** The flows that are not served here. */
function createAside(): Pick<TriggerTable, 'setAside' | 'aside' | 'asideAt'> {
  const missing = new Map<string, FlowAside>();
  return {
    setAside(flow, aside) {
      if (aside === undefined) missing.delete(flow);
      else missing.set(flow, aside);
    },
    aside: () => [...missing.values()],
    asideAt: (path) => (missing.size === 0 ? undefined : asideAt(missing.values(), canonicalPath(path))),
  };
}

/** Only for requests that have no other answer. */
function asideAt(flows: Iterable<FlowAside>, path: string): FlowAside | undefined {
  const parts = path.split('/');
  const fits = ({ path: wanted }: Pick<TriggerRoute, 'path'>): boolean => {
    const pattern = wanted.split('/');
    return (
      pattern.length === parts.length && pattern.every((part, i) => part.startsWith(':') || part === parts[i])
    );
  };
  return [...flows].find(({ routes }) => routes.some(fits));
}

function assertMethods(path: string, methods: readonly string[]): void {
  const known: readonly string[] = [...TRIGGER_METHODS, FORM_METHOD];
  const unknown = methods.find((method) => !known.includes(method));
  if (unknown === undefined) return;
  throw new ServiceError(
    'flow_invalid',
    `${path}: a trigger serves ${TRIGGER_METHODS.join(', ')}, not ${unknown}.`,
  );
}

type Taken = { readonly flow: string; readonly path: string; readonly method: string };

/** The first path and method for which `ownerOf` names a flow. */
function firstTaken(
  routes: readonly Pick<TriggerRoute, 'path' | 'methods'>[],
  ownerOf: (method: string, path: string) => string | undefined,
): Taken | undefined {
  for (const { path, methods } of routes) {
    for (const method of new Set(methods)) {
      const flow = ownerOf(method, path);
      if (flow !== undefined) return { flow, path: normalisePath(path), method };
    }
  }
  return undefined;
}

/** A path and method that a flow declares twice. */
function ownConflict(flow: string, routes: readonly TriggerRoute[]): Taken | undefined {
  const seen = new Set<string>();
  return firstTaken(routes, (method, path) => {
    const key = `${method} ${parseRoutePath(path).shape}`;
    if (seen.has(key)) return flow;
    seen.add(key);
    return undefined;
  });
}

function publishConflict(flow: string, taken: Taken): ServiceError {
  const what = `${taken.method} ${taken.path}`;
  const message =
    taken.flow === flow
      ? `Flow ${flow} declares ${what} twice.`
      : `Flow ${flow} cannot go live: ${what} is served by flow ${taken.flow} already.`;
  return new ServiceError('publish_conflict', message, { detail: [{ ...taken, wantedBy: flow }] });
}

/** The table, which also reports each flow whose live version changes: that is when its routes are replaced. */
export function watchedTable(table: TriggerTable, onChange: (flow: string) => void): TriggerTable {
  return {
    conflict: (flow, routes) => table.conflict(flow, routes),
    find: (method, path) => table.find(method, path),
    methodsAt: (path) => table.methodsAt(path),
    all: () => table.all(),
    setAside: (flow, aside) => table.setAside(flow, aside),
    aside: () => table.aside(),
    asideAt: (path) => table.asideAt(path),
    replace(flow, routes) {
      table.replace(flow, routes);
      onChange(flow);
    },
  };
}
