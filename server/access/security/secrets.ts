import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits as text that is safe in URLs, headers and cookies. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of secrets of 256 random bits: slow hashes are for passwords, which people choose. */
export function sha256(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares two texts in a time that does not depend on where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
