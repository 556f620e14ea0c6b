import { expect, test } from 'vitest';
import { importedShort } from './testing/service-bed.ts';
import { allLines } from './services/all-lines.ts';
import { authenticationOf } from './services/authentications.ts';
import { kindOf } from './credentials.ts';

/** The report says how the connections for credentials have to be made. */

test('what the report says of the connection for a credential', async () => {
  const { report } = await importedShort({
    nodes: {
      Hook: ['webhook@2', { path: 'job', httpMethod: 'POST', responseMode: 'lastNode' }],
      Node: [
        'clockify@1',
        { resource: 'workspace', operation: 'getAll' },
        { credentials: { clockifyApi: { id: '1', name: 'Hours' } } },
      ],
    },
    wires: ['Hook > Node'],
  });
  expect(report.needs.map(({ message }) => message)).toContain(
    'Make the connection hours of the kind http, which was the credential “Hours”. Its address is `https://api.clockify.me/api/v1`. Its `auth` is `header`, with the header `X-Api-Key`.',
  );
});

test.each([
  ['harvestApi', 'Its `auth` is `bearer`.'],
  ['lemlistApi', 'Its `auth` is `basic`: the user is left empty, and the secret is the key.'],
  ['nasaApi', 'Its `auth` is `address`.'],
  ['koBoToolboxApi', 'with the header `Authorization`, and its secret is `Token …`'],
  ['discourseApi', 'It also has the header `Api-Username`.'],
  ['copperApi', 'It also has the headers `X-PW-Application: developer_api` and `X-PW-UserEmail`.'],
])('%s: %s', (type, said) => {
  expect(authenticationOf(type)).toContain(said);
});

/** Those with two secrets, with none, or with a session that a connection does not keep. */
const UNSAID = [
  'SinergiaCRMCredentials',
  'coinGeckoApi',
  'demioApi',
  'klickTippApi',
  'none',
  'openThesaurusApi',
  'trelloApi',
];

test('each service in lines whose connection is of the kind http says how it is authenticated', () => {
  const types = Object.values(allLines).map(({ credential }) => credential);
  const unsaid = new Set(
    types.filter((type) => kindOf(type).kind === 'http' && !authenticationOf(type).includes('auth')),
  );
  expect([...unsaid].sort()).toEqual(UNSAID);
});
