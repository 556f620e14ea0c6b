import type { Config } from '../../../base/config/config.ts';
import { terminalSecrets } from '../../../base/secrets/environment.ts';
import { createAccess } from '../../../access/security/access.ts';
import { isLoopback } from '../../../base/config/hosts.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { createTriggerGate, type TriggerGate } from '../../../access/security/auth/gate.ts';
import { isForeignPage } from '../../../access/security/origin.ts';

/** Admits any program without credentials; a page only where the trigger is open to everyone anyway. */
function openGate(config: Config): TriggerGate {
  return {
    isOpen: ({ auth }, request) => auth === 'none' || !isForeignPage(request, config),
    admit({ auth }, request) {
      if (auth !== 'none' && isForeignPage(request.raw, config))
        throw new ServiceError('bad_origin', FOREIGN);
      return undefined;
    },
    keyOf: () => undefined,
    callerOf: () => 'anyone',
  };
}

const FOREIGN =
  'Pages of other sites may not call this trigger: `weft dev` asks nobody on this machine for the key that it needs elsewhere. Name the origin of your own page in WEFT_CORS_ORIGINS.';

/**
 * Decides who may call in dev mode. If only this machine can reach the server, triggers admit any program on it, but no page of another
 * site that a browser here has open; otherwise they accept the keys of WEFT_API_KEYS, and check passwords and signatures with
 * the secrets of WEFT_SECRET_<NAME>.
 */
export function createDevGate(config: Config): TriggerGate {
  if (isLoopback(config.host)) return openGate(config);
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
