import { expect, test } from 'vitest';
import { catalog } from '../model/testing/catalog.ts';
import { triggersOf } from '../model/form/triggers.ts';
import { authWords } from './auth-labels.ts';

function words(auth: unknown): string {
  const params = { path: '/a', ...(auth !== undefined && { auth }) };
  const nodes = { t: { operator: 'trigger.http', params } };
  const [trigger] = triggersOf({ format: 1, id: 'f', nodes, edges: [] }, catalog);
  if (!trigger?.http) throw new Error('no HTTP trigger');
  return authWords(trigger.http, 'live');
}

test.each([
  ['none', 'Open: anyone'],
  [undefined, 'an API key: Authorization: Bearer <API key>'],
  [{ type: 'basic', user: 'ada', secret: { $secret: 's' } }, 'Authorization: Basic base64(ada:<password>)'],
  [
    { type: 'hmac', preset: 'github', secret: { $secret: 's' } },
    'x-hub-signature-256: sha256=<hex of HMAC-SHA256(secret, body)>',
  ],
  [
    { type: 'hmac', preset: 'slack', secret: { $secret: 's' } },
    'x-slack-request-timestamp: <Unix seconds> and x-slack-signature: v0=<hex of HMAC-SHA256(secret, "v0:<time>:" + body)>',
  ],
  [
    { type: 'hmac', header: 'x-mine', algorithm: 'sha512', encoding: 'base64' },
    'x-mine: <base64 of HMAC-SHA512(',
  ],
  [{ type: 'basic' }, 'without the required settings'],
  ['hmac', 'without the required settings'],
])('a trigger with the auth %j tells what callers have to send', (auth, expected) => {
  expect(words(auth)).toContain(expected);
});
