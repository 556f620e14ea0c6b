import type { Chain, IndexLink, Link, MethodLink } from '../expr/ast.ts';
import { describe } from '../expr/describe.ts';
import { findMethods } from '../expr/library.ts';
import type { Entry } from '../expr/library/entry.ts';
import { howToCompare } from './binary.ts';
import { checkArguments, resultOf, typesOfArguments } from './call.ts';
import { neverEqual } from './clash.ts';
import { fieldOf, indexOf } from './field.ts';
import {
  isNever,
  makeType,
  NULL,
  type Type,
  union,
  unionOf,
  UNKNOWN,
  without,
  withoutAbsent,
} from './type.ts';
import { mismatch, unsure, type Walk } from './walk.ts';
import { nounOf, shortType } from './words.ts';

/** The position of a link, and whether a missing field results in null, as in `compileChain`. */
export interface Place {
  readonly node: Chain;
  readonly index: number;
  readonly soft: boolean;
}

/** A value followed by reads and method calls. */
export function typeOfChain(walk: Walk, node: Chain, tolerant: boolean): Type {
  const { base, links } = node;
  const soft = (index: number) =>
    tolerant || links[index]?.optional === true || links[index + 1]?.optional === true;
  const member = memberOf(walk, node, soft(0));
  let type = member ?? walk.visit(walk, base, tolerant);
  let endsEarly = false;
  let at = walk;
  for (let index = member ? 1 : 0; index < links.length; index++) {
    const link = links[index] as Link;
    if (link.optional && mayBeNull(type)) {
      endsEarly = true;
      // Later links may never be reached.
      at = unsure(at);
      type = without(type, 'null');
    }
    type = typeOfLink(at, link, type, { node, index, soft: soft(index) });
  }
  return endsEarly ? union(type, NULL) : type;
}

/** `nodes.<id>`, which is a value and not a field. */
function memberOf({ scope, locals }: Walk, { base, links }: Chain, soft: boolean): Type | undefined {
  const [first] = links;
  if (base.type !== 'name' || base.name !== 'nodes' || locals.has('nodes') || first?.kind !== 'field')
    return undefined;
  const type = withoutAbsent(scope.node(first.name) ?? UNKNOWN);
  return soft ? union(type, NULL) : type;
}

function typeOfLink(walk: Walk, link: Link, type: Type, place: Place): Type {
  switch (link.kind) {
    case 'field':
      return fieldOf(walk, type, link, place);
    case 'index':
      return typeOfIndex(walk, link, type, place);
    case 'method':
      return typeOfMethod(walk, link, type, place);
  }
}

function typeOfIndex(walk: Walk, link: IndexLink, type: Type, place: Place): Type {
  const key = walk.visit(walk, link.key);
  if (!key.any && !isNever(key) && !key.string && !key.number) {
    mismatch(
      walk,
      link.start,
      `A key in brackets must be text or a number, but \`${describe(link.key)}\` is ${nounOf(key)}.`,
    );
    return UNKNOWN;
  }
  return indexOf(walk, type, { link, key }, place);
}

const RECEIVERS = { string: 'text', array: 'an array', number: 'a number' } as const;
type Receiver = keyof typeof RECEIVERS;

function mayBeNull(type: Type): boolean {
  return type.any || type.null;
}

function typeOfMethod(outer: Walk, link: MethodLink, type: Type, place: Place): Type {
  const methods = findMethods(link.name);
  if (!methods) return UNKNOWN;
  // On null, a soft method results in null and does not even evaluate its arguments.
  const mayEnd = place.soft && mayBeNull(type);
  const walk = mayEnd ? unsure(outer) : outer;
  const able = (Object.keys(RECEIVERS) as Receiver[]).filter((kind) => methods[kind]);
  const receivers = type.any || isNever(type) ? able : able.filter((kind) => type[kind]);
  const args = typesOfArguments(walk, link, methods.array, type);
  if (receivers.length === 0) return wrongReceiver(walk, link, { type, able, place });
  const [only, second] = receivers;
  if (only && !second) checkCall(walk, link, methods[only], { self: type, args });
  const results = receivers.map((kind) => {
    const self = type.any ? type : makeType({ [kind]: type[kind] });
    return resultOf(methods[kind]?.returns ?? 'any', { self, made: args[0] ?? UNKNOWN, args });
  });
  return unionOf(mayEnd ? [...results, NULL] : results);
}

function checkCall(
  walk: Walk,
  link: MethodLink,
  entry: Entry | undefined,
  { self, args }: { self: Type; args: readonly Type[] },
): void {
  if (!entry) return;
  checkArguments(walk, link, entry, args);
  const [element, sought] = [self.array, args[0]];
  // A value that no element can equal is never found.
  if (!entry.seeks || !element || !sought || !neverEqual(element, sought)) return;
  const message = `\`${link.name}\` looks for \`${shortType(sought)}\` among elements of type \`${shortType(element)}\`, which are never equal to it, so it finds nothing${howToCompare(element, sought)}.`;
  mismatch(unsure(walk), link.start, message);
}

/** A receiver without such a method, which is valid only if the receiver is null and may be null. */
function wrongReceiver(
  walk: Walk,
  link: MethodLink,
  { type, able, place }: { type: Type; able: readonly Receiver[]; place: Place },
): Type {
  if (place.soft && isNever(without(type, 'null'))) return NULL;
  const takes = able.map((kind) => RECEIVERS[kind]).join(' or ');
  const owner = describe(place.node, place.index);
  mismatch(walk, link.start, `\`${link.name}\` needs ${takes}, but \`${owner}\` is ${nounOf(type)}.`);
  return UNKNOWN;
}
