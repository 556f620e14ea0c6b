import { headersToSend, type TriggerAuth } from '#shared/trigger-auth.ts';
import { recordOf } from '../model/form/schema-shapes.ts';
import type { HttpTrigger } from '../model/form/triggers.ts';
import type { Target } from './tester.ts';

/** Who may call a trigger and what callers must send, in words. */
export function authWords(http: Pick<HttpTrigger, 'auth' | 'authParam'>, target: Target): string {
  const { auth, authParam } = http;
  if (target === 'draft') {
    return 'The draft answers you while you are signed in. Others reach it while you listen, by the rules of its trigger.';
  }
  if (auth === 'none') return 'Open: anyone who can reach this server may call it.';
  const lead = leads[auth];
  if (lead === undefined || !isWhole(authParam)) {
    return `Asks for “${auth}” without the required settings, so nobody may call it.`;
  }
  return `${lead} ${headersToSend(authParam).join(' and ')}`;
}

const leads: Readonly<Record<string, string>> = {
  'api-key': 'Callers send an API key:',
  hmac: 'Callers sign the raw body, which this form cannot do (try the draft here):',
  basic: 'Callers send a user name and a password:',
  header: 'Callers send a secret in a header:',
  jwt: 'Callers send a token that the issuer has signed for them:',
  'jwt-secret': 'Callers send a token that is signed with the shared key:',
};

/** The texts without which a kind of `auth` means nothing. */
const needs: Readonly<Record<string, readonly string[]>> = {
  hmac: [],
  basic: ['user'],
  header: [],
  jwt: ['issuer', 'audience'],
  'jwt-secret': [],
};

function isWhole(auth: unknown): auth is TriggerAuth {
  const settings = recordOf(auth);
  if (!settings) return auth === 'api-key';
  const needed = needs[String(settings['type'])];
  return needed !== undefined && needed.every((name) => typeof settings[name] === 'string');
}
