import { type Expression, parseExpressionAt } from 'acorn';
import { formatOf } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { idFrom } from '../../../awel/names.ts';
import { type Context, createContext, tellUnread } from '../context.ts';
import { NotHere } from '../entry.ts';
import { piecesOf } from '../expressions/templates.ts';
import { COMMUNITY } from './mcp-servers.ts';
import { createNaming, createScope, type Naming, type Port, type Scope } from '../graph.ts';
import { services } from '../services/services.ts';
import type { Step } from '../workflow.ts';

/** A service, a request or a database as a tool of an agent: a flow of its own, whose trigger takes what the model fills in. */

const kindOf = (kind: string): string => kind.replace(/Tool$/, '');

/** Types that a tool may be, besides services. */
const OTHERS = [
  'postgres',
  'mySql',
  'httpRequest',
  'dateTime',
  'rssFeedRead',
  'dataTable',
  'redis',
  'emailSend',
  'agent',
  'openAi',
  'googleGemini',
  'anthropic',
  'ollama',
];
const SERVICES: readonly string[] = [...services.map(({ kind }) => kind), ...OTHERS];

export const SERVICE_TOOLS: readonly string[] = SERVICES.map((kind) => `${kind}Tool`);

/** Servers of MCP are tools mostly as they are. */
const KINDS: readonly string[] = [...SERVICES, COMMUNITY];

/** The id of the flow, or why there is none. */
export function serviceFlow(
  { job }: Context,
  part: Step,
  name: string,
  isCalled = false,
): { readonly flow: string } | { readonly why: string } {
  const kind = kindOf(part.kind);
  const convert = KINDS.includes(kind)
    ? (job.convertOf(kind) as ((context: Context) => unknown) | undefined)
    : undefined;
  if (convert === undefined) return { why: 'nothing here does the same' };
  if (job.within.has(part.name)) return { why: 'it is a tool of its own tools' };
  const within = new Set([...job.within, part.name]);
  const filled = new Map<string, Filled>();
  const naming = createNaming();
  const scope = createScope();
  // Node ids of another flow say nothing in the report of this one.
  const report = { ...job.report, use: () => undefined };
  try {
    const parameters = withArguments(part.parameters, filled) as Step['parameters'];
    const step = { ...part, kind, parameters };
    const path = isCalled ? `/${idFrom(`${job.around.id}_${name}`, 'tool')}` : undefined;
    const item = startOf({ scope, naming, schema: schemaOf(filled), path });
    const own = { ...job, within, naming, report, given: new Map(), before: new Map(), sure: new Map() };
    const context = createContext(own, step, scope, [[item]]);
    context.params.skip('descriptionType', 'toolDescription');
    convert(context);
    if (context.coded.sources.length > 0) return { why: 'an expression of it has to be code' };
    tellUnread(context);
  } catch (error) {
    if (error instanceof NotHere) return { why: error.message };
    throw error;
  }
  const id = job.around.idFor(`${job.around.id}_${name}`);
  const places = [...scope.nodes.keys()].map((node, at) => [node, { x: at * 260, y: 0 }] as const);
  job.more.push({
    flow: {
      format: formatOf({ nodes: Object.fromEntries(scope.nodes), edges: scope.edges }),
      id,
      name: part.name.slice(0, 200),
      ...(isCalled && { description: descriptionOf(part).slice(0, 10_000) }),
      nodes: Object.fromEntries(scope.nodes),
      edges: scope.edges,
    },
    layout: { format: 1, nodes: Object.fromEntries(places) },
  });
  return { flow: id };
}

interface Begun {
  readonly scope: Scope;
  readonly naming: Naming;
  readonly schema: Record<string, unknown>;
  /** For a trigger that is called over HTTP. */
  readonly path: string | undefined;
}

/** The trigger, and the item with what the model has filled in. */
function startOf({ scope, naming, schema, path }: Begun): Port {
  const start = naming.id('start');
  scope.nodes.set(
    start,
    path === undefined
      ? { operator: 'trigger.manual', params: { input: schema } }
      : { operator: 'trigger.http', params: { path, request: schema, auth: 'api-key' } },
  );
  naming.place(start, { x: 0, y: 0 });
  let from = start;
  if (path !== undefined) {
    from = naming.id('arguments');
    scope.nodes.set(from, { operator: 'core.map', params: { value: '{{ trigger?.body ?? { } }}' } });
    scope.edges.push({ from: `${start}.out`, to: `${from}.in` });
  }
  return {
    ref: `${from}.out`,
    expr: `nodes.${from}`,
    card: 'one',
    mayBeEmpty: false,
    aligned: new Set(),
    taken: new Map(),
    triggers: new Set(),
    scope,
  };
}

function descriptionOf({ parameters, name }: Step): string {
  const given = parameters['toolDescription'] ?? parameters['description'];
  return typeof given === 'string' && given !== '' ? given.replace(/^=/, '') : name;
}

/** A value that the model fills in: `$fromAI('key', 'description', 'type', default)`. */
interface Filled {
  readonly description: string;
  readonly type: string;
  readonly otherwise: unknown;
}

const CALL = /\$from(?:AI|Ai|ai)\s*\(/;
/** A comment that the editor there puts before the call. */
const MARK = /\/\*n8n-auto-generated-fromAI-override\*\//g;

/** The params, with a field of the item in place of each call. Throws `NotHere`. */
function withArguments(value: unknown, filled: Map<string, Filled>, depth = 0): unknown {
  if (typeof value === 'string') return value.startsWith('=') ? replaced(value, filled) : value;
  if (depth > 50) return value;
  if (Array.isArray(value)) return value.map((one) => withArguments(one, filled, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withArguments(one, filled, depth + 1)]),
  );
}

function replaced(value: string, filled: Map<string, Filled>): string {
  const pieces = piecesOf(value.replaceAll(MARK, '')).map((piece) =>
    'text' in piece ? piece.text : `{{${sourceWith(piece.source, filled)}}}`,
  );
  return `=${pieces.join('')}`;
}

function sourceWith(given: string, filled: Map<string, Filled>): string {
  let source = given;
  for (let tries = 0; tries < 50; tries++) {
    const found = CALL.exec(source);
    if (found === null) return source;
    const { args, end } = callAt(source, found.index);
    const [key, description = '', type = 'string', otherwise] = args;
    if (typeof key !== 'string' || key === '')
      throw new NotHere('a value that the model fills in has no name');
    filled.set(key, { description: String(description), type: String(type), otherwise });
    source = `${source.slice(0, found.index)}$json[${JSON.stringify(key)}]${source.slice(end)}`;
  }
  throw new NotHere('the model fills in too many values');
}

function callAt(source: string, at: number): { readonly args: readonly unknown[]; readonly end: number } {
  try {
    const tree = parseExpressionAt(source, at, { ecmaVersion: 'latest' });
    // What comes behind it, such as `.trim()`, is around the call.
    const call = innermost(tree, at);
    return { args: call.args.map(constant), end: call.end };
  } catch (error) {
    if (error instanceof SyntaxError) throw new NotHere('an expression of it cannot be read');
    throw error;
  }
}

type Tree = Expression & Readonly<Record<string, unknown>>;

function innermost(given: Expression, at: number): { readonly args: readonly Tree[]; readonly end: number } {
  let tree = given as Tree;
  for (let depth = 0; depth < 50; depth++) {
    const callee = tree['callee'] as Tree | undefined;
    if (callee?.type === 'Identifier' && callee.start === at)
      return { args: tree['arguments'] as Tree[], end: tree.end };
    const [first] = (tree['expressions'] ?? []) as readonly Tree[];
    const next = ['callee', 'object', 'left', 'test', 'expression', 'tag']
      .map((name) => tree[name] as Tree | undefined)
      .concat(first)
      .find((one) => one !== undefined && one.start === at);
    if (next === undefined) break;
    tree = next;
  }
  throw new NotHere('an expression of it cannot be read');
}

function constant(tree: Tree): unknown {
  if (tree.type === 'Literal') return tree.value;
  if (tree.type === 'TemplateLiteral' && tree.expressions.length === 0)
    return tree.quasis[0]?.value.cooked ?? '';
  throw new NotHere('what the model fills in is described by an expression');
}

const TYPES: Readonly<Record<string, string>> = { string: 'string', number: 'number', boolean: 'boolean' };

function schemaOf(filled: ReadonlyMap<string, Filled>): Record<string, unknown> {
  const fields = [...filled];
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([key, { description, type, otherwise }]) => [
        key,
        {
          ...(Object.hasOwn(TYPES, type) && { type: TYPES[type] }),
          ...(description !== '' && { description }),
          ...(otherwise !== undefined && otherwise !== null && { default: otherwise }),
        },
      ]),
    ),
    required: fields
      .filter(([, { otherwise }]) => otherwise === undefined || otherwise === null)
      .map(([key]) => key),
  };
}
