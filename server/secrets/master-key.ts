import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeOwnFileSync } from '../files/atomic-file.ts';
import { StartError } from '../errors/start-error.ts';

/** Bytes of a key for AES-256. */
const KEY_BYTES = 32;

/** The key in a text of 64 hexadecimal or 43 base64 characters; undefined for other texts. */
export function readKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  const key = /^[\w+/-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined;
  return key?.length === KEY_BYTES ? key : undefined;
}

/**
 * The key in the key file; undefined if there is no file. Throws a `StartError` if it is damaged or readable by
 * others.
 */
export function keptKey(data: string): Buffer | undefined {
  const file = keyFile(data);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new StartError(`Other users can read the secrets key: run \`chmod 600 ${file}\`.`);
  }
  const key = readKey(readFileSync(file, 'utf8'));
  if (key) return key;
  throw new StartError(`The secrets key, ${file}, is damaged. Restore a copy, or set WEFT_SECRETS_KEY.`);
}

/** Creates a key and its file, readable only by the owner. Throws `storage_failed`. */
export function makeKey(data: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  writeOwnFileSync(keyFile(data), `${key.toString('base64')}\n`);
  return key;
}

function keyFile(data: string): string {
  return join(data, 'secrets.key');
}
