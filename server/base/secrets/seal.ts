import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** An encrypted text, all parts in base64. */
export const Sealed = z.object({ iv: z.string(), tag: z.string(), data: z.string() });
export type Sealed = z.infer<typeof Sealed>;

/** Encrypts with the secrets key. */
export interface Sealer {
  /** `about` describes the text, and is needed to open it. Throws `storage_failed`. */
  seal(text: string, about: string): string;
  /** Throws if the key is another one, or `sealed` or `about` was changed. */
  unseal(sealed: string, about: string): string;
}

/** Also knows the former keys. */
export interface Resealer {
  /** The same sealed with the current key; undefined if it is already. Throws if no key opens it. */
  reseal(sealed: string, about: string): string | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts `text` and binds it to `about`, which stays readable but cannot be changed. */
export function seal(key: Buffer, text: string, about: string): Sealed {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return {
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
}

/** Throws if the key is another one, or a bit of `sealed` or `about` was changed. */
export function unseal(key: Buffer, { iv, tag, data }: Sealed, about: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(iv, 'base64'), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about)).setAuthTag(Buffer.from(tag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8');
}
