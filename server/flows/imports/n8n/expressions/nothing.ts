import { type Node, parse } from 'acorn';

/**
 * Names that expressions of n8n do not know. They are undefined there, and what fails in an expression is undefined too, so that a text in
 * braces that was meant for a person, such as `{{ COMPANY }}`, is empty.
 */

/** Names that are more than undefined there, behind their `$`. */
const DOLLARS = new Set(
  (
    'json input node items item itemIndex runIndex binary data env vars secrets workflow execution executionId resumeWebhookUrl prevNode ' +
    'mode now today jmespath parameter rawParameter self fromAI fromAi fromai evaluateExpression nodeVersion nodeId agentInfo tool webhookId ' +
    'response request pageCount version getPairedItem position thisItem thisItemIndex thisRunIndex if ifEmpty min max average not'
  ).split(' '),
);

/** Names of JavaScript and of Luxon, and those that some versions of n8n have besides. */
const GLOBALS = new Set(
  (
    'undefined NaN Infinity Object Array String Number Boolean Math JSON Date RegExp Map Set WeakMap WeakSet Symbol BigInt Intl Error ' +
    'TypeError RangeError SyntaxError EvalError URIError ReferenceError parseInt parseFloat isNaN isFinite encodeURIComponent encodeURI ' +
    'decodeURIComponent decodeURI escape unescape DateTime Duration Interval arguments min max not average numberList zip extend ' +
    'extendOptional Promise Proxy Reflect Function eval globalThis global window self document process require module exports Buffer URL ' +
    'URLSearchParams TextEncoder TextDecoder btoa atob crypto structuredClone console fetch setTimeout setInterval alert prompt confirm ' +
    'constructor luxon ArrayBuffer DataView Uint8Array Uint16Array Uint32Array Int8Array Int16Array Int32Array Float32Array Float64Array'
  ).split(' '),
);

const isUnknown = (name: string): boolean =>
  name.startsWith('$') ? name !== '$' && !DOLLARS.has(name.slice(1)) : !GLOBALS.has(name);

type Tree = Node & Readonly<Record<string, unknown>>;

interface Names {
  readonly used: Set<string>;
  readonly own: Set<string>;
}

/** The names that an expression uses and does not make itself; none if it cannot be read. */
export function freeNames(source: string): string[] {
  const names: Names = { used: new Set(), own: new Set() };
  try {
    collect(parse(`(${source}\n)`, { ecmaVersion: 'latest' }), names, 'used');
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return [];
    throw error;
  }
  return [...names.used].filter((name) => !names.own.has(name));
}

/** Those of them that are undefined there. */
export const unknownNames = (source: string): string[] => freeNames(source).filter((name) => isUnknown(name));

/** Whether an expression is nothing but such a name, or a field of one. */
export function isNothing(source: string): boolean {
  try {
    const [statement] = parse(`(${source}\n)`, { ecmaVersion: 'latest' }).body;
    let at = (statement as unknown as { expression: Tree }).expression;
    while (at.type === 'MemberExpression' || at.type === 'ChainExpression' || at.type === 'CallExpression')
      at = (at['object'] ?? at['expression'] ?? at['callee']) as Tree;
    return at.type === 'Identifier' && isUnknown(at['name'] as string);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}

/** Fields whose names are made, not used. */
const MAKES: Readonly<Record<string, readonly string[]>> = {
  ArrowFunctionExpression: ['params'],
  FunctionExpression: ['params', 'id'],
  FunctionDeclaration: ['params', 'id'],
  VariableDeclarator: ['id'],
  CatchClause: ['param'],
  ClassExpression: ['id'],
  ClassDeclaration: ['id'],
};
/** Fields that are names of fields, unless they are worked out. */
const KEYS = new Map([
  ['MemberExpression', 'property'],
  ['Property', 'key'],
  ['MethodDefinition', 'key'],
  ['PropertyDefinition', 'key'],
]);

function collect(given: unknown, names: Names, as: keyof Names): void {
  if (Array.isArray(given)) for (const one of given) collect(one, names, as);
  if (typeof given !== 'object' || given === null || !('type' in given)) return;
  const tree = given as Tree;
  if (tree.type === 'Identifier') names[as].add(tree['name'] as string);
  const key = tree['computed'] === true ? undefined : KEYS.get(tree.type);
  for (const [name, field] of Object.entries(tree))
    if (name !== key) collect(field, names, roleOf(tree, name) ?? as);
}

function roleOf({ type }: Tree, field: string): keyof Names | undefined {
  if (MAKES[type]?.includes(field) === true) return 'own';
  // The right side of a pattern with a default is used.
  return type === 'AssignmentPattern' && field === 'right' ? 'used' : undefined;
}
