import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { SecretGrants } from '#shared/secret.ts';
import { StartError } from '../errors/start-error.ts';
import { FormerKeys } from './former-keys.ts';
import { Sealed, seal, unseal } from './seal.ts';

/** A secret in the file. For the source `environment` only its grants are stored here. */
const Entry = z.object({
  source: z.enum(['file', 'environment']),
  // Earlier versions accepted invalid hosts: they allow nothing, and must not prevent a start.
  grants: SecretGrants.extend({ hosts: z.array(z.string().min(1)).optional() }),
  updatedAt: z.iso.datetime(),
  value: Sealed,
});
type Entry = z.infer<typeof Entry>;

/** `store` is the mark of the data folder's manifest, which stays unchanged. */
const SecretsFile = z.object({
  format: z.literal(1),
  secrets: z.record(z.string(), Entry),
  store: z.unknown().optional(),
  former: FormerKeys.optional(),
});
type SecretsFile = z.infer<typeof SecretsFile>;
export type SecretEntries = SecretsFile['secrets'];

/** The stored facts of one secret. */
export type KeptSecret = Omit<Entry, 'value'> & { readonly value: string };

/** The file, its entries still sealed; without entries if there is none. Throws a `StartError` if it is damaged. */
export function readSecretsFile(file: string): SecretsFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { format: 1, secrets: {} };
    throw new StartError(`The secrets in ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const result = SecretsFile.safeParse(parsed(text));
  if (result.success) return result.data;
  throw new StartError(
    `The secrets in ${file} are damaged: restore a copy, or move the file away to start without it.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entry in a JSON value. Throws if it is not an entry. */
export function readEntry(value: unknown): Entry {
  return Entry.parse(value);
}

/** The text of the file. */
export function secretsText(file: SecretsFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The secret as an entry, its value sealed together with its name and grants. */
export function sealEntry(key: Buffer, name: string, { value, ...facts }: KeptSecret): Entry {
  return { ...facts, value: seal(key, value, bound(name, facts)) };
}

/** Throws if the key does not fit, or if the entry, its grants or its name were changed. */
export function openEntry(key: Buffer, name: string, { value, ...facts }: Entry): KeptSecret {
  return { ...facts, value: unseal(key, value, bound(name, facts)) };
}

/** The part that must not change without the key: a wider grant is worth as much as the value. */
function bound(name: string, { source, grants, updatedAt }: Omit<Entry, 'value'>): string {
  const { operators, hosts, flows } = grants;
  return JSON.stringify([1, name, source, operators ?? null, hosts ?? null, flows ?? null, updatedAt]);
}
