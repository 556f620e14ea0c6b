import {
  allNodes,
  findingsOf,
  formatFlow,
  inCanonicalOrder,
  type Parsed,
  parse,
  problemsAt,
  usedConnections,
  usedStatements,
  type World,
} from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { codeProblems } from '../../integrations/sandbox/code-problems.ts';
import { scheduleProblems } from '../../base/requests/schedule-spec.ts';
import { calledBy } from './called-flows.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import { type TriggerInfo, triggersOf } from './trigger-routes.ts';

/** The surroundings of a text; `routes` are those of other flows that this one also wants. */
export type FlowWorld = World;

/** The content of a text by itself; plain data, so that a thread can send it. */
export interface FlowText {
  readonly id: string | undefined;
  /** The given text. */
  readonly source: string;
  /** Undefined if the text is not a flow. */
  readonly flow: Flow | undefined;
  /** The canonical text; the source if the text is not a flow. */
  readonly canonical: string;
  /** Hash of the canonical text. */
  readonly version: string;
  readonly triggers: readonly TriggerInfo[];
  /** Ids of the flows that it calls. */
  readonly calls: readonly string[];
  /** The kinds of things that it may read by name; `services`: it has operators of services, or unknown ones, which may become some. */
  readonly reads: {
    readonly variables: boolean;
    readonly secrets: boolean;
    readonly connections: boolean;
    readonly services: boolean;
  };
  /** Names of the connections that it uses. */
  readonly connections: readonly string[];
  /** Its statements whose rows are outputs of its nodes. */
  readonly statements: readonly ReadStatement[];
}

/** A statement for a database, and the operator that would send it. */
export interface ReadStatement {
  readonly connection: string;
  readonly operator: string;
  readonly sql: string;
  readonly change: boolean;
}

/** The problems of a text. */
export interface Verdict {
  readonly problems: readonly Problem[];
  /** Whether it has no error of its own; another flow may still hold one of its paths. */
  readonly runnable: boolean;
}

/**
 * The text that places of problems refer to: the source, or the canonical text if that will be written. A flow with
 * errors is written unchanged.
 */
export type PlacesIn = 'source' | 'canonical';

/** A text that was read; it is checked once its surroundings are known. */
export interface ReadText {
  readonly text: FlowText;
  judge(world: FlowWorld, places: PlacesIn): Verdict;
}

/** The result of checking a text. */
export interface Judged extends Verdict {
  /** The given text, or the canonical one if that was requested; places of problems refer to this text. */
  readonly source: string;
  /** The text to write: canonical if the source has no errors of its own, otherwise unchanged. */
  readonly text: string;
  readonly flow: Flow | undefined;
  /** Hash of the canonical text; only meaningful if runnable. */
  readonly version: string;
  readonly triggers: readonly TriggerInfo[];
  /** Ids of the flows that it calls. */
  readonly calls: readonly string[];
  readonly reads: FlowText['reads'];
  readonly connections: readonly string[];
  readonly statements: FlowText['statements'];
}

export function readText(id: string | undefined, source: string | Uint8Array, catalog: Catalog): ReadText {
  const parsed = parse(source, id === undefined ? {} : { id });
  const { flow } = parsed;
  const given = displayText(source);
  if (!flow) {
    const verdict = { problems: parsed.problems, runnable: false };
    return { text: noText(id, given), judge: () => verdict };
  }
  const formatted = formatFlow(flow);
  // Most texts are already canonical; one copy is then enough.
  const canonical = formatted === given ? given : formatted;
  const connections = [...new Set(usedConnections(flow, catalog).map(({ connection }) => connection))];
  const text = {
    id,
    source: given,
    // The run and the display must not depend on the order in which the flow was written: saving loses that order.
    flow: inCanonicalOrder(flow),
    canonical,
    version: contentHash(canonical),
    triggers: triggersOf(flow, catalog),
    calls: calledBy(flow, catalog),
    reads: {
      variables: mentions(given, 'vars'),
      secrets: mentions(given, '$secret'),
      connections: connections.length > 0,
      services: Object.values(allNodes(flow)).some(({ operator }) => mayChange(operator, catalog)),
    },
    connections,
    statements: usedStatements(flow, catalog).flatMap(({ connection, operator, sql, asks }) =>
      connection !== undefined && asks !== undefined
        ? [{ connection, operator, sql, change: asks === 'change' }]
        : [],
    ),
  };
  return { text, judge: (world, places) => judge({ ...parsed, flow }, text, { catalog, world, places }) };
}

/** Whether an operator may come, change or go while the server runs. */
export function mayChange(operator: string, { operators }: Catalog): boolean {
  const info = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  return info === undefined || info.service !== undefined;
}

/** Also true for an escaped text, which may contain any word. */
function mentions(source: string, word: string): boolean {
  return source.includes(word) || source.includes('\\u');
}

interface Bench {
  readonly catalog: Catalog;
  readonly world: FlowWorld;
  readonly places: PlacesIn;
}

function judge(
  parsed: Parsed & { readonly flow: Flow },
  { id, source, canonical }: FlowText,
  { catalog, world, places }: Bench,
): Verdict {
  const { flow } = parsed;
  const found = findingsOf(flow, catalog, { ...world, routes: [] });
  const all = world.routes.length === 0 ? found : findingsOf(flow, catalog, world);
  const problemsIn = ({ problems, locate }: Parsed, findings = all): Problem[] => [
    ...problems,
    ...codeProblems(flow, locate),
    ...scheduleProblems(flow, locate),
    ...problemsAt(findings, locate, flow),
  ];
  const problems = problemsIn(parsed);
  const runnable = !hasErrors(all === found ? problems : problemsIn(parsed, found));
  if (places === 'source' || !runnable || source === canonical || problems.length === 0)
    return { problems, runnable };
  return { problems: problemsIn(parse(canonical, id === undefined ? {} : { id })), runnable };
}

export function judged(text: FlowText, verdict: Verdict, places: PlacesIn): Judged {
  const { flow, triggers, calls, reads, connections, statements } = text;
  const written = verdict.runnable ? text.canonical : text.source;
  const version = verdict.runnable ? text.version : contentHash(written);
  const source = places === 'canonical' ? written : text.source;
  return {
    ...verdict,
    source,
    text: written,
    flow,
    version,
    triggers,
    calls,
    reads,
    connections,
    statements,
  };
}

/** The result for a text or file that is not a flow. */
export function noFlow(source: string, problems: readonly Problem[]): Judged {
  return judged(noText(undefined, source), { problems, runnable: false }, 'source');
}

function noText(id: string | undefined, source: string): FlowText {
  return {
    id,
    source,
    flow: undefined,
    canonical: source,
    version: contentHash(source),
    triggers: [],
    calls: [],
    reads: { variables: false, secrets: false, connections: false, services: false },
    connections: [],
    statements: [],
  };
}

/** The text for display; bytes that are not UTF-8 become replacement characters. */
export function displayText(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((p) => p.severity === 'error');
}
