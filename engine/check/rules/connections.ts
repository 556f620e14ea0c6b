import { lackingConnectionGrant } from '#shared/connection.ts';
import { allNodes } from '../../flow/bodies.ts';
import { type CheckContext, didYouMean } from '../../flow/context.ts';
import { usedConnections, type UsedStatement, usedStatements } from '../../flow/used-connections.ts';

/**
 * The connections that nodes name: whether they exist, and are granted. A connection may come later, so none of it keeps
 * a flow from going live.
 */
export function checkConnections({ flow, catalog, world, outside, nearest, report }: CheckContext): void {
  const { connections } = world;
  // What bodies use is among what the flow uses.
  if (connections === undefined || outside) return;
  for (const { node, operator, param, connection, kinds, maybe } of usedConnections(flow, catalog)) {
    const found = Object.hasOwn(connections, connection) ? connections[connection] : undefined;
    const at = { severity: 'warning', node, path: ['params', param] } as const;
    if (found === undefined) {
      if (maybe) continue;
      const meant = didYouMean(nearest(connection, Object.keys(connections)));
      const message = `There is no connection \`${connection}\`, so this node will fail.${meant}`;
      report({ code: 'unknown-connection', message, ...at });
      continue;
    }
    const { kind, ...grants } = found;
    if (kind !== undefined && !kinds.includes(kind)) {
      const message = `The connection \`${connection}\` is of the kind ${kind}, and this node needs one of ${kinds.join(', ')}.`;
      if (!maybe) report({ code: 'unknown-connection', message, ...at });
      continue;
    }
    const lack = lackingConnectionGrant(grants, { flow: flow.id, operator });
    if (lack === undefined) continue;
    const message = `The connection \`${connection}\` is not granted ${lack}; its grants can be changed under Connections.`;
    report({ code: 'connection-not-granted', message, ...at });
  }
}

/**
 * SQL statements: expressions in them, which have no meaning there, and what the database refuses as it is now. It may
 * change without the flow, so none of it keeps a flow from going live.
 */
export function checkStatements(context: CheckContext): void {
  const { flow, catalog, world, report } = context;
  if (context.outside) return;
  const nodes = allNodes(flow);
  const refusals = new Map(
    (world.statements ?? []).flatMap(({ connection, sql, change = false, described }) =>
      described.is === 'refused'
        ? [[JSON.stringify([connection, sql, change]), described.message] as const]
        : [],
    ),
  );
  for (const used of usedStatements(flow, catalog)) {
    const { node, path, connection, sql, asks } = used;
    if (nodes[node]?.disabled) continue;
    checkHoles(context, used);
    const refusal = refusals.get(JSON.stringify([connection, sql, asks === 'change']));
    if (refusal === undefined) continue;
    const message = `This statement would fail. ${refusal}`;
    report({ code: 'statement-refused', severity: 'warning', message, node, path });
  }
}

/** A list of PostgreSQL, such as `'{{1,2},{3,4}}'`, is no expression. */
function checkHoles({ parse, report }: CheckContext, { node, path, sql }: UsedStatement): void {
  if (!sql.includes('{{')) return;
  const result = parse(sql);
  if (!result.ok) return;
  for (const part of result.template.parts) {
    if (typeof part === 'string' || !/[a-z]/i.test(part.source)) continue;
    const message = `\`{{ ${part.source} }}\` has no meaning in a statement. Write \`:name\` there, and give the value by this name in \`params\`.`;
    report({
      code: 'expression-in-statement',
      severity: 'warning',
      message,
      node,
      path,
      offset: part.offset,
    });
  }
}
