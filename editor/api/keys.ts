import type { CreatedKey, KeyBody, KeyInfo } from '#shared/key.ts';
import { call } from './client.ts';

/** API keys. A key is shown only once, in the answer to its creation. */
const KEYS = '/api/v1/keys';
const schemas = () => import('./service-schemas.ts');

export const listKeys = (): Promise<KeyInfo[]> => call(async () => (await schemas()).Keys, 'GET', KEYS);

export const createKey = (body: KeyBody): Promise<CreatedKey> =>
  call(async () => (await schemas()).CreatedKey, 'POST', KEYS, { body });

export const revokeKey = (id: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', `${KEYS}/${encodeURIComponent(id)}`);
