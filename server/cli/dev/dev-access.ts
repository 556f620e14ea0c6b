import type { Config } from '../../config/config.ts';
import { terminalSecrets } from '../../secrets/environment.ts';
import { createAccess } from '../../security/access.ts';
import { isLoopback } from '../../config/hosts.ts';
import { createTriggerGate, type TriggerGate } from '../../security/auth/gate.ts';

/** Takes any caller; there is nothing to ask. */
const openGate: TriggerGate = {
  isOpen: () => true,
  admit: () => undefined,
  keyOf: () => undefined,
  callerOf: () => 'anyone',
};

/**
 * Who may call in dev mode. Where only this machine can, triggers take any caller; elsewhere they take the keys of
 * WEFT_API_KEYS, and passwords and signatures by the secrets of WEFT_SECRET_<NAME>.
 */
export function createDevGate(config: Config): TriggerGate {
  if (isLoopback(config.host)) return openGate;
  const secrets = terminalSecrets(config.secrets);
  return createTriggerGate({ access: createAccess(config, []), secrets, now: Date.now });
}

/** What to know about calling triggers that ask who calls. */
export function authNote(config: Config): string {
  if (isLoopback(config.host)) {
    return `Triggers answer without the key, password or signature that they ask for, since only this machine can reach ${config.host}.`;
  }
  return config.apiKeys.length > 0
    ? 'Triggers with the auth `api-key` take the keys of WEFT_API_KEYS.'
    : `Triggers with the auth \`api-key\` answer nobody, since others can reach ${config.host}: set WEFT_API_KEYS, or use --host 127.0.0.1.`;
}
