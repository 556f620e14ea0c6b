import { type Expression, type Node, parseExpressionAt } from 'acorn';
import { foreignConstructs } from '#engine/workbench';

/**
 * The table of constructs (docs/reference/foreign-expressions.md) as patterns over syntax trees. A capital letter of a pattern takes any
 * part.
 */

interface Pattern {
  readonly tree: Node;
  readonly to: string;
  readonly isDate: boolean;
  /** How much of it is given; of several that fit, the one with most is taken. */
  readonly weight: number;
}

export interface Match {
  readonly to: string;
  /** What stands for each letter; the source of a pattern for `P`. */
  readonly parts: ReadonlyMap<string, Node | string>;
}

const LETTERS = new Set(['X', 'Y', 'Z', 'N', 'M', 'F', 'U', 'D', 'L', 'K', 'C']);
/** Those that read nodes, files and code are rewritten by what the importer knows of the flow. */
const OWN: ReadonlySet<string> = new Set(['node-facts', 'files', 'blocks']);
/** Names that values which are no dates have too. */
const COMMON = new Set(['format', 'extract', 'toLocaleString', 'toString', 'valueOf', 'set', 'ts']);

let patterns: ReadonlyMap<string, readonly Pattern[]> | undefined;

function allPatterns(): ReadonlyMap<string, readonly Pattern[]> {
  if (patterns) return patterns;
  const found = new Map<string, Pattern[]>();
  for (const { kind, from, to } of foreignConstructs) {
    if (to === undefined || OWN.has(kind)) continue;
    const tree = parsed(from);
    if (tree === undefined) continue;
    const key = keyOf(tree);
    const pattern = { tree, to, isDate: kind === 'date-time' && needsDate(tree), weight: weightOf(tree) };
    found.set(key, [...(found.get(key) ?? []), pattern]);
  }
  for (const list of found.values()) list.sort((a, b) => b.weight - a.weight);
  patterns = found;
  return found;
}

function parsed(source: string): Expression | undefined {
  try {
    const tree = parseExpressionAt(source, 0, { ecmaVersion: 'latest' });
    return tree.end === source.length ? tree : undefined;
  } catch {
    return undefined;
  }
}

type Tree = Node & Readonly<Record<string, unknown>>;
const as = (node: Node): Tree => node as Tree;

/** The kind of a tree and the name at its top, by which patterns are found. */
function keyOf(node: Node): string {
  const tree = as(node);
  if (tree.type === 'CallExpression' || tree.type === 'NewExpression')
    return `${tree.type} ${nameOf(tree['callee'] as Node)}`;
  if (tree.type === 'MemberExpression') return `${tree.type} ${nameOf(node)}`;
  return `${tree.type} ${(tree['operator'] ?? tree['name'] ?? '') as string}`;
}

function nameOf(node: Node): string {
  const tree = as(node);
  if (tree.type === 'Identifier') return tree['name'] as string;
  if (tree.type !== 'MemberExpression') return '';
  return tree['computed'] === true ? '[]' : nameOf(tree['property'] as Node);
}

function weightOf(node: Node): number {
  let weight = 0;
  walk(node, (part) => {
    weight += part.type === 'Identifier' && LETTERS.has(as(part)['name'] as string) ? 0 : 1;
  });
  return weight;
}

/** A field such as `X.year`, or a method that other values have as well. */
function needsDate(node: Node): boolean {
  const tree = as(node);
  if (tree.type === 'BinaryExpression') return false;
  const top = tree.type === 'CallExpression' ? as(tree['callee'] as Node) : tree;
  if (top.type !== 'MemberExpression' || as(top['object'] as Node)['name'] !== 'X') return false;
  return tree.type === 'MemberExpression' || COMMON.has(nameOf(top));
}

/** The construct that a tree is, with its parts; undefined if it is none. */
export function constructOf(node: Node): Match | undefined {
  for (const { tree, to, isDate } of allPatterns().get(keyOf(node)) ?? []) {
    const parts = new Map<string, Node | string>();
    if (!fits(tree, node, parts)) continue;
    const receiver = parts.get('X');
    if (isDate && (typeof receiver !== 'object' || !isDateTree(receiver))) continue;
    return { to, parts };
  }
  return undefined;
}

function fits(pattern: unknown, value: unknown, parts: Map<string, Node | string>): boolean {
  if (Array.isArray(pattern)) return fitsList(pattern, value, parts);
  return typeof pattern === 'object' && pattern !== null
    ? fitsTree(pattern as Node, value, parts)
    : pattern === value;
}

function fitsList(pattern: readonly unknown[], value: unknown, parts: Map<string, Node | string>): boolean {
  if (!Array.isArray(value) || pattern.length !== value.length) return false;
  return pattern.every((one, i) => fits(one, value[i], parts));
}

function fitsTree(pattern: Node, value: unknown, parts: Map<string, Node | string>): boolean {
  const tree = as(pattern);
  if (tree.type === 'Identifier' && LETTERS.has(tree['name'] as string))
    return isNode(value) && value.type !== 'SpreadElement' && taken(tree['name'] as string, value, parts);
  if (!isNode(value) || value.type !== tree.type) {
    // A chain that may end early is the same construct.
    return isNode(value) && value.type === 'ChainExpression' && fits(pattern, as(value)['expression'], parts);
  }
  if ('regex' in tree) return fitsRegex(as(value)['regex'], tree['regex'], parts);
  return Object.entries(tree).every(
    ([name, field]) => PLACES.has(name) || fits(field, as(value)[name], parts),
  );
}

/** Fields of trees that say nothing about what they mean here. */
const PLACES = new Set(['start', 'end', 'raw', 'optional', 'loc', 'range']);

function fitsRegex(value: unknown, pattern: unknown, parts: Map<string, Node | string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as { pattern: string; flags: string };
  const { flags } = pattern as { flags: string };
  if (given.flags.includes('g') !== flags.includes('g') || /[yvd]/.test(given.flags)) return false;
  const own = given.flags.replaceAll(/[^ims]/g, '');
  return taken('P', own === '' ? given.pattern : `(?${own})${given.pattern}`, parts);
}

function taken(letter: string, part: Node | string, parts: Map<string, Node | string>): boolean {
  if (parts.has(letter)) return false;
  if (letter === 'D' && (typeof part === 'string' || part.type !== 'ObjectExpression')) return false;
  if (letter === 'C' && (typeof part === 'string' || part.type !== 'ArrowFunctionExpression')) return false;
  parts.set(letter, part);
  return true;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const MAKES_DATE = new Set([
  'toDateTime',
  'toDate',
  'toUTC',
  'toLocal',
  'setZone',
  'beginningOf',
  'toJSDate',
]);
const KEEPS_DATE = new Set(['plus', 'minus', 'startOf', 'endOf', 'set', 'setLocale', 'endOfMonth']);

/** Whether a tree is certainly a date there. */
export function isDateTree(node: Node): boolean {
  const tree = as(node);
  if (tree.type === 'ChainExpression') return isDateTree(tree['expression'] as Node);
  if (tree.type === 'Identifier') return tree['name'] === '$now' || tree['name'] === '$today';
  if (tree.type === 'NewExpression') return nameOf(tree['callee'] as Node) === 'Date';
  if (tree.type !== 'CallExpression') return false;
  const callee = as(tree['callee'] as Node);
  if (callee.type !== 'MemberExpression') return false;
  const name = nameOf(callee);
  const object = callee['object'] as Node;
  if (nameOf(object) === 'DateTime' && object.type === 'Identifier') return true;
  return MAKES_DATE.has(name) || (KEEPS_DATE.has(name) && isDateTree(object));
}

export function walk(node: unknown, visit: (part: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (isNode(node)) {
    visit(node);
    for (const [name, field] of Object.entries(node)) if (!PLACES.has(name)) walk(field, visit);
  }
}
