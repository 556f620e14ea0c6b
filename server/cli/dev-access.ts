import type { Config } from '../config.ts';
import { type Access, createAccess } from '../security/access.ts';
import { isLoopback } from '../security/hosts.ts';

/**
 * Who may call in dev mode. Where only this machine can, triggers with `api-key` take any caller; elsewhere they take the
 * keys of WEFT_API_KEYS.
 */
export function createDevAccess(config: Config): Access {
  const access = createAccess(config, []);
  return isLoopback(config.host) ? { ...access, keyHasScope: () => true } : access;
}

/** What to know about calling triggers with `api-key`. */
export function keyNote(config: Config): string {
  if (isLoopback(config.host)) {
    return `Triggers with the auth \`api-key\` answer without a key, since only this machine can reach ${config.host}.`;
  }
  return config.apiKeys.length > 0
    ? 'Triggers with the auth `api-key` take the keys of WEFT_API_KEYS.'
    : `Triggers with the auth \`api-key\` answer nobody, since others can reach ${config.host}: set WEFT_API_KEYS, or use --host 127.0.0.1.`;
}
