import { createRequire } from 'node:module';
import type FindMyWay from 'find-my-way';
import type { TriggerRoute } from '../../flows/service/trigger-table.ts';
import { segmentText } from '../../base/requests/path.ts';

/**
 * Routes whose path has params, in a find-my-way router. Its `off` rebuilds the whole tree (a quarter of a second at
 * 10,000 paths), so nothing is ever removed: the router contains slots, and a removed path leaves its slot empty.
 * When empty slots outnumber the full ones, or a request meets one, a new router is filled in slices between requests
 * and then takes over.
 */
export interface ParamRouter {
  set(method: string, shape: string, route: TriggerRoute): void;
  remove(method: string, shape: string): void;
  get(method: string, shape: string): TriggerRoute | undefined;
  /** The best match: at the first segment where two differ, fixed text beats a param. */
  find(method: string, canonical: string): TriggerRoute | undefined;
  /** Slots in the router, the empty ones included. */
  readonly size: number;
}

type Router = FindMyWay.Instance<FindMyWay.HTTPVersion.V1>;

interface Slot {
  readonly method: string;
  readonly shape: string;
  route: TriggerRoute | undefined;
}

const SLICE = 200;
const FEW = 100;

/** `later` runs a slice of work after other work had its turn; tests pass their own. */
export function createParamRouter(later: (fn: () => void) => void = setImmediate): ParamRouter {
  const slots = new Map<string, Slot>();
  let router: Router | undefined;
  let empty = 0;
  let rebuilding = false;

  function set(method: string, shape: string, route: TriggerRoute): void {
    const key = `${method} ${shape}`;
    const slot = slots.get(key);
    if (slot) {
      if (!slot.route) empty--;
      slot.route = route;
      return;
    }
    const added: Slot = { method, shape, route };
    slots.set(key, added);
    place((router ??= newRouter()), added);
  }

  function remove(method: string, shape: string): void {
    const slot = slots.get(`${method} ${shape}`);
    if (!slot?.route) return;
    slot.route = undefined;
    empty++;
    if (!rebuilding && empty > FEW && empty > slots.size / 2) rebuild();
  }

  function find(method: string, canonical: string): TriggerRoute | undefined {
    const slot = router?.find(method as FindMyWay.HTTPMethod, routerPath(canonical))?.store as
      | Slot
      | undefined;
    if (!slot) return undefined;
    if (slot.route) return slot.route;
    if (!rebuilding) rebuild();
    return bestOf(slots.values(), method, canonical)?.route;
  }

  function rebuild(): void {
    rebuilding = true;
    fillRouter(slots, later, (next, stillEmpty) => {
      router = next;
      empty = stillEmpty;
      rebuilding = false;
    });
  }

  return {
    set,
    remove,
    find,
    get: (method, shape) => slots.get(`${method} ${shape}`)?.route,
    get size() {
      return slots.size;
    },
  };
}

/**
 * Puts all full slots into a new router, slice by slice, and removes the empty ones from `slots` at the end. Slots
 * added meanwhile are included, because a Map's iterator reaches them too; slots filled again after their turn are
 * added at the end.
 */
function fillRouter(
  slots: Map<string, Slot>,
  later: (fn: () => void) => void,
  done: (next: Router, stillEmpty: number) => void,
): void {
  const next = newRouter();
  const placed = new Set<Slot>();
  const todo = slots.values();

  function add(slot: Slot): void {
    if (!slot.route || placed.has(slot)) return;
    place(next, slot);
    placed.add(slot);
  }

  function slice(): void {
    for (let i = 0; i < SLICE; i++) {
      const { value, done: isEnd } = todo.next();
      if (isEnd) return finish();
      add(value);
    }
    later(slice);
  }

  function finish(): void {
    let stillEmpty = 0;
    for (const [key, slot] of slots) {
      add(slot);
      if (!placed.has(slot)) slots.delete(key);
      else if (!slot.route) stillEmpty++;
    }
    done(next, stillEmpty);
  }

  later(slice);
}

/** Values of the params of a path that matched. */
export function readParams(
  names: readonly (string | undefined)[],
  canonical: string,
): Record<string, string> {
  const segments = canonical.slice(1).split('/');
  const params: Record<string, string> = {};
  names.forEach((name, i) => {
    if (name !== undefined) params[name] = segmentText(segments[i] as string);
  });
  return params;
}

const require = createRequire(import.meta.url);

/** Loads the library, which most servers never need. */
function newRouter(): Router {
  const findMyWay = require('find-my-way') as typeof FindMyWay;
  return findMyWay({ maxParamLength: 65_536 });
}

function place(router: Router, slot: Slot): void {
  router.on(slot.method as FindMyWay.HTTPMethod, routerPath(slot.shape, true), noop, slot);
}

function noop(): void {}

/**
 * The path as the router sees it: everything with a meaning for find-my-way (`:`, `*`, `?`, `%`, `(` …) is written
 * `~hex~`, on both sides, so that it has nothing to decode or to interpret; params are numbered.
 */
function routerPath(canonical: string, isShape = false): string {
  if (!isShape) return escape(canonical);
  const segments = canonical.split('/');
  return segments.map((s, i) => (s === ':' ? `:p${i}` : escape(s))).join('/');
}

function escape(text: string): string {
  return text.replace(/[^\w./-]/g, (c) => `~${c.charCodeAt(0).toString(16)}~`);
}

/** The linear search used while an empty slot hides another match. */
function bestOf(slots: Iterable<Slot>, method: string, canonical: string): Slot | undefined {
  const path = canonical.split('/');
  let best: { slot: Slot; shape: string[] } | undefined;
  for (const slot of slots) {
    if (!slot.route || slot.method !== method) continue;
    const shape = slot.shape.split('/');
    if (shape.length !== path.length || !shape.every((s, i) => s === ':' || s === path[i])) continue;
    if (!best || beats(shape, best.shape)) best = { slot, shape };
  }
  return best?.slot;
}

/** Two shapes that match one path differ only in where they have params. */
function beats(a: readonly string[], b: readonly string[]): boolean {
  const at = a.findIndex((s, i) => (s === ':') !== (b[i] === ':'));
  return at !== -1 && a[at] !== ':';
}
