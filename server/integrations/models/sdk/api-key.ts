import { WeftError } from '#engine';

/** A header can carry it; many a copied key ends with a line break. */
const KEY = /^[\x21-\x7e]+$/;

/** Throws `model_refused` for a key that no request can carry. `secret`: its name, and perhaps whose it is. */
export function checkKey(key: string, secret: string): void {
  if (KEY.test(key)) return;
  const why = 'it contains whitespace, line breaks or characters that no key has';
  throw new WeftError('model_refused', `The secret ${secret} is not an API key: ${why}.`);
}
