import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';

/** A source file in the form of the package. */
export interface Emitted {
  readonly text: string;
  /** The names of its imports, as the source writes them. */
  readonly imports: readonly string[];
  /** Files that it names by an address relative to its own. */
  readonly addresses: readonly string[];
}

/**
 * The JavaScript of a source file, with other names for its imports. Types become blanks and `.ts` becomes `.js`, so that lines
 * and columns stay: the package runs the text of a checkout, and its stacks name the same places.
 */
export function emit(source: string, isTypeScript: boolean, rename: (name: string) => string): Emitted {
  const stripped = isTypeScript ? stripTypeScriptTypes(source) : source;
  const program = parse(stripped, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  const { imports, addresses } = namesIn(program);
  let text = stripped;
  for (const { value, end } of [...imports, ...addresses].sort((one, other) => other.end - one.end))
    text = `${text.slice(0, end - 1 - value.length)}${rename(value)}${text.slice(end - 1)}`;
  return {
    text,
    imports: imports.map(({ value }) => value),
    addresses: addresses.map(({ value }) => value),
  };
}

interface Name {
  readonly value: string;
  readonly end: number;
}

/** The texts of `import … from 'x'` and `import('x')`, and those of `new URL('x', import.meta.url)`. */
function namesIn(program: AnyNode): { imports: Name[]; addresses: Name[] } {
  const imports: Name[] = [];
  const addresses: Name[] = [];
  const waiting: AnyNode[] = [program];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === 'NewExpression' && isOwnAddress(node)) addresses.push(...nameOf(node.arguments[0]));
    else if ('source' in node) imports.push(...nameOf(node.source));
    waiting.push(...childrenOf(node));
  }
  return { imports, addresses };
}

function nameOf(node: AnyNode | null | undefined): Name[] {
  const isText = node?.type === 'Literal' && typeof node.value === 'string';
  return isText ? [{ value: node.value as string, end: node.end }] : [];
}

function isOwnAddress({ callee, arguments: [, base] }: AnyNode & { type: 'NewExpression' }): boolean {
  return (
    callee.type === 'Identifier' &&
    callee.name === 'URL' &&
    base?.type === 'MemberExpression' &&
    base.object.type === 'MetaProperty'
  );
}

function childrenOf(node: AnyNode): AnyNode[] {
  const isNode = (value: unknown): value is AnyNode =>
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
  return Object.values(node).flatMap((value: unknown) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}
