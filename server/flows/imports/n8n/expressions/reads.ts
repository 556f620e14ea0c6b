import type { Node } from 'acorn';

/** Why an expression cannot be said in Weft's language. */
export class Unsayable extends Error {}

/** Which item of a node an expression reads: the one that belongs to its own, or one by its place. */
export type Which =
  | 'own'
  | 'first'
  | 'last'
  | { readonly at: string /** Without one it is an error. */; readonly isThere?: boolean };

/** The values that expressions of one node read, as texts of Weft's language. Its functions throw `Unsayable`. */
export interface Reads {
  /** The port that leads to the node, for those who know its type. */
  readonly from?: unknown;
  /** The current item, and all items that came with it. */
  item(): string;
  items(): string;
  /** The name of the node itself. */
  readonly own: string;
  /** Time may have gone by since the run started. */
  readonly isLater?: boolean;
  /** The place of the item, from 0. */
  readonly index: string;
  nodeItem(name: string, which: Which): string;
  nodeItems(name: string): string;
  /** The same, and null if the node was not executed; otherwise that is an error, as there. */
  nodeItemsIfRan(name: string): string;
  ownItemIfRan(name: string): string;
  /** Whether a node was executed. */
  nodeRan(name: string): string;
  /** A param of a node as it is in the file. */
  nodeParam(name: string, path: readonly string[]): unknown;
  /** A fact by its name, such as `$runIndex`; undefined if there is none. */
  fact(name: string): string | undefined;
  /** A field of a fact: `$workflow.name`. */
  factField(name: string, field: string): string | undefined;
}

/** The reads for the first item of a list. */
export function firstReads(reads: Reads): Reads {
  return {
    ...reads,
    index: '0',
    nodeItem: (name, which) => reads.nodeItem(name, which).replaceAll(/(?<![.\w])index\b/g, '0'),
  };
}

type Tree = Node & Readonly<Record<string, unknown>>;

const part = (tree: Tree, name: string): Tree => tree[name] as Tree;

/** Parts that may end a chain early are the same. */
function bare(tree: Tree): Tree {
  return tree.type === 'ChainExpression' || tree.type === 'ParenthesizedExpression'
    ? bare(part(tree, 'expression'))
    : tree;
}

/** The name of a member: `.name`, `["name"]`. */
function memberName(tree: Tree): string | undefined {
  const property = part(tree, 'property');
  if (tree['computed'] !== true)
    return property.type === 'Identifier' ? (property['name'] as string) : undefined;
  return textIn(property);
}

function textIn(tree: Tree | undefined): string | undefined {
  if (tree?.type === 'TemplateLiteral' && (tree['expressions'] as unknown[]).length === 0)
    return ((tree['quasis'] as Tree[])[0] as Tree & { value: { cooked: string } }).value.cooked;
  return tree?.type === 'Literal' && typeof tree['value'] === 'string' ? tree['value'] : undefined;
}

const isName = (tree: Tree, name: string): boolean => tree.type === 'Identifier' && tree['name'] === name;

interface Called {
  /** Undefined for a function by itself. */
  readonly of: Tree | undefined;
  readonly name: string;
  readonly args: readonly Tree[];
}

function called(tree: Tree): Called | undefined {
  if (tree.type !== 'CallExpression') return undefined;
  const callee = bare(part(tree, 'callee'));
  const args = tree['arguments'] as Tree[];
  if (callee.type === 'Identifier') return { of: undefined, name: callee['name'] as string, args };
  if (callee.type !== 'MemberExpression') return undefined;
  const name = memberName(callee);
  return name === undefined ? undefined : { of: bare(part(callee, 'object')), name, args };
}

/** The node that `$('X')`, `$node["X"]` or `$node.X` names. */
function nodeNamed(tree: Tree): string | undefined {
  const call = called(tree);
  if (call?.of === undefined && call?.name === '$') {
    const name = textIn(call.args[0]);
    if (name === undefined) throw new Unsayable('the name of the node is worked out at run time');
    return name;
  }
  if (tree.type === 'MemberExpression' && isName(bare(part(tree, 'object')), '$node')) {
    const name = memberName(tree);
    if (name === undefined) throw new Unsayable('the name of the node is worked out at run time');
    return name;
  }
  return undefined;
}

function wholeNumber(tree: Tree | undefined): string | undefined {
  return tree?.type === 'Literal' && typeof tree['value'] === 'number' ? String(tree['value']) : undefined;
}

const PLACES = new Set(['first', 'last', 'itemMatching', 'pairedItem']);

/** An item with its `json` and `binary`; undefined if the tree is none. */
function itemRef(given: Tree, reads: Reads): string | undefined {
  const tree = bare(given);
  const call = called(tree);
  if (call !== undefined) return calledItem(call, reads);
  return tree.type === 'MemberExpression' ? memberItem(tree, reads) : undefined;
}

/** `$input.first()`, `$('X').last()`, `$('X').itemMatching(2)`, `$item(0)`. */
function calledItem({ of, name: method, args }: Called, reads: Reads): string | undefined {
  if (of === undefined) return method === '$item' ? reads.item() : undefined;
  if (!PLACES.has(method)) return undefined;
  const name = nodeNamed(of);
  if (name === undefined && !isName(of, '$input')) return undefined;
  if (method === 'pairedItem') return itemAt(reads, name, 'own');
  if (method !== 'itemMatching') return itemAt(reads, name, method as 'first' | 'last');
  const at = wholeNumber(args[0]);
  if (at === undefined) throw new Unsayable('the number of the item is worked out at run time');
  return itemAt(reads, name, { at });
}

/** `$input.item`, `$('X').item`, `$node["X"]`, `$items("X")[0]`. */
function memberItem(tree: Tree, reads: Reads): string | undefined {
  const of = bare(part(tree, 'object'));
  const member = memberName(tree);
  if (member === 'item' && isName(of, '$input')) return reads.item();
  const own = member === 'item' ? nodeNamed(of) : undefined;
  if (own !== undefined) return reads.nodeItem(own, 'own');
  // `$node["X"]` goes by the place of the item, whatever it came from.
  const name = nodeNamed(tree);
  if (name !== undefined) return reads.nodeItem(name, { at: reads.index, isThere: true });
  const ofItem = nodeOfItem(of);
  if (ofItem !== undefined && member !== undefined) return reads.nodeItem(member, { at: ofItem });
  const items = listOf(of);
  const at = tree['computed'] === true ? wholeNumber(part(tree, 'property')) : undefined;
  return items === undefined || at === undefined ? undefined : itemAt(reads, items.node, { at });
}

/** `$item(2).$node` of `$item(2).$node["X"]`. */
function nodeOfItem(tree: Tree): string | undefined {
  if (tree.type !== 'MemberExpression' || memberName(tree) !== '$node') return undefined;
  const call = called(bare(part(tree, 'object')));
  return call?.name === '$item' ? (wholeNumber(call.args[0]) ?? '0') : undefined;
}

function itemAt(reads: Reads, node: string | undefined, which: Which): string {
  if (node !== undefined) return reads.nodeItem(node, which);
  if (which === 'own') return reads.item();
  const at = typeof which === 'object' ? which.at : which === 'first' ? '0' : '-1';
  return at === '-1' ? `last(${reads.items()})` : `${reads.items()}?.[${at}]`;
}

/** `$('X').all()`, `$input.all()`, `$items('X')`. */
function listOf(tree: Tree): { readonly node: string | undefined } | undefined {
  const call = called(tree);
  if (call === undefined) return undefined;
  if (call.of === undefined) return call.name === '$items' ? { node: textIn(call.args[0]) } : undefined;
  if (call.name !== 'all') return undefined;
  if (isName(call.of, '$input')) return { node: undefined };
  const name = nodeNamed(call.of);
  return name === undefined ? undefined : { node: name };
}

const FILE_FACTS: Readonly<Record<string, (file: string) => string>> = {
  fileName: (file) => `${file}?.name`,
  mimeType: (file) => `${file}?.type`,
  fileSize: (file) => `${file}?.bytes`,
  fileExtension: (file) => `extract(${file}?.name ?? "", "\\\\.(\\\\w+)$")`,
};

/** What a tree reads of items, nodes and facts, as a text; undefined if it is another construct. Throws `Unsayable`. */
export function itemOf(given: Tree, reads: Reads): string | undefined {
  const tree = bare(given);
  if (tree.type === 'Identifier') return named(tree['name'] as string, reads);
  const list = listOf(tree);
  if (list) {
    const items = list.node === undefined ? reads.items() : reads.nodeItems(list.node);
    return `${items}?.map((one) => ({ json: one, binary: one }))`;
  }
  const ref = itemRef(tree, reads);
  if (ref !== undefined) return `{ json: ${ref}, binary: ${ref} }`;
  const member = tree.type === 'MemberExpression' ? memberName(tree) : undefined;
  return member === undefined ? undefined : fieldOf(tree, member, reads);
}

function named(name: string, reads: Reads): string | undefined {
  if (name === '$json' || name === '$data' || name === '$binary') return reads.item();
  return name === '$itemIndex' ? reads.index : undefined;
}

/** A field of an item, a file, a node or a fact. */
function fieldOf(tree: Tree, member: string, reads: Reads): string | undefined {
  const of = bare(part(tree, 'object'));
  if (member === 'json' || member === 'binary' || member === '$json') return itemRef(of, reads);
  const file = FILE_FACTS[member] && fileOf(of, reads);
  if (file !== undefined) return FILE_FACTS[member]?.(file);
  const node = member === 'isExecuted' ? nodeNamed(of) : undefined;
  if (node !== undefined) return reads.nodeRan(node);
  const param = paramOf(tree, reads.own);
  if (param) return JSON.stringify(reads.nodeParam(param.node, param.path) ?? null);
  return of.type === 'Identifier' ? reads.factField(of['name'] as string, member) : undefined;
}

/** The file of `$binary.data` or `$('X').item.binary.data`. */
function fileOf(tree: Tree, reads: Reads): string | undefined {
  if (tree.type !== 'MemberExpression') return undefined;
  const of = bare(part(tree, 'object'));
  const name = memberName(tree);
  if (name === undefined) return undefined;
  const field = /^\w+$/.test(name) ? `?.${name}` : `?.[${JSON.stringify(name)}]`;
  if (isName(of, '$binary')) return `${reads.item()}${field}`;
  if (of.type !== 'MemberExpression' || memberName(of) !== 'binary') return undefined;
  const ref = itemRef(part(of, 'object'), reads);
  return ref === undefined ? undefined : `${ref}${field}`;
}

/** `$('X').params.a.b`, `$node["X"].parameter.a`, `$parameter.a`. */
function paramOf(
  tree: Tree,
  own: string,
): { readonly node: string; readonly path: readonly string[] } | undefined {
  const path: string[] = [];
  let at = tree;
  while (at.type === 'MemberExpression') {
    const name = memberName(at);
    if (name === undefined) return undefined;
    const of = bare(part(at, 'object'));
    if (isName(of, '$parameter')) return { node: own, path: [name, ...path.reverse()] };
    if (name === 'params' || name === 'parameter') {
      const node = nodeNamed(of);
      if (node !== undefined) return { node, path: path.reverse() };
    }
    path.push(name);
    at = of;
  }
  return undefined;
}
