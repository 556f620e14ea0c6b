import type { FormField } from './schema-form.ts';

/** What a new element of a list or entry of a record starts with. */
export function initialValue(field: FormField, place: { list: string; count: number }): unknown {
  const { shape, defaultValue } = field;
  if (defaultValue !== undefined) return structuredClone(defaultValue);
  switch (shape.kind) {
    case 'text':
      return shape.portName ? `${singular(place.list)}_${place.count + 1}` : '';
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'select':
      return shape.options[0]?.value;
    case 'choices':
    case 'list':
      return [];
    case 'object': {
      const required = shape.fields.filter((part) => part.required);
      return Object.fromEntries(required.map((part) => [part.name, initialValue(part, place)]));
    }
    case 'union':
      return { [shape.tag]: shape.variants[0]?.value };
    case 'record':
    case 'request':
      return {};
    case 'expression':
    case 'value':
    case 'json':
    case 'secret':
      return '';
  }
}

/** `cases` as `case`, `branches` as `branch`. */
export function singular(word: string): string {
  if (/(?:ch|sh|ss|x)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
}
