import type { Catalog } from '#shared/catalog.ts';
import { type Flow, MAX_NODES } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { hasBodies, placedNodes } from '../flow/bodies.ts';
import { checkContext, contextsOf, type Finding, type Rule, type World } from '../flow/context.ts';
import { formatPath, type Path } from '../flow/field-path.ts';
import { tooManyNodes } from '../flow/parse.ts';
import { checkBodies } from './rules/bodies.ts';
import { checkCalls } from './rules/calls.ts';
import { checkConnections, checkStatements } from './rules/connections.ts';
import { checkCache } from './rules/cache.ts';
import { checkEach } from './rules/each.ts';
import { checkEdges } from './rules/edges.ts';
import { checkExpressions } from './rules/expressions.ts';
import { checkFailures } from './rules/failures.ts';
import { checkInputs } from './rules/inputs.ts';
import { checkModules } from './rules/modules.ts';
import { checkParams } from './rules/params.ts';
import { checkResults } from './rules/results.ts';
import { checkSecrets } from './rules/secrets.ts';
import { checkSettings } from './rules/settings.ts';
import { checkStreamDeadlocks } from './rules/stream-deadlocks.ts';
import { checkStructure } from './rules/structure.ts';
import { checkTriggers } from './rules/triggers.ts';
import { checkTypes } from './rules/types.ts';
import { checkUnknownFields } from './rules/unknown-fields.ts';
import type { Locate } from '../flow/source-map.ts';

const rules: readonly Rule[] = [
  checkUnknownFields,
  checkStructure,
  checkEdges,
  checkInputs,
  checkParams,
  checkModules,
  checkSecrets,
  checkConnections,
  checkStatements,
  checkExpressions,
  checkTriggers,
  checkCalls,
  checkFailures,
  checkCache,
  checkEach,
  checkBodies,
  checkSettings,
  checkResults,
  checkStreamDeadlocks,
];

/**
 * All problems of a parsed flow: problems of the flow first, then by node and field. Never throws. With `locate` (from
 * `parse`) each problem has its position in the file.
 */
export function check(flow: Flow, catalog: Catalog, world: World, locate?: Locate): Problem[] {
  return problemsAt(findingsOf(flow, catalog, world), locate, flow);
}

/** The same without positions, since one flow may have several texts. */
export function findingsOf(flow: Flow, catalog: Catalog, world: World): readonly Finding[] {
  const count = hasBodies(flow) ? [...placedNodes(flow.nodes)].length : Object.keys(flow.nodes).length;
  if (count > MAX_NODES) return [{ code: 'too-many-nodes', message: tooManyNodes(count), path: ['nodes'] }];
  const findings: Finding[] = [];
  const context = checkContext(flow, catalog, world, (finding) => void findings.push(finding));
  for (const part of contextsOf(context)) for (const rule of rules) rule(part);
  checkTypes(context);
  return findings.sort(compareFindings);
}

/** What was found, with its places in a text of the flow. */
export function problemsAt(
  findings: readonly Finding[],
  locate: Locate | undefined,
  flow: Pick<Flow, 'nodes'>,
): Problem[] {
  const places = hasBodies(flow)
    ? new Map([...placedNodes(flow.nodes)].map(({ id, path }) => [id, path]))
    : undefined;
  return findings.map((finding) => toProblem(finding, locate, places));
}

function toProblem(
  finding: Finding,
  locate: Locate | undefined,
  places: ReadonlyMap<string, Path> | undefined,
): Problem {
  const { code, message, label, severity, node, path = [], offset, nodes } = finding;
  const field = formatPath(path);
  return {
    code,
    severity: severity ?? 'error',
    message,
    ...(label !== undefined && { label }),
    ...(node !== undefined && { node }),
    ...(field !== '' && { field }),
    ...locate?.(placeOf(node ?? (field === '' ? nodes?.[0] : undefined), path, places)),
    ...(offset !== undefined && { offset }),
    ...(nodes && { nodes: [...nodes] }),
    ...repairs(finding),
  };
}

function repairs({ fix, fixes = [], lacks }: Finding): Pick<Problem, 'fix' | 'fixes' | 'lacks'> {
  return {
    ...(fix && { fix }),
    ...(fixes.length > 0 && { fixes: [...fixes] }),
    ...(lacks !== undefined && { lacks }),
  };
}

function placeOf(node: string | undefined, path: Path, places: ReadonlyMap<string, Path> | undefined): Path {
  return node === undefined ? path : [...(places?.get(node) ?? ['nodes', node]), ...path];
}

function compareFindings(a: Finding, b: Finding): number {
  return (
    compareKeys(a.node ?? '', b.node ?? '') ||
    comparePaths(a.path ?? [], b.path ?? []) ||
    (a.offset ?? 0) - (b.offset ?? 0) ||
    compareKeys(a.code, b.code) ||
    compareKeys(a.message, b.message)
  );
}

function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareKeys(a[i] as string | number, b[i] as string | number);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareKeys(a: string | number, b: string | number): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
