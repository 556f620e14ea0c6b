import type { FormField } from './schema-form.ts';
import { singular } from './schema-initial.ts';

const CHOSEN: ReadonlySet<string> = new Set([
  'select',
  'union',
  'connection',
  'store',
  'secret',
  'flow',
  'model',
  'timezone',
  'cron',
]);

/** What is wrong with a field, as it stands at the field: what to write. `said` is what the check says of it, without its name. */
export function sentenceOf(said: string, field: FormField): string {
  if (/^is (?:missing|empty): /.test(said)) return asked(field);
  const why = /^is not valid: (.+)$/.exec(said)?.[1];
  return why === undefined ? `This ${said}` : capitalised(why);
}

function asked({ title, shape }: FormField): string {
  const name = /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
  if (name === '') return 'Fill this in.';
  if (shape.kind === 'list' || shape.kind === 'choices') return `Add at least one ${singular(name)}.`;
  if (CHOSEN.has(shape.kind)) return `Choose the ${name}.`;
  return `Write the ${name}.`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
