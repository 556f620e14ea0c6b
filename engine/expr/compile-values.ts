import type { ArrayNode, ObjectNode } from './ast.ts';
import { charge } from './budget.ts';
import type { Context, Run } from './context.ts';
import { wrongTypeAt } from './failures.ts';
import { aType, ownNames, readOwn } from './read.ts';

/** Compiles `[a, ...b]`. */
export function compileArray<S>(ctx: Context<S>, node: ArrayNode): Run<S> {
  const fills = node.items.map((item): ((out: unknown[], scope: S) => void) => {
    if (item.type !== 'spread') {
      const run = ctx.run(item);
      return (out, scope) => out.push(run(scope));
    }
    const run = ctx.run(item.value);
    ctx.metered = true;
    return (out, scope) => {
      const items = run(scope);
      if (!Array.isArray(items))
        wrongTypeAt(`\`...\` in an array needs an array, but got ${aType(items)}.`, item);
      charge(items.length);
      for (const element of items) out.push(element);
    };
  });
  return (scope) => {
    const out: unknown[] = [];
    for (const fill of fills) fill(out, scope);
    return out;
  };
}

type Fields = Record<string, unknown>;

/** Compiles `{ a: 1, ...b }`. The parser has refused the keys that could reach a prototype. */
export function compileObject<S>(ctx: Context<S>, node: ObjectNode): Run<S> {
  const fills = node.entries.map((entry): ((out: Fields, scope: S) => void) => {
    if (entry.type === 'entry') {
      const { key } = entry;
      const run = ctx.run(entry.value);
      return (out, scope) => {
        out[key] = run(scope);
      };
    }
    const run = ctx.run(entry.value);
    ctx.metered = true;
    return (out, scope) => {
      const from = run(scope);
      if (from === null || from === undefined) return;
      if (typeof from !== 'object' || Array.isArray(from)) {
        wrongTypeAt(`\`...\` in an object needs an object, but got ${aType(from)}.`, entry);
      }
      copyFields(from, out);
    };
  });
  return (scope) => {
    const out: Fields = {};
    for (const fill of fills) fill(out, scope);
    return out;
  };
}

function copyFields(from: object, out: Fields): void {
  const names = ownNames(from);
  charge(names.length);
  for (const name of names) out[name] = readOwn(from, name);
}
