import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check, parse } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Problem } from '#shared/problem.ts';
import type { Config } from '../../../base/config/config.ts';
import { readSecretsFile } from '../../../base/secrets/secrets-file.ts';
import { StartError } from '../../../base/errors/start-error.ts';

/**
 * The names of the secrets that a server would have here: those of WEFT_SECRET_<NAME> and of the data folder, whose
 * values stay sealed. Undefined if there are neither, or they cannot be read: the existing secrets are then unknown.
 */
export function secretNames({ data, secrets }: Pick<Config, 'data' | 'secrets'>): string[] | undefined {
  const environment = Object.keys(secrets);
  if (!existsSync(data)) return environment.length > 0 ? environment : undefined;
  try {
    return [...environment, ...Object.keys(readSecretsFile(join(data, 'secrets.json')).secrets)];
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}

/**
 * References of a flow to secrets that are not among these. Only warnings: the server that runs the flow may have
 * others.
 */
export function unknownSecrets(
  { id, source }: { readonly id: string; readonly source: string },
  catalog: Catalog,
  secrets: readonly string[] | undefined,
): Problem[] {
  if (secrets === undefined || !source.includes('$secret')) return [];
  const { flow, locate } = parse(source, { id });
  if (!flow) return [];
  const found = check(flow, catalog, { routes: [], variables: undefined, secrets }, locate);
  return found.flatMap((problem) =>
    problem.code === 'unknown-secret' ? [{ ...problem, severity: 'warning' }] : [],
  );
}
