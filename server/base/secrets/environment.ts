import { WeftError } from '#engine';
import { ID_PATTERN } from '#shared/flow.ts';
import type { SecretStore } from './store.ts';

const PREFIX = 'WEFT_SECRET_';

/** The values of WEFT_SECRET_<NAME>, by name in lower case. Names that no flow can write are mistakes. */
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

/**
 * The secrets for a flow run at a terminal: those set there, for all its operators. Setting a
 * variable for a command grants it to that command.
 */
export function terminalSecrets(
  secrets: Readonly<Record<string, string>>,
): Pick<SecretStore, 'reveal' | 'use'> {
  function use(name: string): string {
    const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (value !== undefined) return value;
    throw new WeftError(
      'secret_unknown',
      `There is no secret ${name} here; set WEFT_SECRET_${name.toUpperCase()} for this command.`,
    );
  }
  return { use, reveal: async (name) => use(name) };
}
