import type { Template, TemplatePurpose } from '#shared/template.ts';

export const PURPOSE_TITLES: Readonly<Record<TemplatePurpose, string>> = {
  people: 'Forms and people',
  models: 'Models and chat',
  data: 'Tables and data',
  services: 'Services and events',
};

/** Whether a template has all words of a search. */
export function matches({ title, text, words, needs, purpose }: Template, query: string): boolean {
  const all = [title, text, words, PURPOSE_TITLES[purpose], ...needs.map((need) => need.title)]
    .join(' ')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
