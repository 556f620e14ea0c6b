import { hasTemplate } from '#engine/check';
import { recordOf } from './schema-shapes.ts';

/** Expressions as texts, without what evaluates them: that is large and comes later. */
/** The path of a value as an expression writes it: `input.items[0]["first name"]`. */
export function pathText(root: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, root);
}

/** A whole-field expression with this value, where the language can write it: JSON without `{{` in it. */
export function asExpression(value: unknown): string | undefined {
  const json = JSON.stringify(value);
  if (json === undefined || hasTemplate(json)) return undefined;
  return `{{ ${recordOf(value) && json !== '{}' ? `{ ${json.slice(1, -1)} }` : json} }}`;
}

/** Whether a preview needs the regex engine, which is large and loaded only then. */
export function needsRegex(text: string): boolean {
  return /\bmatches\s*\(/.test(text);
}
