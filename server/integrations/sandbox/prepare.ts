import { createRequire } from 'node:module';
import type * as Acorn from 'acorn';
import type { AnyNode, Program } from 'acorn';
import { limits } from './limits.ts';
import { stripTypes } from './strip-types.ts';

export type CodeKind = 'function' | 'generator';

export interface CodeText {
  readonly source: string;
  readonly language: 'javascript' | 'typescript';
  readonly kind: CodeKind;
}

/** Runnable code: JavaScript with the same lines and columns, and what it needs. */
export interface PreparedCode {
  readonly source: string;
  readonly mode: 'sync' | 'async' | 'generator';
  /** It reads `ctx` or `console`. */
  readonly usesContext: boolean;
  /** The fields of `ctx` that it reads; undefined if that is unknown. */
  readonly contextFields: ReadonlySet<string> | undefined;
  /** It names something of the library (`host/guest/offers.js`), or what may lead there. */
  readonly usesLibrary: boolean;
  /** It may read the clock or random values, or call the outside: the same input may give another result. */
  readonly hears: boolean;
}

/** Where the author has to look; both from 1. */
export interface CodeProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type Prepared = { readonly code: PreparedCode } | { readonly problem: CodeProblem };

/** One line before the code, so that `return`, `await` and `yield` are parsed as in the body that it becomes. */
const HEAD = 'async function* code(input, inputs, ctx, console) {"use strict";\n';
const TAIL = '\n}';
/** The parts of `ctx`, and of the language, that do not depend on the input. */
const HEARING: ReadonlySet<string> = new Set([
  'now',
  'random',
  'uuid',
  'fetch',
  'secret',
  'file',
  'newFile',
  'state',
]);
const HEARING_NAMES: ReadonlySet<string> = new Set([
  'Date',
  'Intl',
  'random',
  'crypto',
  'globalThis',
  'Function',
]);
/** The names of the library, of what takes or gives its bytes, and of what may reach a global without naming it. */
const LIBRARY_NAMES: ReadonlySet<string> = new Set([
  'Buffer',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'crypto',
  'structuredClone',
  'setTimeout',
  'clearTimeout',
  'Uint8Array',
  'ArrayBuffer',
  'arrayBuffer',
  'bytes',
  'globalThis',
  'Function',
  'constructor',
  'eval',
]);
const LIBRARY_FIELDS: readonly string[] = ['sleep', 'file', 'newFile', 'state'];
const NO_IMPORT = 'Code can neither import nor export; it has the language itself and `ctx`.';

/**
 * Reads the body of a code node: strips types, parses, and determines how it has to be called. Never throws for any
 * text that an author can write.
 */
export function prepareCode({ source, language, kind }: CodeText): Prepared {
  if (source.length > limits.source) return problemAt(tooLong(source.length));
  const stripped = language === 'typescript' ? withoutTypes(source) : { source };
  if ('problem' in stripped) return stripped;
  const parsed = parseBody(stripped.source);
  if ('problem' in parsed) return parsed;
  const found = look(parsed.program);
  if (found.forbidden) return problemAt(found.forbidden.message, placeIn(found.forbidden.node));
  if (kind === 'function' && found.yields) {
    const message = '`yield` makes a stream; use the node "Code over a stream" for that.';
    return problemAt(message, placeIn(found.yields));
  }
  const mode = kind === 'generator' ? 'generator' : found.awaits ? 'async' : 'sync';
  return {
    code: {
      source: stripped.source,
      mode,
      usesContext: found.usesContext,
      contextFields: found.contextUses > 0 ? undefined : found.contextFields,
      usesLibrary: usesLibrary(found),
      hears: hears(found),
    },
  };
}

function hears({ contextUses, contextFields, hears: named }: Findings): boolean {
  return named || contextUses > 0 || [...HEARING].some((name) => contextFields.has(name));
}

function usesLibrary({ contextUses, contextFields, namesLibrary }: Findings): boolean {
  return namesLibrary || contextUses > 0 || LIBRARY_FIELDS.some((name) => contextFields.has(name));
}

function tooLong(length: number): string {
  return `The code has ${length} characters; at most ${limits.source} are allowed.`;
}

function problemAt(
  message: string,
  place: { line: number; column: number } = { line: 1, column: 1 },
): {
  problem: CodeProblem;
} {
  return { problem: { message, ...place } };
}

// -------------------------------------------------------------------------------------------------------- types

function withoutTypes(source: string): { source: string } | { problem: CodeProblem } {
  const stripped = stripTypes(`${HEAD}${source}${TAIL}`);
  if ('message' in stripped) return problemAt(`${stripped.message}.`, placeInStack(stripped.stack));
  return { source: stripped.source.slice(HEAD.length, stripped.source.length - TAIL.length) };
}

/** Node prints the place before the stack: `:3`, the lines around it, and `^^^` below the part it refers to. */
function placeInStack(stack: string): { line: number; column: number } | undefined {
  const line = Number(/^[^\n]*:(\d+)\n/.exec(stack)?.[1] ?? Number.NaN);
  const marker = /\n( *)\^+\n/.exec(stack)?.[1];
  if (Number.isNaN(line)) return undefined;
  return { line: Math.max(1, line - 1), column: (marker?.length ?? 0) + 1 };
}

// ------------------------------------------------------------------------------------------------------ parsing

/** Loaded with the first code: servers without any start without it. */
function loadParser(): typeof Acorn.parse {
  return (createRequire(import.meta.url)('acorn') as typeof Acorn).parse;
}

function parseBody(source: string): { program: Program } | { problem: CodeProblem } {
  const text = `${HEAD}${source}${TAIL}`;
  try {
    const program = loadParser()(text, { ecmaVersion: 'latest', sourceType: 'script', locations: true });
    const [body, more] = program.body;
    if (more === undefined && body?.end === text.length) return { program };
    return problemAt(
      'There is one `}` too many.',
      body?.loc ? { line: body.loc.end.line - 1, column: body.loc.end.column } : undefined,
    );
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } };
    return syntaxProblem(message.replace(/ \(\d+:\d+\)$/, ''), source, loc);
  }
}

function syntaxProblem(what: string, source: string, loc?: { line: number; column: number }) {
  if (!loc) return problemAt(`${what}.`);
  const lines = source.split('\n');
  // Found after the end, where the body is closed.
  if (loc.line - 1 > lines.length) {
    const end = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    return problemAt(`${what} at the end of the code: a bracket is missing, or there is one too many.`, end);
  }
  const message = what.startsWith("'import' and 'export'") ? NO_IMPORT : `${what}.`;
  return problemAt(message, { line: Math.max(1, loc.line - 1), column: loc.column + 1 });
}

function placeIn(node: AnyNode): { line: number; column: number } | undefined {
  return node.loc ? { line: node.loc.start.line - 1, column: node.loc.start.column + 1 } : undefined;
}

// ------------------------------------------------------------------------------------------------------- looking

interface Findings {
  awaits: boolean;
  yields: AnyNode | undefined;
  usesContext: boolean;
  readonly contextFields: Set<string>;
  /** How often `ctx` appears as a whole, minus how often a field of it is read. */
  contextUses: number;
  /** It names a source of time or random values, or something that may lead there. */
  hears: boolean;
  namesLibrary: boolean;
  forbidden: { readonly node: AnyNode; readonly message: string } | undefined;
}

/** A node with the number of functions around it; 1 for the body's own level. */
type Visit = readonly [node: AnyNode, depth: number];

function look(program: Program): Findings {
  const findings: Findings = {
    awaits: false,
    yields: undefined,
    usesContext: false,
    contextFields: new Set(),
    contextUses: 0,
    hears: false,
    namesLibrary: false,
    forbidden: undefined,
  };
  // A list instead of recursion: code may be nested deeper than the stack.
  const waiting: Visit[] = childrenOf(bodyOf(program)).map((node) => [node, 1]);
  for (let visit = waiting.pop(); visit; visit = waiting.pop()) {
    const [node, depth] = visit;
    note(findings, node, depth);
    const inner = isFunction(node) ? depth + 1 : depth;
    for (const child of childrenOf(node)) waiting.push([child, inner]);
  }
  return findings;
}

function bodyOf(program: Program): AnyNode {
  const [code] = program.body;
  return code?.type === 'FunctionDeclaration' ? code.body : program;
}

function note(findings: Findings, node: AnyNode, depth: number): void {
  if (node.type === 'ImportExpression') {
    findings.forbidden = { node, message: NO_IMPORT };
  } else if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) {
    if (depth === 1) findings.awaits = true;
  } else if (node.type === 'YieldExpression') {
    if (depth === 1) findings.yields ??= node;
  } else if (node.type === 'Identifier') noteName(findings, node.name);
  else if (node.type === 'MemberExpression') noteMember(findings, node);
}

function noteName(findings: Findings, name: string): void {
  if (HEARING_NAMES.has(name)) findings.hears = true;
  if (LIBRARY_NAMES.has(name)) findings.namesLibrary = true;
  if (name === 'ctx' || name === 'arguments' || name === 'eval') findings.contextUses++;
  if (name === 'console' || findings.contextUses > 0) findings.usesContext = true;
}

function noteMember(findings: Findings, node: AnyNode & { type: 'MemberExpression' }): void {
  const { object, property, computed } = node;
  if (object.type !== 'Identifier' || object.name !== 'ctx') return;
  if (computed || property.type !== 'Identifier') return;
  findings.usesContext = true;
  findings.contextUses--;
  findings.contextFields.add(property.name);
}

function isFunction(node: AnyNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flatMap((value: unknown) => {
    if (Array.isArray(value)) return value.filter(isNode);
    return isNode(value) ? [value] : [];
  });
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
