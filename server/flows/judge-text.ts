import { check, formatFlow, type Parsed, parse, type World } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { codeProblems } from '../sandbox/code-problems.ts';
import { scheduleProblems } from '../requests/schedule-problems.ts';
import { calledBy } from './called-flows.ts';
import { contentHash } from '../files/content-hash.ts';
import { type RoutePlace, routesOf, type TriggerInfo, triggersOf } from './trigger-routes.ts';

/** What a flow's text says that decides what has to be known to judge it. */
export interface SeenFlow {
  readonly id: string;
  /** Ids of the flows that it calls. */
  readonly calls: readonly string[];
  readonly routes: readonly RoutePlace[];
}

/** What is known of everything else; `routes` are those of other flows that this one also wants. */
export type FlowWorld = World;

/** What was found of a text; data only, so that a thread can hand it over. */
export interface Judged {
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
}

/** A text that was read, and is judged once it is known what surrounds it. */
export interface ReadText {
  /** Undefined for a text that is no flow; that needs no world. */
  readonly seen: SeenFlow | undefined;
  judge(world: FlowWorld): Judged;
}

export function readText(id: string | undefined, source: string | Uint8Array, catalog: Catalog): ReadText {
  const parsed = parse(source, id === undefined ? {} : { id });
  const { flow } = parsed;
  if (!flow) {
    const nothing = noFlow(textOf(source), parsed.problems);
    return { seen: undefined, judge: () => nothing };
  }
  const triggers = triggersOf(flow, catalog);
  const calls = calledBy(flow, catalog);
  const seen = { id: id ?? flow.id, calls, routes: routesOf(triggers) };
  return {
    seen,
    judge(world) {
      const { problems, runnable } = judgeFlow({ ...parsed, flow }, catalog, world);
      const given = textOf(source);
      const canonical = runnable ? formatFlow(flow) : given;
      // Mostly the file is canonical already; one copy of it is then enough.
      const text = canonical === given ? given : canonical;
      return { source: given, text, flow, problems, runnable, version: contentHash(text), triggers, calls };
    },
  };
}

function judgeFlow(
  { flow, problems, locate }: Parsed & { readonly flow: Flow },
  catalog: Catalog,
  world: FlowWorld,
): Pick<Judged, 'problems' | 'runnable'> {
  const found = [...problems, ...codeProblems(flow, locate), ...scheduleProblems(flow, locate)];
  const own = [...found, ...check(flow, catalog, { ...world, routes: [] }, locate)];
  const runnable = !hasErrors(own);
  if (world.routes.length === 0) return { problems: own, runnable };
  return { problems: [...found, ...check(flow, catalog, world, locate)], runnable };
}

/** Of a text or file that is no flow. */
export function noFlow(source: string, problems: readonly Problem[]): Judged {
  const version = contentHash(source);
  return {
    source,
    text: source,
    flow: undefined,
    problems,
    runnable: false,
    version,
    triggers: [],
    calls: [],
  };
}

/** For display; bytes that are no UTF-8 come out as replacement characters. */
export function textOf(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((p) => p.severity === 'error');
}
