import { z } from 'zod';
import {
  customSignature,
  SECRET_HEADER,
  signatureAlgorithms,
  signaturePresets,
} from '#shared/trigger-auth.ts';
import { HEADER_NAME } from '../_headers.ts';
import { secretReference } from '../_secret.ts';

const headerName = z.string().min(1).max(200).regex(HEADER_NAME, 'must be a header name');

const hmac = z
  .object({
    type: z.literal('hmac'),
    preset: z
      .enum(signaturePresets)
      .default('custom')
      .describe('Whose signature format it is; `custom` takes the fields below.'),
    secret: secretReference.describe('The shared secret: { "$secret": "name" }.'),
    header: headerName.default(customSignature.header).describe('The header that carries the signature.'),
    algorithm: z
      .enum(signatureAlgorithms)
      .default(customSignature.algorithm)
      .describe('The hash function of the HMAC.'),
    encoding: z
      .enum(['hex', 'base64'])
      .default(customSignature.encoding)
      .describe('How the signature is encoded.'),
    prefix: z
      .string()
      .max(50)
      .regex(/^[\x21-\x7e]*$/, 'must be printable text without blanks')
      .default(customSignature.prefix)
      .describe('The text before the signature, such as sha256=.')
      .meta({ says: 'write letters, digits and signs without blanks' }),
    timestampHeader: headerName
      .optional()
      .describe(
        'The header with the time of sending in Unix seconds. If set, `<time>.<body>` is signed, and a request that is older than the tolerance, or repeated, is refused.',
      ),
    tolerance: z
      .int()
      .min(1)
      .max(86_400)
      .default(customSignature.tolerance)
      .describe('How far the time of sending may be off, in seconds.'),
  })
  .meta({ title: 'Signed requests' });

const basic = z
  .object({
    type: z.literal('basic'),
    user: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[\x20-\x39\x3b-\x7e\u00a0-\uffff]+$/, 'must be printable text without a colon')
      .describe('The user name.')
      .meta({ says: 'write a name without a colon' }),
    secret: secretReference.describe('The password, as a secret: { "$secret": "name" }.'),
  })
  .meta({ title: 'User and password' });

const header = z
  .object({
    type: z.literal('header'),
    header: headerName.default(SECRET_HEADER).describe('The header that carries the secret.'),
    secret: secretReference.describe('The value of the header, as a secret: { "$secret": "name" }.'),
  })
  .meta({ title: 'Secret in a header' });

const claim = z.string().min(1).max(500);

const jwt = z
  .object({
    type: z.literal('jwt'),
    issuer: claim.describe('Who signs the tokens: the claim `iss`, such as https://login.example.com.'),
    audience: claim.describe('Who they are for: the claim `aud`. Tokens for others are refused.'),
    jwks: z
      .url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' })
      .max(2000)
      .optional()
      .describe('The address of the keys of the issuer; found below the issuer if it is left out.'),
  })
  .meta({ title: 'Token of an issuer (JWT)' });

const keyedJwt = z
  .object({
    type: z.literal('jwt-secret'),
    secret: secretReference.describe(
      'The secret that both sides share, or the public key in PEM, as a secret: { "$secret": "name" }.',
    ),
    issuer: claim.optional().describe('Who signs the tokens: the claim `iss`.'),
    audience: claim.optional().describe('Who they are for: the claim `aud`.'),
  })
  .meta({ title: 'Token with a shared key (JWT)' });

/** The param `auth` of HTTP triggers. */
export const triggerAuth = z.union([z.enum(['none', 'api-key']), hmac, basic, header, jwt, keyedJwt]);

/** The settings as a flow file has them. */
export type TriggerAuthParam = z.input<typeof triggerAuth>;
