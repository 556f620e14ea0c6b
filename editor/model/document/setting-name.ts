import type { OperatorInfo } from '#shared/catalog.ts';
import { parsePath, settingAt } from '#engine/check';

/** The name that people see for the setting of a node at a path such as `params.template`. */
export function settingName(field: string, info: OperatorInfo | undefined): string {
  const [first, ...rest] = parsePath(field) ?? [];
  if (first === undefined) return field;
  if (first !== 'params') return settingAt({}, [first, ...rest]).label;
  return info && rest.length > 0 ? settingAt(info.params, rest).label : field;
}
