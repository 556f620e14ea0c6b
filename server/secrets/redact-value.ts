import { MASK, type Redactor } from './redactor.ts';

/** A JSON value with each secret in its texts, names and numbers masked. Values come from `JSON.parse`, so they are trees. */
export function redactValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value === 'number') return redactNumber(value, redactor);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [redactor.text(key), redactValue(inner, redactor)]),
  );
}

/** A secret of digits may come back as a number. */
export function redactNumber(value: number, redactor: Redactor): number | string {
  const text = String(value);
  return redactor.text(text) === text ? value : MASK;
}
