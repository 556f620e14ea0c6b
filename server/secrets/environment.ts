import { ID_PATTERN } from '#shared/flow.ts';

const PREFIX = 'WEFT_SECRET_';

/** The values of WEFT_SECRET_<NAME>, by name in lower case. Names that no flow could write are mistakes. */
export function environmentSecrets(
  env: Readonly<Record<string, string | undefined>>,
  mistakes: string[] = [],
): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) {
    if (!key.startsWith(PREFIX) || value === undefined || value === '') continue;
    const name = key.slice(PREFIX.length).toLowerCase();
    if (ID_PATTERN.test(name)) secrets[name] = value;
    else mistakes.push(`${key}: the name of a secret is a letter, then letters, digits and _.`);
  }
  return secrets;
}
