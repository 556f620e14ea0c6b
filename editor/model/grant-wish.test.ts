import { expect, test } from 'vitest';
import { lackingConnectionGrant } from '#shared/connection.ts';
import { lackingGrant, type SecretGrants } from '#shared/secret.ts';
import { connectionGrantsWith, secretGrantsWith } from './grant-wish.ts';

const wish = { flow: 'orders', operator: 'http.request', origin: 'https://models.example.com' };

const secrets: readonly SecretGrants[] = [
  {},
  { flows: [] },
  { flows: ['other'], operators: ['code.run'] },
  { hosts: ['api.example.com'] },
  { hosts: ['*.example.com'], operators: ['http.request'] },
  { flows: ['orders'], operators: ['http.request'], hosts: ['models.example.com'] },
];

test.each(secrets)('a secret with %j is granted to the use afterwards, and keeps who had it', (grants) => {
  const made = secretGrantsWith(grants, wish);
  expect(lackingGrant(made, wish)).toBeUndefined();
  for (const list of ['flows', 'operators', 'hosts'] as const)
    expect(made[list] ?? []).toEqual(expect.arrayContaining(grants[list] ?? []));
  // Nobody else gets it, unless the grants name only hosts, which anybody may use then.
  if (made.flows || made.operators)
    expect(lackingGrant(made, { ...wish, flow: 'stranger', operator: 'stranger' })).toBeDefined();
});

test('what is granted already stays as it is', () => {
  const given = secrets.at(-1) as SecretGrants;
  expect(secretGrantsWith(given, wish)).toEqual(given);
});

test.each([{}, { flows: ['other'], drafts: true }, { operators: [] }])(
  'a connection with %j as well',
  (grants) => {
    const made = connectionGrantsWith(grants, wish);
    expect(lackingConnectionGrant(made, wish)).toBeUndefined();
    expect(made.drafts).toBe((grants as { drafts?: boolean }).drafts);
  },
);
