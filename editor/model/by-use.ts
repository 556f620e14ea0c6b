import type { OperatorInfo } from '#shared/catalog.ts';

/** Operators that most flows have, the most frequent first. */
export const COMMON: readonly string[] = [
  'http.request',
  'model.chat',
  'agent.run',
  'logic.if',
  'logic.switch',
  'text.template',
  'core.map',
  'data.for-each',
  'code.run',
  'sql.query',
  'human.approval',
  'core.respond',
];

/** Triggers that most flows begin with. */
const STARTS: readonly string[] = [
  'trigger.http',
  'trigger.chat',
  'trigger.schedule',
  'trigger.form',
  'trigger.manual',
];

const BY_USE = [...STARTS, ...COMMON];

/** The most common ones first, then by name. */
export function byUse(operators: readonly OperatorInfo[]): OperatorInfo[] {
  const rank = ({ type }: OperatorInfo): number => {
    const at = BY_USE.indexOf(type);
    return at < 0 ? BY_USE.length : at;
  };
  return operators.toSorted((a, b) => rank(a) - rank(b) || byName(a, b));
}

/** By name; after those of Weft the services by theirs, with their calls in the order in which they stand in their file. */
export function byName(a: OperatorInfo, b: OperatorInfo): number {
  if (a.service === undefined && b.service === undefined) return a.title.localeCompare(b.title);
  return (a.service?.title ?? '').localeCompare(b.service?.title ?? '');
}
