import { hasTemplate, parseTemplate } from '#engine/check';
import { recordOf } from '../form/schema-shapes.ts';

/**
 * A setting is written as a fixed value, whose texts may hold expressions, or as one expression. Both ways keep what it gives.
 *
 * CV1. `asExpression(asFixed(value))` gives the value, and `asFixed` of that is the same fixed value again.
 * CV2. A text with expressions in it becomes an expression that gives the same text.
 */
export function asExpression(fixed: unknown): string | undefined {
  const source = sourceOf(fixed);
  if (source === undefined) return undefined;
  // `{{{` would read as a brace of the template.
  return source.startsWith('{') && source !== '{}' ? `{{ { ${source.slice(1, -1)} } }}` : `{{ ${source} }}`;
}

/** Keys that an object in an expression cannot have. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A value as the language writes it; undefined if it cannot. */
function sourceOf(fixed: unknown): string | undefined {
  if (typeof fixed === 'string') return ofText(fixed);
  if (typeof fixed === 'number') return ofNumber(fixed);
  if (Array.isArray(fixed)) {
    const parts = fixed.map(sourceOf);
    return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`;
  }
  const record = recordOf(fixed);
  if (!record) return JSON.stringify(fixed);
  const fields = Object.entries(record).map(([key, inner]) => [key, sourceOf(inner)] as const);
  if (fields.some(([key, inner]) => inner === undefined || FORBIDDEN.has(key))) return undefined;
  return `{${fields.map(([key, inner]) => `${quoted(key)}: ${inner}`).join(', ')}}`;
}

/** Digits that a number does not keep are an error of the language, so a long one is written as a power of ten. */
function ofNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = JSON.stringify(value);
  return /^-?\d{16,}$/.test(text) ? value.toExponential() : text;
}

/** A text in quotes, without a `{{`: that would begin an expression. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/\{(?=\{)/g, '\\u007b');
}

function ofText(text: string): string | undefined {
  if (!hasTemplate(text)) return quoted(text);
  const parsed = parseTemplate(text);
  if (!parsed.ok) return undefined;
  const { parts, whole } = parsed.template;
  if (whole) {
    const [only] = parts.filter((part) => typeof part !== 'string');
    return only && `(${only.source})`;
  }
  if (parts.every((part) => typeof part === 'string')) return quoted(parts.join(''));
  const inner = parts.map((part) => (typeof part === 'string' ? inBackticks(part) : `\${${part.source}}`));
  return `\`${inner.join('')}\``;
}

/** The inside of a text in backticks; the escapes of JSON are those of the language. */
function inBackticks(text: string): string {
  return quoted(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/[`$]/g, (sign) => `\\${sign}`);
}

/** A value as it is written into a setting whose texts are evaluated: there, `{{` would begin an expression. */
export function asFixed(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('{{', '\\{{');
  if (Array.isArray(value)) return value.map(asFixed);
  const record = recordOf(value);
  if (!record) return value;
  return Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, asFixed(inner)]));
}
