import type { Connections } from '../../integrations/connections/connections.ts';
import { newKey, readKey } from '../../base/secrets/master-key.ts';
import type { SecretStore } from '../../base/secrets/store.ts';

/** The numbers of resealed values. */
export interface Rotated {
  readonly secrets: number;
  readonly connections: number;
}

interface Deps {
  readonly secrets: Pick<SecretStore, 'rotate' | 'list'>;
  readonly connections: Pick<Connections, 'sealAnew'>;
}

/** Seals secrets and connections again with another key, given as text or made here. Rejects with `storage_failed`. */
export async function rotateSecrets(
  { secrets, connections }: Deps,
  given: string | undefined,
): Promise<Rotated> {
  await secrets.rotate(readKey(given ?? '') ?? newKey());
  // After the secrets: a connection saved meanwhile is already sealed with the new key.
  const sealed = await connections.sealAnew();
  return { secrets: secrets.list().filter(({ source }) => source === 'file').length, connections: sealed };
}
