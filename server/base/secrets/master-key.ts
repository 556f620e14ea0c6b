import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
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

/** The keys of a shared database, from the settings. Throws a `StartError` without one. */
export function readKeys(given: {
  readonly secretsKey?: string | undefined;
  readonly secretsKeyNext?: string | undefined;
}): { readonly key: Buffer; readonly nextKey: Buffer | undefined } {
  const key = readKey(given.secretsKey ?? '');
  if (key === undefined) throw new StartError('WEFT_DATABASE_URL needs WEFT_SECRETS_KEY.');
  return { key, nextKey: readKey(given.secretsKeyNext ?? '') };
}

/**
 * The key in the key file; undefined if there is no file. Throws a `StartError` if it is damaged or readable by
 * others.
 */
export function keptKey(data: string): Buffer | undefined {
  return keyIn(keyFile(data));
}

/** That key, and the next one if a process was killed while replacing it. Throws like `keptKey`. */
export function keptKeys(data: string): (Buffer | undefined)[] {
  return [keptKey(data), keyIn(nextKeyFile(data))];
}

/** Creates a key and its file, readable only by the owner. Throws `storage_failed`. */
export function makeKey(data: string): Buffer {
  const key = newKey();
  writeOwnFileSync(keyFile(data), textOf(key));
  return key;
}

export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Stores the next key, which is about to replace the one in the key file. Throws `storage_failed`. */
export function announceKey(data: string, key: Buffer): void {
  writeOwnFileSync(nextKeyFile(data), textOf(key));
}

/** Moves the next key to the key file, if `key` is that one. */
export function settleKey(data: string, key: Buffer): void {
  const next = nextKeyFile(data);
  const announced = keyIn(next);
  if (announced === undefined) return;
  if (announced.equals(key)) renameSync(next, keyFile(data));
  else rmSync(next);
}

function keyIn(file: string): Buffer | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new StartError(`Other users can read the secrets key: run \`chmod 600 ${file}\`.`);
  }
  const key = readKey(readFileSync(file, 'utf8'));
  if (key) return key;
  throw new StartError(`The secrets key, ${file}, is damaged. Restore a copy, or set WEFT_SECRETS_KEY.`);
}

function textOf(key: Buffer): string {
  return `${key.toString('base64')}\n`;
}

function keyFile(data: string): string {
  return join(data, 'secrets.key');
}

function nextKeyFile(data: string): string {
  return join(data, 'secrets.key.next');
}
