import type { Config } from '../../config/config.ts';
import { terminalSecrets } from '../../secrets/environment.ts';
import { createAccess } from '../../security/access.ts';
import { isLoopback } from '../../config/hosts.ts';
import { createTriggerGate, type TriggerGate } from '../../security/auth/gate.ts';

/** Admits any caller without credentials. */
const openGate: TriggerGate = {
  isOpen: () => true,
  admit: () => undefined,
  keyOf: () => undefined,
  callerOf: () => 'anyone',
};

/**
 * Who may call in dev mode. If only this machine can reach the server, triggers admit any caller; otherwise they accept
 * the keys of WEFT_API_KEYS, and check passwords and signatures with the secrets of WEFT_SECRET_<NAME>.
 */
export function createDevGate(config: Config): TriggerGate {
  if (isLoopback(config.host)) return openGate;
  const secrets = terminalSecrets(config.secrets);
  return createTriggerGate({ access: createAccess(config, []), secrets, now: Date.now });
}

/** A note on calling triggers that require credentials. */
export function authNote(config: Config): string {
  if (isLoopback(config.host)) {
    return `Triggers answer without the key, password or signature that they require, since only this machine can reach ${config.host}.`;
  }
  return config.apiKeys.length > 0
    ? 'Triggers with the auth `api-key` accept the keys of WEFT_API_KEYS.'
    : `Triggers with the auth \`api-key\` answer nobody, since others can reach ${config.host}: set WEFT_API_KEYS, or use --host 127.0.0.1.`;
}
