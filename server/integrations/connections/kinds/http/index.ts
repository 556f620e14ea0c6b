import { z } from 'zod';
import { WeftError } from '#engine';
import { defineKind } from '../../kind.ts';
import { authoritiesField, clientCertificateField, clientTls } from '../../pem.ts';
import { proxyFields } from '../../proxy-fields.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Characters of header names. */
const VALUE = /^[\x20-\x7e\x80-\xff]*$/;

const settings = z.strictObject({
  address: z
    .url({ protocol: /^https?$/, error: 'It is an address such as https://api.example.com/v1.' })
    .max(2000)
    .refine(
      (text) => !/[?#\s\\]|^[a-z]+:\/\/[^/]*@/i.test(text),
      'It is an address without a query and without a user.',
    )
    .describe(
      'The address that all paths are below, such as https://api.example.com/v1. Private addresses are allowed once saved.',
    ),
  auth: z
    .enum(['none', 'bearer', 'basic', 'header', 'address', 'digest', 'aws'])
    .default('bearer')
    .describe(
      'How the secret is used. It is sent as a bearer token, as the password of a user, in a header, or in the address, where `{secret}` stands in its path or query; or requests are signed with it, and it is not sent (digest, aws).',
    )
    .meta({
      labels: {
        none: 'No secret',
        bearer: 'Bearer token',
        basic: 'User and password',
        header: 'Secret in a header',
        address: 'Secret in the address',
        digest: 'Digest',
        aws: 'Signature of AWS',
      },
    }),
  user: z
    .string()
    .max(500)
    .default('')
    .describe('The user whose password the secret is (basic, digest), or the id of the access key (aws).')
    .meta({ when: { param: 'auth', is: ['basic', 'digest', 'aws'] } }),
  header: z
    .string()
    .trim()
    .regex(NAME, 'It is the name of a header.')
    .default('X-Api-Key')
    .describe('The header with the secret (header).')
    .meta({ when: { param: 'auth', is: ['header'] } }),
  secret: z
    .string()
    .max(8192)
    .regex(VALUE, 'It is one line.')
    .default('')
    .describe('The token, the password or the key.')
    .meta({ format: 'password', when: { param: 'auth', not: ['none'] } }),
  region: z
    .string()
    .trim()
    .regex(/^[a-zA-Z0-9-]{0,64}$/, 'It is a name such as eu-central-1.')
    .default('')
    .describe('The region (aws), such as eu-central-1; empty: as the host says.')
    .meta({ group: 'Signatures of AWS', when: { param: 'auth', is: ['aws'] } }),
  service: z
    .string()
    .trim()
    .regex(/^[a-zA-Z0-9-]{0,64}$/, 'It is a name such as execute-api.')
    .default('')
    .describe('The service (aws), such as execute-api, es or s3; empty: as the host says.')
    .meta({ group: 'Signatures of AWS', when: { param: 'auth', is: ['aws'] } }),
  headers: z
    .record(
      z.string().regex(NAME, 'It is no name of a header.'),
      z.string().max(4000).regex(VALUE, 'It is one line.'),
    )
    .default({})
    .describe('More headers for every request. They are shown, so no secrets.')
    .meta({ group: 'Requests' }),
  testPath: z
    .string()
    .max(2000)
    .default('')
    .describe('The path that the test of this connection requests, such as /me. Empty: the address itself.')
    .meta({ group: 'Test' }),
  timeoutMs: z
    .int()
    .min(100)
    .max(600_000)
    .default(15_000)
    .describe('Milliseconds that the test waits for an answer.')
    .meta({ group: 'Test' }),
  ca: authoritiesField,
  clientCertificate: clientCertificateField,
  ...proxyFields,
});

export default defineKind({
  use: 'http',
  name: 'http',
  title: 'HTTP',
  doc: 'A service with an HTTP API. Requests of nodes are below its address and get its credentials, which go to no other server.',
  settings,
  harmless: { address: 'same-origin', headers: 'any', testPath: 'any', timeoutMs: 'any' },
  address: ({ address }) => new URL(address),
  headers: ({ headers }) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  credentials({ auth, user, header, secret }) {
    if (auth === 'basic')
      return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
    if (secret === '') return {};
    if (auth === 'bearer') return { authorization: `Bearer ${secret}` };
    return auth === 'header' ? { [header.toLowerCase()]: secret } : {};
  },
  signing({ auth, user, secret, region, service }) {
    if ((auth === 'digest' || auth === 'aws') && user === '')
      throw new WeftError(
        'connection_refused',
        `Enter ${auth === 'aws' ? 'the id of the access key' : 'the name of the user'} as \`user\` of the connection.`,
      );
    if (auth === 'digest') return { scheme: auth, user, password: secret };
    if (auth !== 'aws') return undefined;
    return { scheme: auth, accessKey: user, secretKey: secret, sessionToken: '', region, service };
  },
  inAddress: ({ auth, secret }) => (auth === 'address' ? secret : undefined),
  tls: ({ ca, clientCertificate }) => clientTls(ca, clientCertificate),
  async about({ testPath, timeoutMs }, http, signal) {
    const request = {
      method: 'GET',
      headers: {},
      body: undefined,
      redirects: 5,
      timeoutMs,
      maxBytes: 10_000_000,
    };
    const { status, url, body } = await http({ ...request, url: testPath }, signal);
    // The first chunk shows that it answers.
    for await (const _ of body) break;
    const { host } = new URL(url);
    if (status === 401 || status === 403)
      throw new WeftError('connection_refused', `${host} refuses the credentials (status ${status}).`);
    if (status >= 500) throw new WeftError('connection_failed', `${host} answers with status ${status}.`);
    return `${host}, with status ${status}`;
  },
});
