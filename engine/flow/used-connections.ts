import type { Catalog } from '#shared/catalog.ts';
import { databaseKinds } from '#shared/connection.ts';
import type { Flow } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { Path } from './field-path.ts';
import { allNodes } from './bodies.ts';
import { operatorInfo } from './ports.ts';

/** A node that names a connection. */
export interface UsedConnection {
  readonly node: string;
  readonly operator: string;
  readonly param: string;
  readonly connection: string;
  /** The kinds that the node can use. */
  readonly kinds: readonly string[];
  /** The name may also be one of something else: a folder of files. */
  readonly maybe: boolean;
}

/** Kinds of a param that names none. */
const DATABASES: readonly string[] = databaseKinds;

/** The connections that the nodes of a flow name: params with the widget `connection` or `store`. */
export function usedConnections(flow: Flow, catalog: Catalog): UsedConnection[] {
  return Object.entries(allNodes(flow)).flatMap(([node, { operator, params }]) =>
    connectionParams(operatorInfo(catalog, operator)?.params).flatMap(({ param, ...about }) => {
      const connection = params?.[param];
      return typeof connection === 'string' ? [{ node, operator, param, connection, ...about }] : [];
    }),
  );
}

/** The kinds of connections that a node with these params can use; undefined if it uses none. */
export function usableKinds(params: JsonSchema | undefined): readonly string[] | undefined {
  const kinds = connectionParams(params).flatMap((param) => param.kinds);
  return kinds.length === 0 ? undefined : [...new Set(kinds)];
}

type ConnectionParam = Pick<UsedConnection, 'param' | 'kinds' | 'maybe'>;

const known = new WeakMap<JsonSchema, readonly ConnectionParam[]>();

function connectionParams(params: JsonSchema | undefined): readonly ConnectionParam[] {
  if (params === undefined) return [];
  const before = known.get(params);
  if (before !== undefined) return before;
  const properties = Object.entries((params['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const found = properties.flatMap(([param, { widget, kinds = DATABASES }]) =>
    widget === 'connection' || widget === 'store'
      ? [{ param, kinds: kinds as readonly string[], maybe: widget === 'store' }]
      : [],
  );
  known.set(params, found);
  return found;
}

/** An SQL statement of a node: a text in a param with the widget `sql`. */
export interface UsedStatement {
  readonly node: string;
  readonly operator: string;
  /** Where it stands in the node. */
  readonly path: Path;
  /** The connection that the node names, if it names one. */
  readonly connection: string | undefined;
  readonly sql: string;
  /** What the database is asked about it: the types of its rows, or whether it would make the change; undefined for nothing. */
  readonly asks: 'rows' | 'change' | undefined;
}

/** Nothing else can be prepared everywhere without being executed. */
const CHANGE = /^\s*(?:insert|update|delete|replace|merge)\b/i;
/** A table that the flow itself makes or changes may not be there yet. */
const MAKES_TABLES = /^\s*(?:create|alter|drop|rename)\b/i;

/** The statements of a flow, also those in lists. */
export function usedStatements(flow: Flow, catalog: Catalog): UsedStatement[] {
  const found = writtenStatements(flow, catalog);
  const making = new Set(
    found.filter(({ sql }) => MAKES_TABLES.test(sql)).map(({ connection }) => connection),
  );
  return found.map((used) =>
    used.asks === 'change' && making.has(used.connection) ? { ...used, asks: undefined } : used,
  );
}

function writtenStatements(flow: Flow, catalog: Catalog): UsedStatement[] {
  return Object.entries(allNodes(flow)).flatMap(([node, { operator, params = {} }]) => {
    const info = operatorInfo(catalog, operator);
    const shapes = (info?.params['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
    const [name] = connectionParams(info?.params);
    const written = name === undefined ? undefined : params[name.param];
    const connection = typeof written === 'string' ? written : undefined;
    const givesRows = info !== undefined && readsRows(info.infer);
    const mayChange = info?.effects === 'write';
    return Object.entries(shapes).flatMap(([param, shape]) =>
      statementsIn(shape, params[param], ['params', param]).map(({ path, sql }) => ({
        ...{ node, operator, path, connection, sql },
        asks: givesRows ? 'rows' : mayChange && CHANGE.test(sql) ? 'change' : undefined,
      })),
    );
  });
}

function statementsIn(shape: JsonSchema, value: unknown, path: Path): { path: Path; sql: string }[] {
  if (shape['widget'] === 'sql') return typeof value === 'string' ? [{ path, sql: value }] : [];
  const items = shape['items'] as JsonSchema | undefined;
  if (Array.isArray(value) && items)
    return value.flatMap((item: unknown, i) => statementsIn(items, item, [...path, i]));
  const properties = shape['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
  if (!properties || typeof value !== 'object' || value === null) return [];
  return Object.entries(properties).flatMap(([name, inner]) =>
    statementsIn(inner, (value as Readonly<Record<string, unknown>>)[name], [...path, name]),
  );
}

const rowRules = new WeakMap<object, boolean>();

/** Whether a rule of an operator takes its types from a statement. */
function readsRows(infer: object | undefined): boolean {
  if (infer === undefined) return false;
  const before = rowRules.get(infer);
  if (before !== undefined) return before;
  const found = JSON.stringify(infer).includes('"rowOf"');
  rowRules.set(infer, found);
  return found;
}
