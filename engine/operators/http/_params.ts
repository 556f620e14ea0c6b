import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { literal } from '../../base/operator.ts';
import { headerFields } from '../_headers.ts';
import { secretReference } from '../_secret.ts';

/** The parts of a request, as the params of `http.request`. */

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export const auth = z.object({
  type: z
    .enum(['none', 'bearer', 'basic', 'header', 'query', 'address', 'digest', 'aws'])
    .default('none')
    .describe(
      'How the secret is sent: as a bearer token, password, header or query field, or in the address, where {secret} stands in it. With digest and aws the request is signed with it, and it is not sent.',
    ),
  secret: secretReference
    .describe('The secret, by its name: { "$secret": "name" }.')
    .optional()
    .meta({ when: { param: 'type', not: ['none'] } }),
  username: z
    .string()
    .max(500)
    .optional()
    .describe('The user name that goes with a password; with aws the id of the access key.')
    .meta({ when: { param: 'type', is: ['basic', 'digest', 'aws'] } }),
  name: z
    .string()
    .max(200)
    .optional()
    .describe('The name of the header or query field.')
    .meta({ when: { param: 'type', is: ['header', 'query'] } }),
  region: z
    .string()
    .max(100)
    .optional()
    .describe('With aws: the region, such as eu-central-1; by default as the host says.')
    .meta({ when: { param: 'type', is: ['aws'] } }),
  service: z
    .string()
    .max(100)
    .optional()
    .describe('With aws: the service, such as execute-api or s3; by default as the host says.')
    .meta({ when: { param: 'type', is: ['aws'] } }),
});

const STATUS = /^[1-5](?:\d\d|xx)$/;

export const params = z.object({
  method: z.enum(METHODS).default('GET').describe('The HTTP method.'),
  connection: literal(
    z
      .string()
      .regex(ID_PATTERN)
      .optional()
      .describe(
        'The name of a connection to an HTTP service or of a sign-in by OAuth2, which has the address and credentials.',
      )
      .meta({ widget: 'connection', kinds: ['http', 'oauth2'] }),
  ),
  url: z
    .string()
    .min(1)
    .max(8192)
    .describe(
      'The address, such as https://api.example.com/items/{{ urlEncode(input.id) }}; with a connection the path below its address, such as /items, or a whole address on one of its hosts.',
    ),
  query: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Fields to add to the address; a list repeats its field, null leaves it out.'),
  headers: headerFields.default({}).describe('Headers to send, by name.'),
  auth: auth.prefault({}).describe('Credentials, from a secret.').meta({ title: 'Credentials' }),
  bodyType: z
    .enum(['none', 'json', 'form', 'multipart', 'text', 'bytes'])
    .default('none')
    .describe('How the body is written.'),
  body: z
    .unknown()
    .optional()
    .describe(
      'The body: any value for JSON, an object of fields for forms (files may be among them), otherwise a text, bytes or a file.',
    )
    .meta({ widget: 'value' })
    .meta({ when: { param: 'bodyType', not: ['none'] } }),
  response: z
    .enum(['auto', 'any', 'json', 'text', 'bytes', 'file', 'stream'])
    .default('auto')
    .describe(
      'How the answer is read; auto follows its type, any too, but stores as a file what is neither JSON nor text, file stores it as a file, stream passes it on piece by piece.',
    ),
  failOn: z
    .array(z.string().regex(STATUS, 'must be a status like 404, or a class like 5xx'))
    .max(100)
    .default(['4xx', '5xx'])
    .describe('Statuses that count as failures: 404 or whole classes like 5xx. Empty: none do.'),
  cookies: z
    .enum(['none', 'run'])
    .default('none')
    .describe(
      'Whether cookies of the answers are sent again. run: with later requests of this run to the same host, as long as their nodes say so too. They are in memory, so not in durable runs.',
    ),
  redirects: z.int().min(0).max(20).default(5).describe('How many redirects to follow.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(30_000)
    .describe(
      'Milliseconds from the call to the last byte of the answer, including the wait for a connection.',
    ),
  maxBytes: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(10_000_000)
    .describe('Largest answer in bytes, after decompression.'),
  idempotencyKey: z
    .boolean()
    .default(true)
    .describe('Whether requests that change something carry an Idempotency-Key, the same for each attempt.')
    .meta({ when: { param: 'method', is: ['POST', 'PUT', 'PATCH', 'DELETE'] } }),
});

export type Params = z.output<typeof params>;
