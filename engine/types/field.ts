import type { Chain, FieldLink, IndexLink } from '../expr/ast.ts';
import { describe, fieldText } from '../expr/describe.ts';
import { isForbidden } from '../expr/names.ts';
import {
  type Declared,
  INTEGER,
  isNever,
  kindsOf,
  type Kind,
  NEVER,
  NULL,
  STRING,
  type Type,
  union,
  unionOf,
  UNKNOWN,
} from './type.ts';
import type { Walk } from './walk.ts';
import { shortType } from './words.ts';

interface Place {
  readonly node: Chain;
  readonly index: number;
  readonly soft: boolean;
}

/** The result of a read from one kind of value: its type, or NEVER if there is never a value. */
interface Found {
  readonly type: Type;
  readonly mayMiss: boolean;
  /** The field is none of the declared ones. */
  readonly undeclared?: boolean;
  /** The field is one that callers of a trigger may leave out. */
  readonly declared?: Declared | undefined;
}

const MISSING: Found = { type: NEVER, mayMiss: true };

/** `value.name`; reports a field that is missing or may be. */
export function fieldOf(walk: Walk, type: Type, link: FieldLink, place: Place): Type {
  return readOf(walk, type, { name: link.name, start: link.nameStart }, place);
}

/** `value[key]`; often only a run knows the key. */
export function indexOf(
  walk: Walk,
  type: Type,
  { link, key }: { link: IndexLink; key: Type },
  place: Place,
): Type {
  const { number, string } = key;
  const written = link.key.type === 'literal' ? link.key.value : undefined;
  if (typeof written === 'string' || typeof written === 'number')
    return readOf(walk, type, { name: String(written), start: link.key.start }, place);
  if (type.any || isNever(type)) return UNKNOWN;
  const found = kindsOf(type).map((kind) =>
    elementsOf(kind, type, !key.any && !string && number !== undefined),
  );
  const there = unionOf(found);
  if (!isNever(there)) return place.soft ? union(there, NULL) : there;
  return missing(walk, type, { name: describe(link.key), start: link.key.start }, place);
}

/** Everything that a key may lead to; a key that is a number never leads to `length`. */
function elementsOf(kind: Kind, type: Type, isNumber: boolean): Type {
  const sized = isNumber ? NEVER : INTEGER;
  if (kind === 'string') return union(STRING, sized);
  if (kind === 'array') return union(type.array ?? UNKNOWN, sized);
  if (kind !== 'object' || !type.object) return NEVER;
  return unionOf([type.object.rest, ...[...type.object.fields.values()].map((field) => field.type)]);
}

interface Wanted {
  readonly name: string;
  /** Position of the name in the source. */
  readonly start: number;
}

function readOf(walk: Walk, type: Type, wanted: Wanted, place: Place): Type {
  if (type.any || isNever(type)) return UNKNOWN;
  const found = kindsOf(type).map((kind) => readKind(kind, type, wanted.name));
  const there = unionOf(found.map((one) => one.type));
  if (isNever(there)) return missing(walk, type, wanted, place);
  if (!place.soft && !walk.guarded) reportRisk(walk, type, wanted, { place, found });
  return place.soft && found.some((one) => one.mayMiss) ? union(there, NULL) : there;
}

/** The type of a field of the values that have it, NEVER if none does; and whether no value declares it. */
export function fieldTypeOf(type: Type, name: string): { readonly type: Type; readonly undeclared: boolean } {
  const found = kindsOf(type).map((kind) => readKind(kind, type, name));
  return {
    type: unionOf(found.map((one) => one.type)),
    undeclared: found.every((one) => one.undeclared === true),
  };
}

/** A read that finds something, but need not. */
function reportRisk(
  walk: Walk,
  type: Type,
  wanted: Wanted,
  { place, found }: { readonly place: Place; readonly found: readonly Found[] },
): void {
  const declared = found.find((one) => one.declared !== undefined)?.declared;
  if (found.every((one) => one.undeclared)) reportMissing(walk, type, wanted, { place, never: false });
  else if (type.null) reportNull(walk, wanted, place);
  if (declared) reportOptional(walk, wanted, place, declared);
}

function readKind(kind: Kind, type: Type, name: string): Found {
  const isIndex = /^\d+$/.test(name);
  if (isForbidden(name)) return MISSING;
  if (kind === 'string' || kind === 'array') {
    if (name === 'length') return { type: INTEGER, mayMiss: false };
    if (!isIndex) return MISSING;
    return { type: kind === 'string' ? STRING : (type.array ?? UNKNOWN), mayMiss: true };
  }
  if (kind !== 'object' || !type.object) return MISSING;
  const { fields, rest, strict } = type.object;
  const field = fields.get(name);
  if (field) return { type: field.type, mayMiss: !field.required, declared: field.declared };
  return { type: rest, mayMiss: true, undeclared: strict };
}

/** A read that never finds a field: null if that is allowed, otherwise a failure. */
function missing(walk: Walk, type: Type, wanted: Wanted, place: Place): Type {
  if (place.soft) return NULL;
  // Whether an element exists depends on the length, which is not part of a type.
  const isElement = type.array && isNever(type.array) && /^\d+$/.test(wanted.name);
  if (!isElement) reportMissing(walk, type, wanted, { place, never: true });
  return UNKNOWN;
}

/** A read of a value that may be null, where the read would fail. */
function reportNull(walk: Walk, { name, start }: Wanted, place: Place): void {
  const owner = describe(place.node, place.index);
  const key = /^\d+$/.test(name) ? Number(name) : name;
  walk.report({
    code: 'missing-field',
    message: `\`${owner}\` may be null, and then \`${owner}${fieldText(key)}\` fails: write \`?.\` or \`??\`.`,
    start,
    certain: false,
    ofNull: true,
  });
}

/** A read of a field that a caller may leave out, where the read would fail. */
function reportOptional(walk: Walk, { name, start }: Wanted, place: Place, declared: Declared): void {
  const owner = describe(place.node, place.index);
  walk.report({
    code: 'missing-field',
    message: `\`${owner}${fieldText(name)}\` may be missing: callers may leave it out. Require it, set a default, or write \`??\`.`,
    start,
    certain: false,
    declared,
  });
}

function reportMissing(
  walk: Walk,
  type: Type,
  { name, start }: Wanted,
  { place, never }: { place: Place; never: boolean },
): void {
  const owner = describe(place.node, place.index);
  const fields = [...(type.object?.fields ?? [])];
  const known = fields.filter(([, field]) => !isNever(field.type)).map(([field]) => field);
  const key = /^\d+$/.test(name) ? Number(name) : name;
  const has =
    type.object && known.length > 0
      ? `it has ${known.slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}`
      : `it is \`${shortType(type)}\``;
  const what = never
    ? `never exists: ${has}.`
    : `is not declared: ${has}. Declare it, or write \`?.\` or \`??\` if it may be missing.`;
  walk.report({
    code: 'missing-field',
    message: `\`${owner}${fieldText(key)}\` ${what}`,
    start,
    certain: never && walk.sure,
    replace: { word: name, candidates: known },
  });
}
