import { check, formatFlow, parse } from '#engine/check';
import type { CompiledFlow, Registry, Tools } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { TriggerTable, VariableStore } from '../context.ts';
import { contentHash } from './content-hash.ts';
import { type RoutePlace, routesOf, type TriggerInfo, triggersOf } from './trigger-routes.ts';

/** What a flow's text amounts to: the one way from text to something that can run. */
export interface Examined {
  /** Canonical when the text has no errors in itself, else as it was given. */
  readonly text: string;
  readonly flow: Flow | undefined;
  readonly problems: readonly Problem[];
  /** Has no error of its own; another flow may still hold one of its paths. */
  readonly runnable: boolean;
  /** Hash of the canonical text; only meaningful when runnable. */
  readonly version: string;
  readonly triggers: readonly TriggerInfo[];
  /** Made when first read, then kept: a flow that nobody calls costs no compiling. */
  readonly compiled: CompiledFlow;
}

export type Compile = (flow: Flow, version: string, registry: Registry, tools: Tools) => CompiledFlow;

export interface ExamineParts {
  readonly registry: Registry;
  readonly tools: Tools;
  readonly compile: Compile;
  readonly triggers: Pick<TriggerTable, 'conflict'>;
  readonly variables: Pick<VariableStore, 'snapshot'>;
}

export type Examine = (id: string | undefined, source: string | Uint8Array) => Examined;

export function createExaminer(parts: ExamineParts): Examine {
  return (id, source) => {
    const { flow, problems, locate } = parse(source, id === undefined ? {} : { id });
    if (!flow) return { ...unparsed(source), problems };
    const triggers = triggersOf(flow, parts.registry.catalog);
    const world = { routes: [], variables: Object.keys(parts.variables.snapshot()) };
    const own = [...problems, ...check(flow, parts.registry.catalog, world, locate)];
    const taken = takenRoutes(parts.triggers, id ?? flow.id, routesOf(triggers));
    const all =
      taken.length === 0
        ? own
        : [...problems, ...check(flow, parts.registry.catalog, { ...world, routes: taken }, locate)];
    const runnable = !hasErrors(own);
    const text = runnable ? formatFlow(flow) : textOf(source);
    const version = contentHash(text);
    return withCompiled({ text, flow, problems: all, runnable, version, triggers }, parts);
  };
}

/**
 * The routes of other flows that this one also wants. `check` gets these instead of all routes there are, since asking the
 * table costs the same with ten thousand flows as with ten.
 */
function takenRoutes(table: Pick<TriggerTable, 'conflict'>, id: string, wanted: readonly RoutePlace[]) {
  return wanted.flatMap(({ path, methods }) =>
    methods.flatMap((method) => {
      const owner = table.conflict(id, [{ path, methods: [method] }]);
      return owner ? [{ flow: owner.flow, path, methods: [method] }] : [];
    }),
  );
}

function unparsed(source: string | Uint8Array) {
  const text = textOf(source);
  return {
    text,
    flow: undefined,
    runnable: false,
    version: contentHash(text),
    triggers: [],
    get compiled(): CompiledFlow {
      throw new Error('A text that is no flow cannot be compiled.');
    },
  };
}

function withCompiled(examined: Omit<Examined, 'compiled'> & { flow: Flow }, parts: ExamineParts): Examined {
  let compiled: CompiledFlow | undefined;
  return {
    ...examined,
    get compiled() {
      compiled ??= parts.compile(examined.flow, examined.version, parts.registry, parts.tools);
      return compiled;
    },
  };
}

/** For display; bytes that are no UTF-8 come out as replacement characters. */
function textOf(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((p) => p.severity === 'error');
}
