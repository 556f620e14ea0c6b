import { z } from 'zod';
import { providers } from './providers/all.ts';
import { proxyFields } from '../../proxy-fields.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const VALUE = /^[\x20-\x7e\x80-\xff]*$/;

const address = (doc: string) =>
  z
    .string()
    .trim()
    .max(2000)
    .refine(
      (text) => text === '' || (URL.canParse(text) && /^https?:\/\/[^/?#@\\\s]+[^#@\\\s]*$/i.test(text)),
      'It is an address such as https://login.example.com/token.',
    )
    .default('')
    .describe(doc);

const byHand = 'Only for another provider';

export const settings = z.strictObject({
  provider: z
    .enum(['other', ...providers.keys()])
    .default('other')
    .describe('The service that signs in; other: the addresses below.'),
  grant: z
    .enum(['code', 'device', 'client', 'jwt'])
    .default('code')
    .describe(
      'How the token is got. code: a person signs in and consents in the browser. device: the same on another machine, with a code that is typed there. client: the app itself signs in (client credentials). jwt: a service account signs in with its key (Google).',
    ),
  clientId: z
    .string()
    .trim()
    .max(500)
    .default('')
    .describe('The client id of the app that you registered with the provider.'),
  secret: z
    .string()
    .max(16_384)
    .default('')
    .describe('The client secret of the app; for a service account the whole JSON file of its key.')
    .meta({ format: 'password' }),
  scopes: z
    .array(
      z
        .string()
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/, 'It is a scope: one word without quotes or backslashes.'),
    )
    .max(200)
    .default([])
    .describe('The permissions of flows there, as the provider names them.'),
  tenant: z
    .string()
    .trim()
    .max(200)
    .regex(/^[\w.-]*$/, 'It has letters, digits, dots, _ and - only.')
    .default('')
    .describe(
      'Microsoft: the directory (tenant) of the accounts. Salesforce: the host that signs in. Empty: the usual one.',
    ),
  subject: z
    .string()
    .trim()
    .max(320)
    .default('')
    .describe('The person whom the service account acts for (jwt); empty: the account itself.'),
  issuer: address(
    `${byHand}: its issuer. The other addresses are then read from its description (/.well-known/…), except those that are given here.`,
  ),
  authorizeUrl: address(`${byHand}: the address where people sign in and consent.`),
  tokenUrl: address(`${byHand}: the address that gives tokens.`),
  deviceUrl: address(`${byHand}: the address that gives codes for devices.`),
  revokeUrl: address(`${byHand}: the address that revokes tokens; empty: they are left to expire.`),
  accountUrl: address(`${byHand}: the address that says whose token it is (userinfo).`),
  clientAuth: z
    .enum(['basic', 'post', 'none'])
    .default('basic')
    .describe(`${byHand}: how the client secret is sent: in a header, in the body, or not at all.`),
  parameters: z
    .record(z.string().regex(NAME, 'It is no name of a field.'), z.string().max(2000))
    .default({})
    .describe(
      `${byHand}: more fields of the request, such as audience. They are shown, so put no secrets here.`,
    ),
  address: address(
    `${byHand}: the address that all paths are below, such as https://api.example.com/v1. Tokens go to its host only.`,
  ),
  headers: z
    .record(
      z.string().regex(NAME, 'It is no name of a header.'),
      z.string().max(4000).regex(VALUE, 'It is one line.'),
    )
    .default({})
    .describe('More headers for every request. They are shown, so no secrets.'),
  timeoutMs: z
    .int()
    .min(100)
    .max(60_000)
    .default(15_000)
    .describe('Milliseconds that the provider may take to answer.'),
  ...proxyFields,
});

export type Settings = z.output<typeof settings>;
