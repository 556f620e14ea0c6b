import { isRecord, type JsonSchema } from '#shared/json.ts';
import { hasTemplate } from '#engine/check';

/** A setting that only some values of another one need, as its schema says: `when: { param: 'mode', is: ['map'] }`. */
export interface SettingWhen {
  /** The other setting, in the same object. */
  readonly param: string;
  /** One of these, where null stands for a setting that is not set. */
  readonly is?: readonly unknown[];
  /** None of these. */
  readonly not?: readonly unknown[];
}

export function whenOf(schema: JsonSchema): SettingWhen | undefined {
  const { when } = schema;
  if (!isRecord(when) || typeof when['param'] !== 'string') return undefined;
  const { param, is, not } = when;
  return { param, ...(Array.isArray(is) && { is }), ...(Array.isArray(not) && { not }) };
}

/** Whether the setting has an effect while the other one has this value; its default if it is not set. */
export function isWanted({ is, not }: SettingWhen, value: unknown): boolean {
  // Only a run knows what it will be.
  if (typeof value === 'string' && hasTemplate(value)) return true;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value ?? null];
  const isOneOf = (list: readonly unknown[]): boolean => values.some((one) => list.includes(one));
  return (is === undefined || isOneOf(is)) && (not === undefined || !isOneOf(not));
}
