import type { Node } from 'acorn';
import { constructOf, isDateTree } from './constructs.ts';
import { itemOf, type Reads, Unsayable } from './reads.ts';

/** A text of the language, and how tightly it binds: 10 is a value or a call, 1 a choice. */
interface Said {
  readonly text: string;
  readonly binds: number;
}

type Tree = Node & Readonly<Record<string, unknown>>;
type Locals = readonly string[];

const BINDS: Readonly<Record<string, number>> = {
  '??': 2,
  '||': 3,
  '&&': 4,
  '==': 5,
  '!=': 5,
  '===': 5,
  '!==': 5,
  '<': 6,
  '<=': 6,
  '>': 6,
  '>=': 6,
  '+': 7,
  '-': 7,
  '*': 8,
  '/': 8,
  '%': 8,
};

const value = (text: string): Said => ({ text, binds: 10 });

/** Rewrites the tree of an expression. Throws `Unsayable`. */
export function rewrite(node: Node, reads: Reads): string {
  return say(node as Tree, reads, []).text;
}

function say(tree: Tree, reads: Reads, locals: Locals): Said {
  const read = itemOf(tree, reads);
  if (read !== undefined) return value(read);
  const found = constructOf(tree);
  if (found && !isLocal(tree, locals)) return filled(found.to, found.parts, reads, locals);
  const rule = rules[tree.type];
  if (!rule) throw new Unsayable(`${plainName(tree.type)} has no counterpart`);
  return rule(tree, reads, locals);
}

function isLocal(tree: Tree, locals: Locals): boolean {
  return tree.type === 'Identifier' && locals.includes(tree['name'] as string);
}

const part = (tree: Tree, name: string): Tree => tree[name] as Tree;
const list = (tree: Tree, name: string): readonly (Tree | null)[] => tree[name] as (Tree | null)[];

type Rule = (tree: Tree, reads: Reads, locals: Locals) => Said;

const rules: Readonly<Record<string, Rule>> = {
  Literal: (tree) => literal(tree),
  TemplateLiteral: templateLiteral,
  Identifier: identifier,
  ParenthesizedExpression: (tree, reads, locals) => say(part(tree, 'expression'), reads, locals),
  ChainExpression: (tree, reads, locals) => say(part(tree, 'expression'), reads, locals),
  MemberExpression: member,
  CallExpression: call,
  ConditionalExpression(tree, reads, locals) {
    const [test, yes, no] = ['test', 'consequent', 'alternate'].map((name) =>
      inside(say(part(tree, name), reads, locals), 2),
    );
    return { text: `${test} ? ${yes} : ${no}`, binds: 1 };
  },
  LogicalExpression: binary,
  BinaryExpression: binary,
  UnaryExpression(tree, reads, locals) {
    const operator = tree['operator'] as string;
    if (operator !== '!' && operator !== '-')
      throw new Unsayable(`the operator ${operator} has no counterpart`);
    return { text: `${operator}${inside(say(part(tree, 'argument'), reads, locals), 9)}`, binds: 9 };
  },
  ArrayExpression(tree, reads, locals) {
    const items = list(tree, 'elements').map((one) => (one === null ? 'null' : spread(one, reads, locals)));
    return value(`[${items.join(', ')}]`);
  },
  ObjectExpression: object,
  ArrowFunctionExpression: arrow,
};

function literal(tree: Tree): Said {
  const { value: given } = tree as { value?: unknown };
  if ('regex' in tree) throw new Unsayable('a pattern stands where no function takes one');
  if ('bigint' in tree) throw new Unsayable('long whole numbers have no counterpart');
  if (typeof given === 'string') return value(JSON.stringify(given));
  return value(String(given));
}

function templateLiteral(tree: Tree, reads: Reads, locals: Locals): Said {
  const texts = list(tree, 'quasis').map((one) => (one as Tree)['value'] as { cooked: string });
  const holes = list(tree, 'expressions').map((one) => say(one as Tree, reads, locals).text);
  const written = texts.map(({ cooked }) => cooked.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&'));
  return value(`\`${written.map((text, i) => (i === 0 ? text : `\${${holes[i - 1]}}${text}`)).join('')}\``);
}

function identifier(tree: Tree, reads: Reads, locals: Locals): Said {
  const name = tree['name'] as string;
  if (locals.includes(name)) return value(name);
  const fact = reads.fact(name);
  if (fact !== undefined) return value(fact);
  throw new Unsayable(`\`${name}\` has no counterpart`);
}

function member(tree: Tree, reads: Reads, locals: Locals): Said {
  const target = part(tree, 'object');
  if (isDateTree(target)) throw new Unsayable('this field of a date has no counterpart');
  const base = inside(say(target, reads, locals), 10);
  return value(`${base}${access(tree, reads, locals)}`);
}

/** A field that is missing is undefined there, and null with `?.`. */
function access(tree: Tree, reads: Reads, locals: Locals): string {
  const property = part(tree, 'property');
  if (tree['computed'] !== true) {
    if (property.type !== 'Identifier') throw new Unsayable('private names have no counterpart');
    return `?.${property['name'] as string}`;
  }
  return `?.[${say(property, reads, locals).text}]`;
}

function call(tree: Tree, reads: Reads, locals: Locals): Said {
  const callee = part(tree, 'callee');
  const target = callee.type === 'ChainExpression' ? part(callee, 'expression') : callee;
  if (target.type !== 'MemberExpression' || target['computed'] === true)
    throw new Unsayable(`the call of ${nameIn(target)} has no counterpart`);
  const base = inside(say(part(target, 'object'), reads, locals), 10);
  const args = list(tree, 'arguments').map((one) => spread(one as Tree, reads, locals));
  return value(`${base}${access(target, reads, locals)}(${args.join(', ')})`);
}

function nameIn(tree: Tree): string {
  return tree.type === 'Identifier' ? `\`${tree['name'] as string}\`` : 'a function';
}

function binary(tree: Tree, reads: Reads, locals: Locals): Said {
  const operator = tree['operator'] as string;
  const binds = BINDS[operator];
  if (binds === undefined) throw new Unsayable(`the operator ${operator} has no counterpart`);
  const [left, right] = [part(tree, 'left'), part(tree, 'right')].map((one) => say(one, reads, locals)) as [
    Said,
    Said,
  ];
  // `??` is not mixed with the others without parentheses.
  const least = operator === '??' ? 5 : binds;
  const from = operator === '??' && left.binds === 2 ? left.text : inside(left, least);
  return { text: `${from} ${operator} ${inside(right, least + 1)}`, binds };
}

function object(tree: Tree, reads: Reads, locals: Locals): Said {
  const fields = list(tree, 'properties').map((one) => {
    const property = one as Tree;
    if (property.type === 'SpreadElement') return spread(property, reads, locals);
    if (property['kind'] !== 'init' || property['method'] === true)
      throw new Unsayable('methods of objects have no counterpart');
    const given = say(part(property, 'value'), reads, locals).text;
    const key = part(property, 'key');
    if (property['computed'] === true) return `[${say(key, reads, locals).text}]: ${given}`;
    const name = key.type === 'Identifier' ? (key['name'] as string) : String(key['value']);
    return `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}: ${given}`;
  });
  return value(fields.length === 0 ? '{ }' : `{ ${fields.join(', ')} }`);
}

function arrow(tree: Tree, reads: Reads, locals: Locals): Said {
  const body = part(tree, 'body');
  if (body.type === 'BlockStatement' || tree['async'] === true)
    throw new Unsayable('functions with statements have no counterpart');
  const names = list(tree, 'params').map((one) => {
    if (one?.type !== 'Identifier') throw new Unsayable('such parameters of functions have no counterpart');
    return one['name'] as string;
  });
  const said = say(body, reads, [...locals, ...names]).text;
  const shown = body.type === 'ObjectExpression' ? `(${said})` : said;
  return { text: `(${names.join(', ')}) => ${shown}`, binds: 1 };
}

function spread(tree: Tree, reads: Reads, locals: Locals): string {
  if (tree.type !== 'SpreadElement') return say(tree, reads, locals).text;
  return `...${inside(say(part(tree, 'argument'), reads, locals), 10)}`;
}

function inside({ text, binds }: Said, least: number): string {
  return binds >= least ? text : `(${text})`;
}

const LETTER = /(?<![\w"'$.?])([XYZNMPFUDLKC])(?![\w"'])/g;

/** The construct with its parts for the letters. */
function filled(to: string, parts: ReadonlyMap<string, Node | string>, reads: Reads, locals: Locals): Said {
  const text = (reads.isLater === true ? later(to) : to).replace(
    LETTER,
    (letter: string, _: string, at: number) => {
      const given = parts.get(letter);
      if (given === undefined) return letter;
      if (typeof given === 'string') return JSON.stringify(given);
      const said = say(given as Tree, reads, locals);
      const alone = /[(,[]\s*$/.test(to.slice(0, at)) && /^\s*[),\]]/.test(to.slice(at + 1));
      return alone ? said.text : inside(said, 10);
    },
  );
  return {
    text,
    binds: /^[a-zA-Z]+\(.*\)$/.test(to) && isOneCall(to) ? 10 : text === to && /^[\w.]+$/.test(to) ? 10 : 1,
  };
}

/** Behind a wait and in loops the clock has gone on since the run started. */
const later = (to: string): string =>
  to.replaceAll(/(?<![\w.])now\(/g, 'clock(').replaceAll(/(?<![\w.])today\(\)/g, 'startOf(clock(), "day")');

/** Whether the first parenthesis closes at the end. */
function isOneCall(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth += 1;
    if (text[i] === ')') depth -= 1;
    if (depth === 0 && text[i] === ')' && i < text.length - 1) return false;
  }
  return true;
}

function plainName(type: string): string {
  const words = type.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `this construct (${words})`;
}
