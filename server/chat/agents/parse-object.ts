import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { isRecord } from '#shared/json.ts';
/** An object, or one given as its JSON text; undefined for anything else. */
export function parseObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = typeof value === 'string' ? parse(value) : value;
  return isRecord(parsed) ? parsed : undefined;
}

function parse(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return parseKeepingDigits(text);
  } catch {
    return undefined;
  }
}
