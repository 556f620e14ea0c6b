import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Locate, type Placed, placedNodes } from '#engine/check';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import type * as Prepare from './prepare.ts';
import type { CodeKind, CodeProblem } from './prepare.ts';

/** Operators with code, and how it is run. */
const kinds: ReadonlyMap<string, CodeKind> = new Map([
  ['code.run', 'function'],
  ['code.stream', 'generator'],
]);

/** How many texts' problems are cached: a flow is checked with every change, but its code seldom changes. */
const MAX_KNOWN = 500;
const known = new Map<string, CodeProblem | undefined>();

/** The problems that prevent the code of a flow's nodes from running. The browser's check cannot find it. */
export function codeProblems(flow: Flow, locate: Locate): Problem[] {
  return [...placedNodes(flow.nodes)].flatMap(({ id, node, path }) => {
    const kind = kinds.get(node.operator);
    const source = node.params?.['source'];
    if (kind === undefined || typeof source !== 'string') return [];
    const found = findingOf(source, languageOf(node), kind);
    return found ? [toProblem({ id, path }, source, found, locate)] : [];
  });
}

function languageOf({ params }: FlowNode): 'javascript' | 'typescript' {
  return params?.['language'] === 'javascript' ? 'javascript' : 'typescript';
}

function findingOf(
  source: string,
  language: 'javascript' | 'typescript',
  kind: CodeKind,
): CodeProblem | undefined {
  const key = `${kind} ${language} ${source}`;
  if (!known.has(key)) {
    const prepared = loadPrepare().prepareCode({ source, language, kind });
    known.set(key, 'problem' in prepared ? prepared.problem : undefined);
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as string);
  }
  return known.get(key);
}

/** Loaded with the first code node. */
function loadPrepare(): typeof Prepare {
  const require = createRequire(import.meta.url);
  return require(fileURLToPath(new URL('./prepare.ts', import.meta.url))) as typeof Prepare;
}

function toProblem(
  { id, path }: Pick<Placed, 'id' | 'path'>,
  source: string,
  { message, line, column }: CodeProblem,
  locate: Locate,
): Problem {
  return {
    code: 'code-syntax',
    severity: 'error',
    message: `${message} (line ${line}, column ${column} of the code)`,
    node: id,
    field: 'params.source',
    ...locate([...path, 'params', 'source']),
    offset: offsetOf(source, line, column),
  };
}

function offsetOf(source: string, line: number, column: number): number {
  const before = source.split('\n').slice(0, line - 1);
  return Math.min(source.length, before.join('\n').length + Math.min(1, before.length) + column - 1);
}
