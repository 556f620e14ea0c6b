import { allNodes } from '../../flow/bodies.ts';
import type { CheckContext } from '../../flow/context.ts';
import { type UsedStatement, usedStatements } from '../../flow/used-connections.ts';
import { formatPath } from '../../flow/field-path.ts';
import type { FlowTypes } from '../../types/flow-types.ts';
import { kindsOf, type Type } from '../../types/type.ts';

/**
 * Names in a statement that get no value, and lists that it compares as one value. Only PostgreSQL has columns of lists; elsewhere
 * the run fails. The database may change without a change of the flow.
 */
export function checkStatementValues(context: CheckContext, types: FlowTypes): void {
  const { flow, catalog, world, report } = context;
  const nodes = allNodes(flow);
  for (const used of usedStatements(flow, catalog)) {
    const { node, path, sql, connection = '' } = used;
    if (nodes[node]?.disabled) continue;
    checkNames(context, used, nodes[node]?.params ?? {});
    if (world.connections?.[connection]?.kind === 'postgres') continue;
    for (const name of listsIn(valuesOf(used, types))) {
      const offset = comparisonWith(sql, name);
      if (offset === undefined) continue;
      const message = `\`:${name}\` is a list, and the statement compares it as one value. Write \`IN (:${name})\` to find one of its items.`;
      report({ code: 'list-compared', severity: 'warning', message, node, path, offset });
    }
  }
}

/**
 * What may contain a colon and is no name: texts, quoted names, comments. One that is not closed goes to the end, so that every
 * character is read once.
 */
const OTHER =
  /'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:`|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
/** Neither a cast (`::`), nor the end of a slice (`[a:b]`). */
const NAME = /(?<![:\w\]]):([A-Za-z_]\w*)/g;

/** Names without a value beside the statement. The run would fail; where an expression computes all values, only the run knows. */
function checkNames(
  { report }: CheckContext,
  { node, path, sql }: UsedStatement,
  params: Readonly<Record<string, unknown>>,
): void {
  const beside = path.slice(1, -1);
  const holder = beside.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], params);
  const { params: values = {}, each } = holder as { readonly params?: unknown; readonly each?: unknown };
  if (each !== undefined || typeof values !== 'object' || values === null) return;
  const names = [...sql.replaceAll(OTHER, (text) => ' '.repeat(text.length)).matchAll(NAME)];
  const told = new Set<string>();
  for (const { 1: name = '', index: offset } of names) {
    if (told.has(name) || Object.hasOwn(values, name)) continue;
    told.add(name);
    const field = formatPath([...path.slice(0, -1), 'params', name]);
    report({
      code: 'value-missing',
      severity: 'warning',
      message: `\`:${name}\` has no value. Add \`${name}\` to the parameters.`,
      node,
      path,
      offset,
      fix: { kind: 'set-field', title: `Add \`${name}\``, node, field, value: `{{ input.${name} }}` },
    });
  }
}

/** The names of values that are lists in every run. */
function listsIn(values: Type | undefined): string[] {
  const fields = [...(values?.object?.fields ?? [])];
  return fields.flatMap(([name, { type }]) => (kindsOf(type).join() === 'array' ? [name] : []));
}

/** The type of the values beside a statement. */
function valuesOf({ node, path }: UsedStatement, { params }: FlowTypes): Type | undefined {
  const types = params.get(node);
  const [, param, index] = path;
  if (path.length === 2) return types?.get('params');
  return types?.get(`${String(param)}[${String(index)}]`)?.object?.fields.get('params')?.type;
}

/** The positions where a condition compares `:name`: in SET the same sign stores it. */
function comparisonWith(sql: string, name: string): number | undefined {
  for (const { index, 0: found } of sql.matchAll(/(?:[=<>]|\blike)\s*:\w+/gi)) {
    if (!found.endsWith(`:${name}`)) continue;
    const clause = [...sql.slice(0, index).matchAll(/\b(?:where|having|on|set|values|select)\b/gi)].at(
      -1,
    )?.[0];
    if (clause !== undefined && /^(?:where|having|on)$/i.test(clause))
      return index + found.length - name.length - 1;
  }
  return undefined;
}
