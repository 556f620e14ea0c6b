import { check, formatFlow, type Parsed, parse, type World } from '#engine/check';
import type { SecretInfo } from '#shared/api.ts';
import type { CompiledFlow, Registry, Tools } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { TriggerTable, VariableStore } from '../context.ts';
import { codeProblems } from '../sandbox/code-problems.ts';
import { scheduleProblems } from '../schedules/problems.ts';
import { calledBy, type FindFlow, flowsBelow } from './called-flows.ts';
import { contentHash } from './content-hash.ts';
import { type RoutePlace, routesOf, type TriggerInfo, triggersOf } from './trigger-routes.ts';

/** What a flow's text amounts to: the one way from text to something that can run. */
export interface Examined {
  /** As it was given; the places of problems are in this text. */
  readonly source: string;
  /** What is written: canonical when the source has no errors of its own, else as it was given. */
  readonly text: string;
  readonly flow: Flow | undefined;
  readonly problems: readonly Problem[];
  /** Has no error of its own; another flow may still hold one of its paths. */
  readonly runnable: boolean;
  /** Hash of the canonical text; only meaningful when runnable. */
  readonly version: string;
  readonly triggers: readonly TriggerInfo[];
  /** Ids of the flows that it calls. */
  readonly calls: readonly string[];
  /** Compiles at the first call, then gives the same: a flow that nobody calls costs no compiling. */
  readonly compiled: () => CompiledFlow;
}

export type Compile = (flow: Flow, version: string, registry: Registry, tools: Tools) => CompiledFlow;

export interface ExamineParts {
  readonly registry: Registry;
  readonly tools: Tools;
  readonly compile: Compile;
  readonly triggers: Pick<TriggerTable, 'conflict'>;
  readonly variables: Pick<VariableStore, 'snapshot'>;
  /** Absent where nobody can say which secrets there are. */
  readonly secrets?: (() => readonly SecretInfo[]) | undefined;
  /** What is known of live flows; `find` is absent while that is not known yet. */
  readonly called?: { readonly find?: FindFlow | undefined };
}

export type Examine = (id: string | undefined, source: string | Uint8Array) => Examined;

export function createExaminer(parts: ExamineParts): Examine {
  const { catalog } = parts.registry;

  function judge(id: string, parsed: Parsed & { flow: Flow }, routes: readonly RoutePlace[]) {
    const { flow, problems, locate } = parsed;
    const find = parts.called?.find;
    const world = {
      variables: Object.keys(parts.variables.snapshot()),
      ...secretFacts(parts.secrets?.()),
      flows: find && flowsBelow(id, calledBy(flow, catalog), find),
    };
    const found = [...problems, ...codeProblems(flow, locate), ...scheduleProblems(flow, locate)];
    const own = [...found, ...check(flow, catalog, { ...world, routes: [] }, locate)];
    const taken = takenRoutes(parts.triggers, id, routes);
    if (taken.length === 0) return { problems: own, runnable: !hasErrors(own) };
    const all = [...found, ...check(flow, catalog, { ...world, routes: taken }, locate)];
    return { problems: all, runnable: !hasErrors(own) };
  }

  return (id, source) => {
    const parsed = parse(source, id === undefined ? {} : { id });
    const { flow } = parsed;
    if (!flow) return unparsed(source, parsed.problems);
    const triggers = triggersOf(flow, catalog);
    const judged = judge(id ?? flow.id, { ...parsed, flow }, routesOf(triggers));
    const given = textOf(source);
    const canonical = judged.runnable ? formatFlow(flow) : given;
    // Mostly the file is canonical already; one copy of it is then enough.
    const text = canonical === given ? given : canonical;
    const version = contentHash(text);
    const compiled = once(() => parts.compile(flow, version, parts.registry, parts.tools));
    const calls = calledBy(flow, catalog);
    return { ...judged, source: given, text, flow, version, triggers, calls, compiled };
  };
}

function secretFacts(secrets: readonly SecretInfo[] | undefined): Pick<World, 'secrets' | 'grants'> {
  if (secrets === undefined) return { secrets: undefined };
  const grants = Object.fromEntries(secrets.map((secret) => [secret.name, secret.grants]));
  return { secrets: Object.keys(grants), grants };
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

/** For a text or file that is no flow. */
export function unparsed(source: string | Uint8Array, problems: readonly Problem[]): Examined {
  const text = textOf(source);
  return {
    source: text,
    text,
    flow: undefined,
    problems,
    runnable: false,
    version: contentHash(text),
    triggers: [],
    calls: [],
    compiled: () => {
      throw new Error('A flow with errors cannot be compiled.');
    },
  };
}

/** Compiles now. What cannot be compiled, though nothing was found wrong with it, comes back as not runnable, with a problem. */
export function compiledNow(examined: Examined): Examined {
  if (!examined.runnable) return examined;
  try {
    examined.compiled();
    return examined;
  } catch (error) {
    const message = `The flow cannot be compiled: ${error instanceof Error ? error.message : String(error)}`;
    const problems = [...examined.problems, { code: 'not-supported', severity: 'error', message } as const];
    return { ...examined, problems, runnable: false };
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** For display; bytes that are no UTF-8 come out as replacement characters. */
function textOf(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((p) => p.severity === 'error');
}
