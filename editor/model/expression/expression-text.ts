import { hasTemplate } from '#engine/check';
import { recordOf } from '../form/schema-shapes.ts';

// Expressions as texts, separate from their evaluation, which is large and loaded later.

/** The path of a value as an expression writes it: `input.items[0]["first name"]`. */
export function pathText(root: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, root);
}

/** A whole-field expression with this value, if the language can express it: JSON without `{{` in it. */
export function asExpression(value: unknown): string | undefined {
  const json = JSON.stringify(value);
  if (json === undefined || hasTemplate(json)) return undefined;
  return `{{ ${recordOf(value) && json !== '{}' ? `{ ${json.slice(1, -1)} }` : json} }}`;
}
