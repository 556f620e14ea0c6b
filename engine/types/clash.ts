import type { Path } from '../flow/field-path.ts';
import {
  isFile,
  isNever,
  isWhole,
  kindsOf,
  type Kind,
  makeType,
  type ObjectType,
  type Type,
} from './type.ts';

/** Why values of one type do not fit another type. */
export interface Clash {
  /** Path into the value; `*` for the elements of an array. */
  readonly path: Path;
  readonly expected: Type;
  /** Undefined if the field is missing. */
  readonly found: Type | undefined;
  /** No value fits; otherwise only odd values fit, such as an empty array. */
  readonly certain: boolean;
}

/** Undefined if some ordinary value of `from` may fit `to`: an unknown value always may. */
export function clashOf(from: Type, to: Type, path: Path = []): Clash | undefined {
  if (from.any || to.any || from.absent || isNever(from)) return undefined;
  const kinds = kindsOf(from);
  const clashes = kinds.map((kind) => clashOfKind(kind, from, to, path));
  if (kinds.length === 1) return clashes[0];
  // If there are several kinds and none fits, the whole value is wrong.
  const isSure = clashes.every((clash) => clash?.certain);
  return isSure ? { path, expected: to, found: from, certain: true } : undefined;
}

function clashOfKind(kind: Kind, from: Type, to: Type, path: Path): Clash | undefined {
  if (kind === 'array' && from.array && to.array) return clashOfItems(from.array, to.array, path);
  if (kind === 'object' && from.object && to.object) return clashOfFields(from.object, to.object, path);
  if (sharesValue(kind, from, to)) return undefined;
  return { path, expected: to, found: makeType({ [kind]: from[kind] }), certain: true };
}

function sharesValue(kind: Kind, from: Type, to: Type): boolean {
  switch (kind) {
    case 'string':
    case 'boolean':
      return overlap(from[kind], to[kind]);
    case 'number':
      return numbersOverlap(from.number, to.number);
    default:
      return Boolean(to[kind]);
  }
}

function overlap(a: true | readonly unknown[] | undefined, b: true | readonly unknown[] | undefined) {
  if (a === undefined || b === undefined) return false;
  return a === true || b === true || a.some((value) => b.includes(value));
}

function numbersOverlap(a: Type['number'], b: Type['number']): boolean {
  if (a === undefined || b === undefined) return false;
  if (Array.isArray(a)) {
    if (Array.isArray(b)) return overlap(a, b);
    return b === 'number' || a.some((n) => Number.isInteger(n));
  }
  return Array.isArray(b) && a === 'integer' ? b.some((n) => Number.isInteger(n)) : true;
}

/** An empty array fits, whatever type its elements must have. */
function clashOfItems(from: Type, to: Type, path: Path): Clash | undefined {
  const clash = clashOf(from, to, [...path, '*']);
  return clash && { ...clash, certain: false };
}

function clashOfFields(from: ObjectType, to: ObjectType, path: Path): Clash | undefined {
  // Its fields do not matter: only the server makes files.
  if (isFile(to) && !from.fields.has('$file') && isNever(from.rest)) {
    const expected = makeType({ object: to });
    return { path, expected, found: makeType({ object: from }), certain: true };
  }
  for (const [name, wanted] of to.fields) {
    const field = from.fields.get(name);
    const at = [...path, name];
    if (!field) {
      if (wanted.required && isNever(from.rest))
        return { path: at, expected: wanted.type, found: undefined, certain: true };
      continue;
    }
    if (!wanted.required && !field.required) continue;
    const clash = clashOf(field.type, wanted.type, at);
    if (clash) return clash;
  }
  return undefined;
}

/** Whether no value can be of both types, so that comparing two of them is never true. */
export function neverEqual(a: Type, b: Type): boolean {
  if (a.any || b.any || isNever(a) || isNever(b)) return false;
  // A check for null is fine even if its result is always the same.
  const isNothing = (type: Type) => kindsOf(type).every((kind) => kind === 'null' || kind === 'absent');
  if (isNothing(a) || isNothing(b)) return false;
  const shared = kindsOf(a).filter((kind) => b[kind]);
  return shared.every((kind) => {
    if (kind === 'number') return !valuesOverlap(a.number, b.number);
    return (kind === 'string' || kind === 'boolean') && !overlap(a[kind], b[kind]);
  });
}

/** Like `numbersOverlap`; a whole number may also be one of the values of any number. */
function valuesOverlap(a: Type['number'], b: Type['number']): boolean {
  if (isWhole(a) || isWhole(b)) return numbersOverlap(a, b);
  return Array.isArray(a) && Array.isArray(b) ? overlap(a, b) : true;
}
