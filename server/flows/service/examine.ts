import { allNodes, type World } from '#engine/check';
import type { SecretInfo } from '#shared/api.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { Described } from '#shared/described.ts';
import type { CompiledFlow, Registry, Steps, Tools } from '#engine';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type { TriggerTable } from './trigger-table.ts';
import type { VariableStore } from './variable-store.ts';
import { type CalledFlow, type FindFlow, flowsBelow, namedIn } from './called-flows.ts';
import {
  type FlowText,
  type FlowWorld,
  type Judged,
  judged,
  noFlow,
  type PlacesIn,
  type ReadText,
  type ReadStatement,
  mayChange,
  readText,
  displayText,
  type Verdict,
} from './judge-text.ts';
import { type LazyPlans, lazyPlans } from './lazy-plans.ts';
import { routesOf } from './trigger-routes.ts';

/** The examination of a flow's text: the only way from a text to something that can run. */
export interface Examined extends Judged {
  /**
   * A key of the surroundings that the check depends on: the result stays valid while the key is the same. Undefined if
   * the text is not a flow.
   */
  readonly around: string | undefined;
  readonly plans: LazyPlans;
}

export interface ExamineDeps {
  readonly registry: Registry;
  readonly tools: Tools;
  readonly compiling: (flow: Flow, version: string, registry: Registry, tools: Tools) => Steps<CompiledFlow>;
  readonly triggers: Pick<TriggerTable, 'conflict'>;
  readonly variables: Pick<VariableStore, 'snapshot'>;
  /** Undefined if the existing secrets are unknown. */
  readonly secrets?: (() => readonly SecretInfo[]) | undefined;
  /** Undefined if the existing connections are unknown. */
  readonly connections?: (() => readonly Pick<ConnectionInfo, 'name' | 'kind' | 'grants'>[]) | undefined;
  /** The database's description of a statement's result; undefined where no database is queried. */
  readonly described?:
    | ((statement: ReadStatement & { readonly flow: string }) => Described | undefined)
    | undefined;
  /** Finds live flows; `find` is absent until they are known. */
  readonly called?: { readonly find?: FindFlow | undefined };
  /** `readText` by default; tests replace it to count reads and checks. */
  readonly read?: typeof readText | undefined;
}

export type Examine = (id: string | undefined, source: string | Uint8Array, places?: PlacesIn) => Examined;

export function createExaminer(deps: ExamineDeps): Examine {
  return (id, source, places = 'source') => judgeNow(deps, id, openText(deps, id, source), places);
}

/** Reads a text, to check it later. */
export function openText(deps: ExamineDeps, id: string | undefined, source: string | Uint8Array): ReadText {
  return (deps.read ?? readText)(id, source, deps.registry.catalog);
}

/** Checks a text that was read. */
export function judgeNow(
  deps: ExamineDeps,
  id: string | undefined,
  { text, judge }: ReadText,
  places: PlacesIn,
): Examined {
  const { world, key } = lookAround(deps, id, text);
  return examinedOf(text, judge(world, places), { places, around: key, plans: plansOf(deps, text) });
}

/** Combines the results for a text. */
export function examinedOf(
  text: FlowText,
  verdict: Verdict,
  { places, around, plans }: Pick<Examined, 'around' | 'plans'> & { readonly places: PlacesIn },
): Examined {
  return { ...judged(text, verdict, places), around, plans };
}

export function plansOf(deps: ExamineDeps, { flow, version }: FlowText): LazyPlans {
  return flow ? lazyPlans(() => deps.compiling(flow, version, deps.registry, deps.tools)) : NO_PLANS;
}

const NO_PLANS: LazyPlans = {
  all() {
    throw new Error('A flow with errors cannot be compiled.');
  },
  isDone: true,
  inTurns: () => Promise.resolve(),
};

interface Surroundings {
  readonly world: Omit<FlowWorld, 'flows'> & { readonly flows?: readonly CalledFlow[] | undefined };
  readonly key: string | undefined;
}

/** The surroundings of a text, and a key of their relevant parts: a result changes only with the key. */
export function lookAround(
  { registry, variables, secrets, connections, described, called, triggers }: ExamineDeps,
  id: string | undefined,
  {
    flow,
    calls,
    reads,
    triggers: own,
    statements: asked,
  }: Pick<FlowText, 'flow' | 'calls' | 'reads' | 'triggers' | 'statements'>,
): Surroundings {
  const known = worldOf({ variables, secrets, connections });
  if (!flow) return { world: { ...known, routes: [] }, key: undefined };
  const me = id ?? flow.id;
  const find = called?.find;
  const named = namedIn(flow, calls);
  const flows = find && flowsBelow(me, named, find);
  const statements = describedOf(asked, me, described);
  const world = { ...known, flows, statements, routes: takenRoutes(triggers, me, own) };
  const key = [
    reads.variables && world.variables,
    reads.secrets && [world.secrets, world.grants],
    reads.connections && world.connections,
    statements,
    reads.services && operatorsOf(flow, registry.catalog),
    named.length > 0 && flows?.map((one) => [one.id, one.version]),
    world.routes,
  ];
  return { world, key: JSON.stringify(key) };
}

function worldOf({
  variables,
  secrets,
  connections,
}: Pick<ExamineDeps, 'variables' | 'secrets' | 'connections'>) {
  return {
    variables: Object.keys(variables.snapshot()),
    ...secretFacts(secrets?.()),
    connections:
      connections &&
      Object.fromEntries(connections().map(({ name, kind, grants }) => [name, { kind, ...grants }])),
  };
}

/** The operators of a flow that may change, each with a number for its description. */
function operatorsOf(flow: Flow, catalog: Catalog): string[] {
  const types = new Set(Object.values(allNodes(flow)).map(({ operator }) => operator));
  return [...types]
    .filter((type) => mayChange(type, catalog))
    .map((type) => `${type} ${numberOf(catalog.operators[type])}`);
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(info: object | undefined): number {
  if (info === undefined) return 0;
  const number = numbers.get(info) ?? ++lastNumber;
  numbers.set(info, number);
  return number;
}

function describedOf(
  asked: FlowText['statements'],
  flow: string,
  described: ExamineDeps['described'],
): NonNullable<World['statements']> {
  return asked.flatMap((statement) => {
    const { connection, sql, change } = statement;
    const found = described?.({ ...statement, flow });
    return found ? [{ connection, sql, change, described: found }] : [];
  });
}

function secretFacts(secrets: readonly SecretInfo[] | undefined): Pick<World, 'secrets' | 'grants'> {
  if (secrets === undefined) return { secrets: undefined };
  const grants = Object.fromEntries(secrets.map((secret) => [secret.name, secret.grants]));
  return { secrets: Object.keys(grants), grants };
}

/**
 * The routes of other flows that this one also wants. `check` gets these instead of all routes, since a look-up in the
 * table costs the same with ten thousand flows as with ten.
 */
function takenRoutes(
  table: Pick<TriggerTable, 'conflict'>,
  id: string,
  triggers: FlowText['triggers'],
): FlowWorld['routes'] {
  return routesOf(triggers).flatMap(({ path, methods }) =>
    methods.flatMap((method) => {
      const owner = table.conflict(id, [{ path, methods: [method] }]);
      return owner ? [{ flow: owner.flow, path, methods: [method] }] : [];
    }),
  );
}

/** The examination of a text or file that is not a flow. */
export function unparsed(source: string | Uint8Array, problems: readonly Problem[]): Examined {
  return { ...noFlow(displayText(source), problems), around: undefined, plans: NO_PLANS };
}

/**
 * Compiles at once. A flow without problems that still cannot be compiled is returned as not runnable, with a problem.
 */
export function compiledNow(examined: Examined): Examined {
  if (!examined.runnable) return examined;
  try {
    examined.plans.all();
    return examined;
  } catch (error) {
    const message = `The flow cannot be compiled: ${error instanceof Error ? error.message : String(error)}`;
    const problems = [...examined.problems, { code: 'not-supported', severity: 'error', message } as const];
    return { ...examined, problems, runnable: false };
  }
}
