import { type Node, parse } from 'acorn';
import type { Context } from '../context.ts';
import { isTraced, itemwise, listPort, pairedLists } from '../items.ts';
import { type Entry, NotHere } from '../entry.ts';
import { namedNodes } from '../expressions/coded.ts';
import { walk } from '../expressions/constructs.ts';
import { type Reads, Unsayable } from '../expressions/reads.ts';
import { following, fromPlaces, ofOnly, type Port } from '../graph.ts';
import { lackingIn } from '../code/modules.ts';
import { zoneOf } from '../flow-settings.ts';
import { gives, type Given } from '../job.ts';
import { tellZone } from '../code/insert.ts';
import { gathered, otherItems } from '../code/reads.ts';
import { python } from './python.ts';
import { shimmed } from '../code/shim.ts';
import type { Step } from '../workflow.ts';

/** Code nodes: the code is kept, behind names that it knows. */

function code(context: Context): Given {
  const { params, step } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  if (step.type.includes('langchain')) return ofLangchain(context, input);
  params.skip('language', 'mode', 'notice', 'jsCode', 'functionCode', 'pythonCode', ...OF_MODEL);
  if (isPython(step)) return python(context, input);
  const source = params.text('jsCode') ?? params.text('functionCode') ?? '';
  const perItem = step.kind === 'functionItem' || params.text('mode') === 'runOnceForEachItem';
  return perItem ? forEachItem(context, input, source) : forAll(context, input, source);
}

/** What only code with LangChain itself can do. */
const LANGCHAIN =
  /\brequire\b|\bimport\b|getInputConnectionData|addInputData|addOutputData|getNodeParameter|logAiEvent/;

/** Code of the other package, which sees the items by `this`. */
function ofLangchain(context: Context, input: Port): Given {
  const { params } = context;
  const source = params.text('code.execute.code');
  params.skip('inputs', 'outputs', 'notice');
  if (source === undefined || context.allParts().length > 0 || LANGCHAIN.test(source))
    throw new NotHere('its code works with the objects of LangChain', [
      'agent.run',
      'model.chat and code.run',
    ]);
  return forAll(context, input, `this.getInputData = () => $input.all();\n${source}`);
}

/** Params with the instructions from which a model has written the code. */
const OF_MODEL = ['instructions', 'prompt', 'codeGeneratedForPrompt'];

function isPython({ parameters }: Step): boolean {
  return typeof parameters['language'] === 'string' && parameters['language'].startsWith('python');
}

function forAll(context: Context, input: Port, source: string): Given {
  const list = listPort(context, input) as Port;
  const { step } = context;
  const isOne = givesOne(source);
  const paired = !isOne && isTraced(context);
  const { id } = codeNode(context, list, source, { perItem: false, paired });
  if (paired) return gives(pairedItems(context, id, list));
  if (isOne) {
    const one = context.add(`${step.name} item`, {
      operator: 'core.map',
      params: { value: '{{ input[0] }}' },
    });
    context.wire(`${id}.out`, `${one}.in`);
    return gives(
      context.port(one, 'out', {
        card: 'one',
        aligned: new Set([step.name]),
        ...(input.card === 'many' && !/pairedItem/.test(source) && { origin: ofOnly(list) }),
      }),
    );
  }
  return gives(context.port(id, 'out', { card: 'many', mayBeEmpty: true, aligned: new Set([step.name]) }));
}

/** The items of code that gives their places too. */
function pairedItems(context: Context, id: string, list: Port): Port {
  const { step } = context;
  const items = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: '{{ input.items }}' },
  });
  context.wire(`${id}.out`, `${items}.in`);
  return context.port(items, 'out', {
    card: 'many',
    mayBeEmpty: true,
    aligned: new Set([step.name]),
    origin: fromPlaces(list, `nodes.${id}?.places`),
  });
}

function forEachItem(context: Context, input: Port, source: string): Given {
  const { id } = codeNode(context, input, source, { perItem: true, paired: false });
  const card = input.card;
  if (card === 'one') {
    const one = context.add(`${context.step.name} item`, {
      operator: 'core.map',
      params: { value: '{{ input[0] }}' },
    });
    context.wire(`${id}.out`, `${one}.in`);
    return gives(context.port(one, 'out', { card, ...following(input, context.step.name) }));
  }
  if (isTraced(context)) return gives(pairedLists(context, context.port(id, 'out', { card }), 'input'));
  const flat = context.add(`${context.step.name} items`, {
    operator: 'core.map',
    params: { value: '{{ input.flat() }}' },
  });
  context.wire(`${id}.out`, `${flat}.in`);
  return gives(context.port(flat, 'out', { card, mayBeEmpty: true, aligned: new Set([context.step.name]) }));
}

/** The code, behind a node that collects the other nodes' items if it reads any. */
function codeNode(
  context: Context,
  input: Port,
  source: string,
  { perItem, paired }: { readonly perItem: boolean; readonly paired: boolean },
): { id: string } {
  const reads = context.reads(input);
  tellLacking(context, source, reads);
  const others = namedNodes(source).flatMap((name) => otherItems(context, name, reads, perItem));
  const round = roundIn(context, source, reads);
  const hasNodes = others.length > 0 || round !== undefined;
  const node = {
    operator: 'code.run',
    params: {
      source: shimmed(source, {
        perItem,
        workflow: context.job.workflow.name,
        hasNodes,
        zone: zoneOf(context.job) ?? 'UTC',
        paired,
      }),
      maxMs: 60_000,
      cpuMs: 5000,
    },
  };
  const isList = input.card === 'many' && perItem;
  const from = hasNodes ? gathered(context, input, { others, round, perItem }) : input;
  const id = itemwise(context, { ...from, card: isList ? 'many' : 'one' }, node, {
    ...(isList && { atOnce: 1 }),
  });
  return { id };
}

/** The number of rounds before, in a loop, for code that reads it. */
function roundIn({ changed }: Context, source: string, reads: Reads): string | undefined {
  if (!source.includes('$runIndex')) return undefined;
  try {
    const round = reads.fact('$runIndex');
    return round === '0' ? undefined : round;
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error;
    changed('code', `Its code reads $runIndex, which is 0 here: ${error.message}.`, { lost: true });
    return undefined;
  }
}

function tellLacking(context: Context, source: string, reads: Reads): void {
  for (const { message, before } of lackingIn(source))
    context.changed('code', message, { before, lost: true });
  tellZone(context, source);
  for (const name of source.match(/\$(?:env|vars)\.\w+/g) ?? [])
    reads.factField(...(name.split('.') as [string, string]));
}

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
      '`code.run`, with `$input`, `$json`, `items`, `$(…)`, stored data and `httpRequest` as the code knows them; Python becomes `code.python`',
    difference:
      'Dates of Luxon, and digests and random values of `crypto`, are put in front of code that names them; other modules are missing. Files of items are read whole if the code names them, up to 4 MB each. Python needs the package `weft-python`.',
    needs: isPython,
    convert: code,
  },
  {
    kind: 'function',
    word: 'equal',
    becomes: '`code.run`',
    difference: 'Only Luxon and the digests of `crypto` are there; other modules are missing.',
    convert: code,
  },
  {
    kind: 'aiTransform',
    word: 'equal',
    becomes: '`code.run`, with the code that a model had written',
    difference: 'The prompt from which it was written is not kept.',
    convert: code,
  },
  {
    kind: 'functionItem',
    word: 'equal',
    becomes: '`code.run` for each item',
    difference: 'Only Luxon and the digests of `crypto` are there; other modules are missing.',
    convert: code,
  },
];
