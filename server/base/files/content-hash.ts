import { hash } from 'node:crypto';

/** The first 16 hex characters of the content's SHA-256: a flow's version, a file's state, a part of a revision. */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex').slice(0, 16);
}
