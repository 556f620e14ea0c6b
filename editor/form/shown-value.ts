import { briefly } from '../model/expression/source-members.ts';

/** A default as placeholder text: line breaks and empty texts must be visible too. */
export function shownDefault(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return Array.isArray(value) ? JSON.stringify(value) : briefly(value, 60);
  if (value === '') return '(empty)';
  return value.replaceAll('\n', '↵').replaceAll('\t', '⇥');
}
