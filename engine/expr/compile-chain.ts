import type { Chain, FieldLink, IndexLink, Link } from './ast.ts';
import { chargeText } from './budget.ts';
import { compileMethod } from './compile-call.ts';
import { type Context, orNull, report, rootOf, type Run } from './context.ts';
import { describe } from './describe.ts';
import { missingField, wrongTypeAt } from './failures.ts';
import { aType, mayBeInherited, readOwn } from './read.ts';
import { unknownMember } from './unknown-name.ts';

/** Reads one link of a chain from the previous value. */
type Read<S> = (value: unknown, scope: S) => unknown;
type Step<S> = { optional: boolean; read: Read<S> };

// Every nested field read costs a stack frame, so only a few are nested; the rest run in a loop.
const mostNested = 8;

/**
 * Compiles a value followed by member reads and method calls. A link is soft, which means that it results in null for a missing
 * field, if it is `?.`, if `?.` follows it (`a.b?.c` allows for a missing `b`), or if the whole chain is tolerant. Leading
 * fields, the usual case, become nested closures.
 */
export function compileChain<S>(ctx: Context<S>, node: Chain, tolerant: boolean): Run<S> {
  const soft = (index: number) =>
    tolerant || isOptional(node.links[index]) || isOptional(node.links[index + 1]);
  const member = compileMember(ctx, node, soft(0));
  let run = member ?? compileBase(ctx, node, tolerant);
  let index = member ? 1 : 0;
  const fields: Field[] = [];
  for (; index < Math.min(node.links.length, mostNested); index++) {
    const link = node.links[index];
    if (link?.kind !== 'field' || link.optional) break;
    fields.push({ name: link.name, miss: fieldMiss(node, index, soft(index)) });
  }
  run = readFields(run, fields, member !== undefined || node.base.type === 'name');
  const steps = node.links.slice(index).map((link, at): Step<S> => {
    const place = { node, index: index + at, soft: soft(index + at) };
    return { optional: link.optional, read: compileLink(ctx, link, place) };
  });
  return steps.length === 0 ? run : walk(run, steps);
}

function isOptional(link: Link | undefined): boolean {
  return link?.optional === true;
}

/** The getter of a member that the environment knows at compile time. */
function compileMember<S>(ctx: Context<S>, { base, links }: Chain, soft: boolean): Run<S> | undefined {
  const link = links[0];
  if (base.type !== 'name' || link?.kind !== 'field') return undefined;
  if (ctx.locals.some(({ name }) => name === base.name)) return undefined;
  const member = ctx.env.member?.(base.name, link.name, soft);
  if (member) ctx.usesRoots = true;
  // Later links treat undefined like null.
  return member && links.length === 1 ? orNull(member) : member;
}

/** The value before the links. An unknown root is reported with its first member, which may be the actual mistake. */
function compileBase<S>(ctx: Context<S>, { base, links }: Chain, tolerant: boolean): Run<S> {
  const [first] = links;
  const isLocal = base.type === 'name' && ctx.locals.some(({ name }) => name === base.name);
  const askedMember = ctx.env.member !== undefined && first?.kind === 'field';
  const root = base.type !== 'name' || isLocal ? undefined : rootOf(ctx, base.name);
  if (root) {
    ctx.usesRoots = true;
    return root;
  }
  if (base.type !== 'name' || isLocal || !askedMember) return ctx.run(base, tolerant);
  return report(ctx, unknownMember(base, first.name));
}

/** Runs the steps one by one; `?.` on a missing value ends the whole chain, as in JavaScript. */
function walk<S>(base: Run<S>, steps: readonly Step<S>[]): Run<S> {
  const [only] = steps;
  if (steps.length === 1 && only && !only.optional) {
    const { read } = only;
    return (scope) => read(base(scope), scope);
  }
  return (scope) => {
    let value = base(scope);
    for (const { optional, read } of steps) {
      if (optional && (value === null || value === undefined)) return null;
      value = read(value, scope);
    }
    return value;
  };
}

interface Place {
  readonly node: Chain;
  readonly index: number;
  readonly soft: boolean;
}

function compileLink<S>(ctx: Context<S>, link: Link, place: Place): Read<S> {
  switch (link.kind) {
    case 'field':
      return fieldRead(link, place);
    case 'index':
      return indexRead(ctx, link, place);
    case 'method':
      return compileMethod(ctx, link, { owner: () => describe(place.node, place.index), soft: place.soft });
  }
}

/** The treatment of a missing field. */
function fieldMiss(node: Chain, index: number, soft: boolean): Miss {
  const link = node.links[index];
  if (soft || link?.kind !== 'field') return () => null;
  const { name } = link;
  const at = { start: node.start, end: link.end };
  return (value) => missingField(value, describe(node, index), name, at);
}

function fieldRead<S>(link: FieldLink, { node, index, soft }: Place): Read<S> {
  return fieldReader({ name: link.name, miss: fieldMiss(node, index, soft) });
}

function indexRead<S>(ctx: Context<S>, link: IndexLink, { node, index, soft }: Place): Read<S> {
  const keyRun = ctx.run(link.key);
  if (link.key.type !== 'literal') ctx.metered = true;
  const at = { start: node.start, end: link.end };
  return (value, scope) => {
    const key = keyRun(scope);
    if (typeof key !== 'string' && typeof key !== 'number') {
      wrongTypeAt(`A key in brackets must be text or a number, but got ${aType(key)}.`, at);
    }
    if (typeof key === 'number' && Array.isArray(value)) {
      const found: unknown = value[key];
      if (found !== undefined && typeof found !== 'function') return found;
    }
    if (typeof key === 'string') chargeText(key.length);
    const found = readOwn(value, key);
    if (found !== undefined) return found;
    return soft ? null : missingField(value, describe(node, index), key, at);
  };
}

/** The result of reading a missing field, if that does not throw. */
type Miss = (value: unknown) => unknown;

interface Field {
  readonly name: string;
  readonly miss: Miss;
}

/**
 * Reads one field after the other: the hot path of the language. `cheap` means that the base can be read twice. Then two or three
 * fields are read at once first, which nearly always succeeds; if not, the careful way starts over.
 */
function readFields<S>(base: Run<S>, fields: readonly Field[], cheap: boolean): Run<S> {
  const careful = fields.reduce((run, field) => readField(run, field), base);
  const [one, two, three] = fields;
  if (!cheap || !one || !two || fields.length > 3) return careful;
  if (fields.some(({ name }) => mayBeInherited(name))) return careful;
  return three
    ? readThree(base, [one.name, two.name, three.name], careful)
    : readTwo(base, [one.name, two.name], careful);
}

type Bag = Readonly<Record<string, unknown>>;

/** Reads one field of the given value. */
function fieldReader(field: Field): (value: unknown) => unknown {
  const { name } = field;
  if (mayBeInherited(name)) return (value) => readOrMiss(value, field);
  return (value) => {
    if (typeof value === 'object' && value !== null) {
      const found = (value as Bag)[name];
      if (found !== undefined && typeof found !== 'function') return found;
    }
    return readOrMiss(value, field);
  };
}

/** An undefined value counts as missing, whether or not the key exists: JSON makes no difference either. */
function readOrMiss(value: unknown, { name, miss }: Field): unknown {
  const found = readOwn(value, name);
  return found === undefined ? miss(value) : found;
}

function readField<S>(run: Run<S>, field: Field): Run<S> {
  const read = fieldReader(field);
  return (scope) => read(run(scope));
}

function readTwo<S>(base: Run<S>, [one, two]: readonly [string, string], careful: Run<S>): Run<S> {
  return (scope) => {
    const found = pick(pick(base(scope), one), two);
    return found !== undefined && typeof found !== 'function' ? found : careful(scope);
  };
}

function readThree<S>(base: Run<S>, names: readonly [string, string, string], careful: Run<S>): Run<S> {
  const [one, two, three] = names;
  return (scope) => {
    const found = pick(pick(pick(base(scope), one), two), three);
    return found !== undefined && typeof found !== 'function' ? found : careful(scope);
  };
}

/** A plain read, which never enters a function. */
function pick(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Bag)[name] : undefined;
}
