import type { World } from '#engine/check';
import type { SecretInfo } from '#shared/api.ts';
import type { CompiledFlow, Registry, Tools } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { TriggerTable } from './trigger-table.ts';
import type { VariableStore } from './variable-store.ts';
import type { ExaminedApart } from './apart/examined-apart.ts';
import { type FindFlow, flowsBelow } from './called-flows.ts';
import { type FlowWorld, type Judged, noFlow, readText, type SeenFlow, textOf } from './judge-text.ts';
import type { RoutePlace } from './trigger-routes.ts';

/** What a flow's text amounts to: the one way from text to something that can run. */
export interface Examined extends Judged {
  /** Compiles at the first call, then gives the same: a flow that nobody calls costs no compiling. */
  readonly compiled: () => CompiledFlow;
}

export type Compile = (flow: Flow, version: string, registry: Registry, tools: Tools) => CompiledFlow;

export interface ExamineDeps {
  readonly registry: Registry;
  readonly tools: Tools;
  readonly compile: Compile;
  readonly triggers: Pick<TriggerTable, 'conflict'>;
  readonly variables: Pick<VariableStore, 'snapshot'>;
  /** Absent where nobody can say which secrets there are. */
  readonly secrets?: (() => readonly SecretInfo[]) | undefined;
  /** What was found of large flows in a thread of its own. */
  readonly apart?: Pick<ExaminedApart, 'find'>;
  /** What is known of live flows; `find` is absent while that is not known yet. */
  readonly called?: { readonly find?: FindFlow | undefined };
}

/** What `worldFor` asks. */
export type WorldDeps = Pick<ExamineDeps, 'variables' | 'secrets' | 'called' | 'triggers'>;

export type Examine = (id: string | undefined, source: string | Uint8Array) => Examined;

export function createExaminer(deps: ExamineDeps): Examine {
  const { catalog } = deps.registry;

  function judge(id: string | undefined, source: string | Uint8Array): Judged {
    const read = readText(id, source, catalog);
    return read.judge(worldFor(deps, read.seen));
  }

  return (id, source) => {
    const judged = deps.apart?.find(id, source) ?? judge(id, source);
    const { flow, version } = judged;
    if (!flow) return unparsed(source, judged.problems);
    const compiled = once(() => deps.compile(flow, version, deps.registry, deps.tools));
    return { ...judged, flow, compiled };
  };
}

/** What `check` has to know of everything else. */
export function worldFor(
  { variables, secrets, called, triggers }: WorldDeps,
  seen: SeenFlow | undefined,
): FlowWorld {
  const find = called?.find;
  return {
    variables: Object.keys(variables.snapshot()),
    ...secretFacts(secrets?.()),
    flows: seen && find && flowsBelow(seen.id, seen.calls, find),
    routes: seen ? takenRoutes(triggers, seen.id, seen.routes) : [],
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
  return {
    ...noFlow(textOf(source), problems),
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
