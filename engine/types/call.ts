import type { Argument, Call, Lambda, MethodLink } from '../expr/ast.ts';
import { findFunction } from '../expr/library.ts';
import { arityOf, type Entry, otherFunction, type Returns } from '../expr/library/entry.ts';
import { isSameType } from './schema.ts';
import {
  ANY_ARRAY,
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  INTEGER,
  isNever,
  NULL,
  NUMBER,
  STRING,
  type Type,
  union,
  unionOf,
  UNKNOWN,
} from './type.ts';
import { mismatch, unsure, type Walk } from './walk.ts';
import { nounOf } from './words.ts';

/** `name(…)`. */
export function typeOfCall(walk: Walk, node: Call): Type {
  const args = node.args.map((arg) => (arg.type === 'lambda' ? UNKNOWN : walk.visit(walk, arg)));
  const entry = findFunction(node.name);
  if (!entry) return UNKNOWN;
  checkArguments(walk, node, entry, args);
  return resultOf(entry.returns, { self: args[0] ?? UNKNOWN, made: UNKNOWN, args });
}

const NOUNS = { string: 'text', number: 'a number', array: 'an array', object: 'an object' } as const;

/** Reports the arguments that have none of the types that the function accepts. Null omits an optional argument. */
export function checkArguments(
  walk: Walk,
  { name, args }: Pick<Call, 'name' | 'args'>,
  { takes = [], signature }: Entry,
  types: readonly Type[],
): void {
  takes.forEach((taken, i) => {
    const kind = taken === 'unit' || taken === 'zone' || taken === 'format' ? 'string' : taken;
    const [arg, type] = [args[i], types[i]];
    if (kind === 'any' || !arg || !type || type.any || isNever(type) || type[kind]) return;
    if (type.null && i >= arityOf(signature).min) return;
    mismatch(
      walk,
      arg.start,
      `\`${name}\` needs ${NOUNS[kind]}, but this is ${nounOf(type)}${otherFunction(name)}.`,
    );
  });
}

/** The arguments of a method call; a lambda gets the elements of the receiver and counts as its result. */
export function typesOfArguments(walk: Walk, link: MethodLink, entry: Entry | undefined, self: Type): Type[] {
  const others = link.args.slice(1).map((arg) => (arg.type === 'lambda' ? UNKNOWN : walk.visit(walk, arg)));
  const [first] = link.args;
  if (!first) return [];
  return [
    first.type === 'lambda' ? madeBy(walk, first, { entry, self, others }) : typeOf(walk, first),
    ...others,
  ];
}

function typeOf(walk: Walk, arg: Exclude<Argument, Lambda>): Type {
  return walk.visit(walk, arg);
}

interface Receiver {
  readonly entry: Entry | undefined;
  readonly self: Type;
  readonly others: readonly Type[];
}

/** The result of a lambda over the elements. It may never be called: there may be no elements. */
function madeBy(walk: Walk, lambda: Lambda, { entry, self, others }: Receiver): Type {
  const inside = unsure(walk);
  const element = self.array ?? UNKNOWN;
  const elements = entry?.lambda?.elements ?? [];
  const bodyWith = (before: Type, quiet: boolean): Type => {
    const locals = new Map(walk.locals);
    lambda.params.forEach((name, i) => {
      const isIndex = i === 1 && !elements.includes(1);
      locals.set(name, elements.includes(i) ? element : isIndex ? INTEGER : i === 0 ? before : UNKNOWN);
    });
    const report = quiet ? () => {} : walk.report;
    return walk.visit({ ...inside, locals, report }, lambda.body);
  };
  if (entry?.returns !== 'folded') return bodyWith(UNKNOWN, false);
  return folded(others.length > 0 ? (others[0] as Type) : element, bodyWith);
}

/** The result so far is an earlier result: tried with the start value, then with all results. */
function folded(start: Type, bodyWith: (before: Type, quiet: boolean) => Type): Type {
  const once = union(start, bodyWith(start, true));
  const twice = union(once, bodyWith(once, true));
  const settled = isSameType(once, twice) ? once : UNKNOWN;
  bodyWith(settled, false);
  return settled;
}

interface Values {
  readonly self: Type;
  /** The result of the lambda. */
  readonly made: Type;
  readonly args: readonly Type[];
}

const fixed: ReadonlyMap<Returns, Type> = new Map([
  ['any', UNKNOWN],
  ['string', STRING],
  ['number', NUMBER],
  ['integer', INTEGER],
  ['boolean', BOOLEAN],
  ['array', ANY_ARRAY],
  ['object', ANY_OBJECT],
  ['number or null', union(NUMBER, NULL)],
  ['string or null', union(STRING, NULL)],
  ['strings', arrayOf(STRING)],
  ['integers', arrayOf(INTEGER)],
  ['arrays', arrayOf(ANY_ARRAY)],
]);

/** The result of a function or method, by its entry in the library. */
export function resultOf(returns: Returns, { self, made, args }: Values): Type {
  const element = self.array ?? UNKNOWN;
  switch (returns) {
    case 'same':
      return arrayOf(element);
    case 'element':
      return union(self.string && !self.array ? STRING : element, NULL);
    case 'fields':
      return arrayOf(fieldsOf(self));
    case 'made':
      return arrayOf(made);
    case 'made, opened':
      return arrayOf(openedOf(made));
    case 'joined':
      return arrayOf(unionOf([element, ...args.map(openedOf)]));
    case 'folded':
      return made;
    default:
      return fixed.get(returns) ?? UNKNOWN;
  }
}

function fieldsOf({ object }: Type): Type {
  if (!object) return UNKNOWN;
  return unionOf([object.rest, ...[...object.fields.values()].map((field) => field.type)]);
}

/** The elements of an array; any other value as it is. */
function openedOf(type: Type): Type {
  if (type.any || !type.array) return type;
  return union({ ...type, array: undefined }, type.array);
}
