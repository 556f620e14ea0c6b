import type { FormField } from '../model/form/schema-form.ts';
import type { DraggedPath } from '../ui/path-drag.ts';

/** Whether a value can be put into the field: expressions are evaluated there. */
export function takesPath({ dynamic, schema }: FormField): boolean {
  return dynamic && schema['widget'] !== 'sql';
}

/** The expression that reads what was chosen; where the setting is evaluated for each item, of the item. */
export function expressionFor({ lazy }: FormField, { path, item }: DraggedPath): string {
  return `{{ ${lazy ? (item ?? path) : path} }}`;
}

/** The value of a field with the expression in it: a text keeps what is written, at `at` or at its end; all others become the expression. */
export function withPath(field: FormField, value: unknown, dragged: DraggedPath, at?: number): string {
  const expression = expressionFor(field, dragged);
  const { shape } = field;
  if (shape.kind !== 'text' || typeof value !== 'string' || value === '') return expression;
  const before = value.slice(0, at);
  const gap = at === undefined && shape.multiline && /\S$/.test(before) ? ' ' : '';
  return `${before}${gap}${expression}${at === undefined ? '' : value.slice(at)}`;
}
