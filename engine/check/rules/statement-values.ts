import { allNodes } from '../../flow/bodies.ts';
import type { CheckContext } from '../../flow/context.ts';
import { type UsedStatement, usedStatements } from '../../flow/used-connections.ts';
import type { FlowTypes } from '../../types/flow-types.ts';
import { kindsOf, type Type } from '../../types/type.ts';

/**
 * Lists that a statement compares as one value. Only PostgreSQL has columns of lists; elsewhere the run fails. The database may
 * change without a change of the flow.
 */
export function checkStatementValues({ flow, catalog, world, report }: CheckContext, types: FlowTypes): void {
  const nodes = allNodes(flow);
  for (const used of usedStatements(flow, catalog)) {
    const { node, path, sql, connection = '' } = used;
    if (nodes[node]?.disabled || world.connections?.[connection]?.kind === 'postgres') continue;
    for (const name of listsIn(valuesOf(used, types))) {
      const offset = comparisonWith(sql, name);
      if (offset === undefined) continue;
      const message = `\`:${name}\` is a list, and the statement compares it as one value. Write \`IN (:${name})\` to find one of its items.`;
      report({ code: 'list-compared', severity: 'warning', message, node, path, offset });
    }
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
