import { equal, numberIn, operations } from './arithmetic.ts';
import type {
  ArrayNode,
  Binary,
  Conditional,
  Logical,
  Name,
  Node,
  ObjectNode,
  TextNode,
  Unary,
} from './ast.ts';
import { bounded, charge, concat, metered } from './budget.ts';
import { compileCall } from './compile-call.ts';
import { compileChain } from './compile-chain.ts';
import { type Context, type Env, orNull, report, rootOf, type Run } from './context.ts';
import { wrongTypeAt } from './failures.ts';
import { textFrom } from './library/convert.ts';
import type { ExprProblem } from './problem.ts';
import { aType, ownNames, readOwn } from './read.ts';
import { unknownName } from './unknown-name.ts';

/** A compiled expression, or everything that is wrong with it. `constant`: it reads nothing of the scope. */
export type CompileResult<S> =
  | { ok: true; evaluate: (scope: S) => unknown; constant: boolean }
  | { ok: false; errors: ExprProblem[] };

/**
 * Compiles an expression to closures, none of which returns undefined: a missing value is null where it is allowed. All problems
 * with names and functions are reported at once; offsets are those of the syntax tree. Constant parts are computed here, once,
 * and frozen, since all runs share them.
 */
export function compileExpression<S>(ast: Node, env: Env<S>): CompileResult<S> {
  const ctx: Context<S> = {
    env,
    errors: [],
    locals: [],
    metered: false,
    usesRoots: false,
    run: (node, tolerant = false) => compileNode(ctx, node, tolerant),
  };
  const run = ctx.run(ast);
  if (ctx.errors.length > 0) return { ok: false, errors: ctx.errors };
  const evaluate = ctx.metered ? metered(run) : run;
  return { ok: true, evaluate: ctx.usesRoots ? evaluate : folded(evaluate), constant: !ctx.usesRoots };
}

/** The value, computed once. If that throws, it throws again in each run, when there is a run to report it. */
function folded<S>(evaluate: Run<S>): Run<S> {
  try {
    // No root is read, so no scope is needed.
    const value = freezeDeep(evaluate(undefined as S));
    return () => value;
  } catch {
    return evaluate;
  }
}

function compileNode<S>(ctx: Context<S>, node: Node, tolerant: boolean): Run<S> {
  switch (node.type) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'name':
      return compileName(ctx, node);
    case 'chain':
      return compileChain(ctx, node, tolerant);
    case 'text':
      return compileText(ctx, node);
    case 'unary':
      return compileUnary(ctx, node);
    case 'binary':
      return compileBinary(ctx, node);
    case 'logical':
      return compileLogical(ctx, node, tolerant);
    case 'conditional':
      return compileConditional(ctx, node);
    case 'array':
      return compileArray(ctx, node);
    case 'object':
      return compileObject(ctx, node);
    case 'call':
      return compileCall(ctx, node);
  }
}

function compileName<S>(ctx: Context<S>, node: Name): Run<S> {
  const local = ctx.locals.findLast(({ name }) => name === node.name);
  if (local) return () => local.value;
  ctx.usesRoots = true;
  const root = rootOf(ctx, node.name);
  return root ? orNull(root) : report(ctx, unknownName(ctx, node));
}

function compileText<S>(ctx: Context<S>, node: TextNode): Run<S> {
  const holes = node.holes.map((hole) => ctx.run(hole));
  const [first = '', ...after] = node.texts;
  if (holes.length === 0) return () => first;
  ctx.metered = true;
  return (scope) => {
    let text = first;
    for (let i = 0; i < holes.length; i++) text = bounded(text + textFrom(holes[i]?.(scope)) + after[i]);
    return concat(text, '');
  };
}

function compileUnary<S>(ctx: Context<S>, node: Unary): Run<S> {
  const operand = ctx.run(node.operand);
  if (node.op === '!') return (scope) => !operand(scope);
  return (scope) => {
    const value = operand(scope);
    return typeof value === 'number'
      ? -value
      : wrongTypeAt(`\`-\` needs a number, but got ${aType(value)}.`, node);
  };
}

function compileBinary<S>(ctx: Context<S>, node: Binary): Run<S> {
  const left = ctx.run(node.left);
  const right = ctx.run(node.right);
  // A comparison with a literal costs next to nothing, however long the other side is.
  const literal = node.left.type === 'literal' ? node.left : node.right;
  if (literal.type === 'literal') {
    const isStrict = node.op === '===' || node.op === '!==' || !isNumeric(literal.value);
    const isEqual = isStrict
      ? (scope: S) => left(scope) === right(scope)
      : (scope: S) => equal(left(scope), right(scope));
    if (node.op === '==' || node.op === '===') return isEqual;
    if (node.op === '!=' || node.op === '!==') return (scope) => !isEqual(scope);
  }
  ctx.metered = true;
  const operate = operations[node.op];
  return (scope) => operate(left(scope), right(scope), node);
}

/** Whether a value of another type can equal it. */
function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && numberIn(value) !== undefined);
}

function compileLogical<S>(ctx: Context<S>, node: Logical, tolerant: boolean): Run<S> {
  if (node.op === '??') {
    const left = ctx.run(node.left, true);
    // In `a.b ?? c.d ?? e`, the second path too is at the left of a `??`.
    const right = ctx.run(node.right, tolerant);
    return (scope) => left(scope) ?? right(scope);
  }
  const left = ctx.run(node.left);
  const right = ctx.run(node.right);
  return node.op === '&&' ? (scope) => left(scope) && right(scope) : (scope) => left(scope) || right(scope);
}

function compileConditional<S>(ctx: Context<S>, node: Conditional): Run<S> {
  const test = ctx.run(node.test);
  const yes = ctx.run(node.yes);
  const no = ctx.run(node.no);
  return (scope) => (test(scope) ? yes(scope) : no(scope));
}

/** Compiles `[a, ...b]`. */
function compileArray<S>(ctx: Context<S>, node: ArrayNode): Run<S> {
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
      for (const element of items) out.push(element === undefined ? null : element);
    };
  });
  return (scope) => {
    const out: unknown[] = [];
    for (const fill of fills) fill(out, scope);
    return out;
  };
}

type Fields = Record<string, unknown>;

/** Compiles `{ a: 1, ...b }`. The parser has already refused the keys that could reach a prototype. */
function compileObject<S>(ctx: Context<S>, node: ObjectNode): Run<S> {
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

/** Freezes a value and everything in it. Frozen parts are not entered again, so shared parts cost once. */
function freezeDeep(value: unknown): unknown {
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null || Object.isFrozen(item)) continue;
    Object.freeze(item);
    for (const child of Object.values(item)) open.push(child);
  }
  return value;
}
