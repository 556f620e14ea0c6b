import type { CheckContext } from '../../flow/context.ts';
import { formatPath } from '../../flow/field-path.ts';
import { calledSchemas } from '../../types/called-types.ts';
import { type Clash, clashOf } from '../../types/clash.ts';
import type { FlowTypes } from '../../types/flow-types.ts';
import { fromSchema } from '../../types/schema.ts';
import { UNKNOWN } from '../../types/type.ts';
import { shortType } from '../../types/words.ts';

/** Whether the input of a called flow has the type that the flow takes. Only a warning, since the other flow can change. */
export function checkCallTypes(context: CheckContext, { starts }: FlowTypes): void {
  for (const [call, schemas] of calledSchemas(context)) {
    const clash = clashOf(starts.get(call.node) ?? UNKNOWN, fromSchema(schemas.takes));
    if (!clash) continue;
    const param = context.nodes.get(call.node)?.info?.infer?.starts?.param ?? call.param;
    context.report({
      code: 'type-mismatch',
      severity: 'warning',
      message: wordsOf(call.flow, clash),
      node: call.node,
      path: ['params', param],
    });
  }
}

function wordsOf(flow: string, { path, expected, found }: Clash): string {
  const takes = `\`${shortType(expected)}\``;
  if (path.length === 0 && found)
    return `The flow \`${flow}\` takes ${takes}, but is started with \`${shortType(found)}\`.`;
  const field = `\`${formatPath(path).replaceAll('["*"]', '[]')}\``;
  return found
    ? `The flow \`${flow}\` takes ${takes} in ${field}, but is started with \`${shortType(found)}\` there.`
    : `The flow \`${flow}\` needs the field ${field} (${takes}), but is started without it.`;
}
