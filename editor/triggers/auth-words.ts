import type { Target } from './tester.ts';

/** Who may call a trigger, in words. */
export function authWords(auth: string, target: Target): string {
  if (target === 'draft') {
    return 'The draft answers you while you are signed in. Others reach it while you listen, by the rules of its trigger.';
  }
  switch (auth) {
    case 'none':
      return 'Open: anyone who can reach this server may call it.';
    case 'api-key':
      return 'Callers send an API key: Authorization: Bearer <key>.';
    default:
      return `Asks for “${auth}”, which this version does not offer yet, so nobody may call it.`;
  }
}
