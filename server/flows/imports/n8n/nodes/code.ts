import { type Node, parse } from 'acorn';
import type { Context } from '../context.ts';
import { itemwise, listPort } from '../items.ts';
import { type Entry, NotHere } from '../entry.ts';
import { namedNodes } from '../expressions/coded.ts';
import { walk } from '../expressions/constructs.ts';
import { type Reads, Unsayable } from '../expressions/reads.ts';
import { following, itemAt, type Origin, type Port, SPREAD } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { shimmed } from '../shim.ts';

/** Code nodes: the code is kept, behind names that it knows. */

function code(context: Context): Given {
  const { params, step } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  if (params.text('language')?.startsWith('python') === true)
    throw new NotHere('its code is Python', ['code.run, with the code written anew in JavaScript']);
  params.skip('language', 'mode', 'notice', 'jsCode', 'functionCode', 'pythonCode');
  const source = params.text('jsCode') ?? params.text('functionCode') ?? '';
  const perItem = step.kind === 'functionItem' || params.text('mode') === 'runOnceForEachItem';
  return perItem ? forEachItem(context, input, source) : forAll(context, input, source);
}

function forAll(context: Context, input: Port, source: string): Given {
  const list = listPort(context, input) as Port;
  const { id } = codeNode(context, list, source, false);
  const { step } = context;
  if (givesOne(source)) {
    const one = context.add(`${step.name} item`, {
      operator: 'core.map',
      params: { value: '{{ input[0] }}' },
    });
    context.wire(`${id}.out`, `${one}.in`);
    return gives(context.port(one, 'out', { card: 'one', aligned: new Set([step.name]) }));
  }
  return gives(
    context.port(id, 'out', {
      card: 'many',
      mayBeEmpty: true,
      aligned: new Set([step.name]),
      ...(!/pairedItem/.test(source) && { origin: pairedByCount(list, `nodes.${id}`) }),
    }),
  );
}

/** Items of code belong to those at the same places if there are as many, and all to the only one; else to none, as there. */
function pairedByCount(list: Port, made: string): Origin {
  return (node, place) => {
    const own = itemAt(list, node, place);
    const only = itemAt(list, node, '0');
    if (own === undefined || own === only) return own;
    return `(length(${made}) == length(${list.expr}) ? ${own} : length(${list.expr}) == 1 ? ${only} : null)`;
  };
}

function forEachItem(context: Context, input: Port, source: string): Given {
  const { id } = codeNode(context, input, source, true);
  const card = input.card;
  if (card === 'one') {
    const one = context.add(`${context.step.name} item`, {
      operator: 'core.map',
      params: { value: '{{ input[0] }}' },
    });
    context.wire(`${id}.out`, `${one}.in`);
    return gives(context.port(one, 'out', { card, ...following(input, context.step.name) }));
  }
  const flat = context.add(`${context.step.name} items`, {
    operator: 'core.map',
    params: { value: '{{ input.flat() }}' },
  });
  context.wire(`${id}.out`, `${flat}.in`);
  return gives(context.port(flat, 'out', { card, mayBeEmpty: true, aligned: new Set([context.step.name]) }));
}

/** The code, behind a node that collects the other nodes' items if it reads any. */
function codeNode(context: Context, input: Port, source: string, perItem: boolean): { id: string } {
  const reads = context.reads(input);
  tellLacking(context, source, reads);
  const others = namedNodes(source).flatMap((name) => otherItems(context, name, reads));
  const hasNodes = others.length > 0;
  const node = {
    operator: 'code.run',
    params: {
      source: shimmed(source, { perItem, workflow: context.job.workflow.name, hasNodes }),
      maxMs: 60_000,
      cpuMs: 5000,
    },
  };
  const isList = input.card === 'many' && perItem;
  const from = hasNodes ? gathered(context, input, others, perItem) : input;
  const id = itemwise(context, { ...from, card: isList ? 'many' : 'one' }, node, {
    ...(isList && { atOnce: 1 }),
  });
  return { id };
}

/** A node that puts the items and those of other nodes into one value. */
function gathered(context: Context, input: Port, others: readonly string[], perItem: boolean): Port {
  const own = perItem ? '[input]' : 'input';
  const isList = input.card === 'many' && perItem;
  const id = context.add(`${context.step.name} reads`, {
    operator: 'core.map',
    params: { value: `{{ { items: ${own}, nodes: { ${others.join(', ')} } } }}` },
    ...(isList && { each: {} }),
  });
  context.wire(input, `${id}.in`);
  return context.port(id, 'out', { card: isList ? 'many' : 'one' });
}

function tellLacking(context: Context, source: string, reads: Reads): void {
  for (const [pattern, message] of LACKING)
    if (pattern.test(source)) context.changed('code', message, { before: pattern.source, lost: true });
  for (const name of source.match(/\$(?:env|vars)\.\w+/g) ?? [])
    reads.factField(...(name.split('.') as [string, string]));
}

/** The items of a node that the code names, and the one that belongs to the item. */
function otherItems(context: Context, name: string, reads: Reads): string[] {
  try {
    const all = reads.nodeItems(name);
    const own = ownItem(reads, name);
    return [`${JSON.stringify(name)}: { all: ${all}, own: ${own} }`];
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error;
    context.changed('code', `Its code reads “${name}”, which it cannot here: ${error.message}.`, {
      before: name,
      lost: true,
    });
    return [];
  }
}

function ownItem(reads: Reads, name: string): string {
  try {
    return reads.nodeItem(name, 'own');
  } catch (error) {
    if (error instanceof Unsayable) return 'null';
    throw error;
  }
}

/**
 * Puts the node with the code of expressions between what leads to a step and its nodes. They get the same as before, from a node that
 * passes it on.
 */
export function insertCode(context: Context): void {
  const { coded, added, scope, job, step } = context;
  const { id, port } = coded;
  if (id === undefined || port === undefined) return;
  const readers = new Set(added);
  const fields = coded.sources.map((source, i) => `e${i + 1}: (${source}\n)`).join(',\n');
  const reads = context.reads(port);
  const others = namedNodes(fields).flatMap((name) => otherItems(context, name, reads));
  const from = others.length > 0 ? gathered(context, port, others, true) : port;
  const source = shimmed(`return { json: {\n${fields}\n} };`, {
    perItem: true,
    workflow: job.workflow.name,
    hasNodes: others.length > 0,
  });
  const each = port.card === 'many' ? { each: {} } : {};
  scope.nodes.set(id, { operator: 'code.run', params: { source, maxMs: 60_000, cpuMs: 5000 }, ...each });
  job.naming.place(id, { x: step.position.x * SPREAD, y: step.position.y * SPREAD - 90 });
  added.push(id);
  const rest = context.add(`${step.name} input`, {
    operator: 'core.map',
    params: { value: `{{ ${port.expr} }}` },
  });
  for (const [i, edge] of scope.edges.entries())
    if (edge.from === port.ref && readers.has(edge.to.split('.')[0] as string))
      scope.edges[i] = { ...edge, from: `${rest}.out` };
  context.wire(from, `${id}.in`);
  context.wire(`${id}.out`, `${rest}.in`);
}

/** What the sandbox does not have. */
const LACKING: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /\brequire\s*\(/,
    'Its code loads a module, which no code does here; use the functions of code nodes or an operator.',
  ],
  [
    /\bDateTime\b|\$now\b|\$today\b|\bluxon\b/,
    'Its code uses Luxon, which code does not have here; work dates out in a core.map before it.',
  ],
  [/\$jmespath\b/, 'Its code uses JMESPath; write the path as JavaScript.'],
];

/** Whether the code certainly gives one item: each `return` has one object, or a list of one. */
export function givesOne(source: string): boolean {
  let body: readonly Node[];
  try {
    const tree = parse(`async function* main() {${source}\n}`, { ecmaVersion: 'latest' });
    body = (tree.body[0] as unknown as { body: { body: Node[] } }).body.body;
  } catch {
    return false;
  }
  const returned: Node[] = [];
  if (!collectReturns(body, returned) || returned.length === 0) return false;
  return returned.every((node) => isOneItem(node));
}

function isOneItem(node: Node): boolean {
  if (node.type === 'ObjectExpression') return true;
  if (node.type !== 'ArrayExpression') return false;
  const { elements } = node as unknown as { elements: (Node | null)[] };
  return elements.length === 1 && elements[0]?.type === 'ObjectExpression';
}

/** The values that the function itself returns; false if it may end without one. */
function collectReturns(body: readonly Node[], returned: Node[]): boolean {
  const inner = new Set<Node>();
  for (const statement of body)
    walk(statement, (part) => {
      if (/Function/.test(part.type)) walk((part as unknown as { body: Node }).body, (one) => inner.add(one));
    });
  for (const statement of body)
    walk(statement, (part) => {
      if (part.type !== 'ReturnStatement' || inner.has(part)) return;
      const { argument } = part as unknown as { argument: Node | null };
      returned.push(argument ?? part);
    });
  return body.at(-1)?.type === 'ReturnStatement';
}

export const codeEntries: readonly Entry[] = [
  {
    kind: 'code',
    versions: '1 to 2',
    word: 'equal',
    becomes:
      '`code.run`, with `$input`, `$json`, `items`, `$(…)`, stored data and `httpRequest` as the code knows them',
    difference:
      'Modules and Luxon are not there. Files of items are read whole if the code names them, up to 4 MB each.',
    convert: code,
  },
  {
    kind: 'function',
    word: 'equal',
    becomes: '`code.run`',
    difference: 'Modules are not there.',
    convert: code,
  },
  {
    kind: 'functionItem',
    word: 'equal',
    becomes: '`code.run` for each item',
    difference: 'Modules are not there.',
    convert: code,
  },
];
