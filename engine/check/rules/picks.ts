import type { InputPort } from '#shared/catalog.ts';
import type { Fix } from '#shared/problem.ts';
import type { CheckContext } from '../../flow/context.ts';
import { formatPath, parsePath, type Path } from '../../flow/field-path.ts';
import type { EdgeLabel } from '../../flow/graph.ts';
import { fittingField, pickedType } from '../../types/edge-type.ts';
import { typeOfPort } from '../../types/flow-types.ts';
import type { Type } from '../../types/type.ts';
import { shortType } from '../../types/words.ts';

/** Whether the value of an edge can have the field that the edge carries. */
export function checkPick(context: CheckContext, edge: EdgeLabel, from: Type): void {
  const path = edge.pick === undefined ? undefined : parsePath(edge.pick);
  if (path === undefined || context.kinds.get(`${edge.from}.${edge.fromPort}`) === 'stream') return;
  const { missing, never } = pickedType(from, path);
  if (missing === undefined) return;
  const owner = pickedType(from, path.slice(0, missing)).type;
  const fields = [...(owner.object?.fields.keys() ?? [])];
  const name = String(path[missing]);
  const meant = context.nearest(name, fields);
  const source = [`${edge.from}.${edge.fromPort}`, ...path.slice(0, missing)].join('.');
  const has =
    fields.length > 0 ? `it has ${fields.slice(0, 10).join(', ')}` : `it is \`${shortType(owner)}\``;
  const lacks = never ? 'never has' : 'does not declare';
  context.report({
    code: 'missing-field',
    ...(!never && { severity: 'warning' as const }),
    message: `\`${source}\` ${lacks} \`${name}\`, which the edge to \`${edge.to}.${edge.toPort}\` picks: ${has}.`,
    path: ['edges', edge.at, 'pick'],
    nodes: [edge.from, edge.to],
    fix: meant === undefined ? undefined : setPick(edge, path.with(missing, meant)),
  });
}

/** The fix where an edge brings a value that does not fit, but a field of it does. `isOnly`: only if there is no other field that fits. */
export function fixByPick(
  { edge, path }: { readonly edge: EdgeLabel; readonly path: Path },
  from: Type,
  { port, isOnly }: { readonly port: InputPort; readonly isOnly: boolean },
): Fix | undefined {
  const found = fittingField(from, typeOfPort(port.schema ?? {}), { name: port.name, isOnly });
  return found && setPick(edge, [...path, ...found]);
}

function setPick({ at }: EdgeLabel, path: Path): Fix {
  const value = formatPath(path);
  return { kind: 'set-field', title: `Use \`${value}\``, field: `edges[${at}].pick`, value };
}
