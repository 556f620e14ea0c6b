import type { Argument, Chain, FieldLink, Lambda, Link, MethodLink, Node } from './ast.ts';
import { findFunction, findMethods } from './library.ts';
import type { Entry } from './library/entry.ts';
import { childrenOf } from './nodes.ts';

/**
 * A path that an expression reads. `*` stands for an element and for a computed key. `length` of texts and arrays is a path
 * segment like any other.
 */
export interface ReadPath {
  root: string;
  path: string[];
  /** The read allows for a missing part of the path (`?.`, or at the left of `??`). */
  tolerant: boolean;
  start: number;
  end: number;
}

/** A read with the links after its root, as far as they are literal names; `direct` if its source begins with the root. */
export type FoundRead = ReadPath & { names: readonly FieldLink[]; direct: boolean };

/** The paths that an expression reads, in source order. */
export function readsOf(ast: Node): ReadPath[] {
  return findReads(ast).map(({ root, path, tolerant, start, end }) => ({ root, path, tolerant, start, end }));
}

/** `readsOf`, plus what a rename needs. */
export function findReads(ast: Node): FoundRead[] {
  const reads: FoundRead[] = [];
  visit({ reads, params: new Map() }, ast);
  return reads;
}

/** Where a value was read from; undefined for a computed value. */
type Origin = { root: string; path: readonly string[] } | undefined;

interface Walk {
  readonly reads: FoundRead[];
  /** Parameters in scope, and where their values come from. */
  readonly params: ReadonlyMap<string, Origin>;
}

function visit(walk: Walk, node: Node, tolerant = false): Origin {
  switch (node.type) {
    case 'name':
      return visitChain(walk, { ...node, type: 'chain', base: node, links: [] }, tolerant);
    case 'chain':
      return visitChain(walk, node, tolerant);
    case 'logical': {
      const left = visit(walk, node.left, node.op === '??');
      const right = visit(walk, node.right, node.op === '??' && tolerant);
      // In `(a ?? b).map(x => x.c)`, the second value only stands in for the first.
      return node.op === '&&' ? right : (left ?? right);
    }
    case 'call': {
      const [first] = node.args.map((arg) => visitArgument(walk, arg));
      return given(findFunction(node.name), first);
    }
    default:
      for (const child of childrenOf(node)) visit(walk, child);
      return undefined;
  }
}

function visitChain(walk: Walk, node: Chain, tolerant: boolean): Origin {
  const { base, links } = node;
  const direct = base.type === 'name' && !walk.params.has(base.name);
  const names = direct ? leadingNames(links) : [];
  let origin = baseOrigin(walk, base, tolerant);
  let from: Origin = base.type === 'name' ? undefined : origin;
  const note = (end: number, count: number) => {
    // A read is noted once; a method that returns its receiver adds nothing.
    if (origin === undefined || origin === from) return;
    from = origin;
    const lenient = tolerant || links.slice(0, count).some((link) => link.optional);
    const place = { start: node.start, end };
    walk.reads.push({ ...origin, path: [...origin.path], tolerant: lenient, ...place, names, direct });
  };
  links.forEach((link, index) => {
    if (link.kind === 'method') {
      note(links[index - 1]?.end ?? base.end, index + 1);
      origin = visitMethod(walk, link, origin);
      from = origin;
      return;
    }
    if (link.kind === 'index') visit(walk, link.key);
    origin &&= { root: origin.root, path: [...origin.path, segment(link)] };
  });
  note(node.end, links.length);
  return origin;
}

function leadingNames(links: readonly Link[]): FieldLink[] {
  const end = links.findIndex((link) => link.kind !== 'field');
  return (end === -1 ? links : links.slice(0, end)) as FieldLink[];
}

function baseOrigin(walk: Walk, base: Node, tolerant: boolean): Origin {
  if (base.type !== 'name') return visit(walk, base, tolerant);
  return walk.params.has(base.name) ? walk.params.get(base.name) : { root: base.name, path: [] };
}

function segment(link: Exclude<Link, MethodLink>): string {
  return link.kind === 'field' ? link.name : '*';
}

/** Visits the arguments, and the lambda with its parameters bound to the elements of the receiver. */
function visitMethod(walk: Walk, link: MethodLink, receiver: Origin): Origin {
  const entry = findMethods(link.name)?.array;
  for (const arg of link.args) visitArgument(walk, arg, { element: elementOf(receiver), entry });
  return given(entry, receiver);
}

type Elements = { element: Origin; entry: Entry | undefined };

function visitArgument(walk: Walk, arg: Argument, elements?: Elements): Origin {
  return arg.type === 'lambda' ? visit(bind(walk, arg, elements), arg.body) : visit(walk, arg);
}

function bind(walk: Walk, lambda: Lambda, from: Elements | undefined): Walk {
  const params = new Map(walk.params);
  const elements = from?.entry?.lambda?.elements ?? [];
  lambda.params.forEach((name, index) =>
    params.set(name, elements.includes(index) ? from?.element : undefined),
  );
  return { reads: walk.reads, params };
}

function elementOf(origin: Origin): Origin {
  return origin && { root: origin.root, path: [...origin.path, '*'] };
}

/** Where the result of a function or method comes from, if it passes values on. */
function given(entry: Entry | undefined, from: Origin): Origin {
  if (entry?.gives === undefined) return undefined;
  return entry.gives === 'element' ? elementOf(from) : from;
}
