import type { GrantNames } from '#shared/connection-labels.ts';
import type { SecretGrants } from '#shared/secret.ts';

const LIST_WORDS = { operators: 'nodes', hosts: 'hosts', flows: 'flows' } as const;

/** The lists of a secret's grants, in the order of the form. */
export const GRANT_LISTS = ['operators', 'hosts', 'flows'] as const;
export type GrantList = (typeof GRANT_LISTS)[number];
/** The lists as they stand in the form. */
export type GrantTexts = Readonly<Record<GrantList, string>>;

/** Each list as typed, separated by commas. */
export function textsOf(grants: SecretGrants): GrantTexts {
  const text = (list: GrantList): string => (grants[list] ?? []).join(', ');
  return { operators: text('operators'), hosts: text('hosts'), flows: text('flows') };
}

/** The names in a text, separated by commas. */
export function namesIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/**
 * Parses the typed grants. An unchanged list stays what it is: an empty list allows nobody, while a missing list does not
 * restrict.
 */
export function grantsOf(texts: GrantTexts, before: SecretGrants): SecretGrants {
  const untouched = textsOf(before);
  const lists = GRANT_LISTS.map((list): [GrantList, readonly string[] | undefined] => {
    if (texts[list] === untouched[list]) return [list, before[list]];
    const names = namesIn(texts[list]);
    return [list, names.length > 0 ? [...new Set(names)] : undefined];
  });
  return Object.fromEntries(lists.filter(([, names]) => names !== undefined)) as SecretGrants;
}

/** Who may use it, in words; undefined for nobody. */
export function grantWords(grants: SecretGrants, names?: GrantNames): string | undefined {
  const given = GRANT_LISTS.filter((list) => grants[list] !== undefined);
  if (given.length === 0 || given.some((list) => grants[list]?.length === 0)) return undefined;
  const named = (list: GrantList, one: string): string => {
    if (list === 'hosts') return one;
    return (list === 'flows' ? names?.flow(one) : names?.operator(one)) ?? one;
  };
  return given
    .map((list) => `${LIST_WORDS[list]} ${grants[list]?.map((one) => named(list, one)).join(', ')}`)
    .join('; ');
}
