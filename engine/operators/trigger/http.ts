import { z } from 'zod';
import { defineOperator, literal, output } from '../../base/operator.ts';
import { CallRate } from '#shared/rate.ts';
import { headerFields } from '../_headers.ts';
import { secretReference } from '../_secret.ts';
import { triggerAuth } from './_auth.ts';

const methods = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const PATH = /^(?!.*\{\{)[^\s?#]+$/;

const response = z.object({
  as: z
    .enum(['json', 'text', 'sse', 'raw-sse', 'ndjson', 'bytes', 'request'])
    .default('json')
    .describe(
      'How the result is written: `json` whole, all others item by item as they arrive. `text` unchanged, `sse` as server-sent events, `raw-sse` as events that the flow has written itself, `ndjson` as one line of JSON each, `bytes` untouched. `request`: a stream is sent as events if the request says `stream: true`; everything else is JSON.',
    ),
  stream: z
    .enum(['sse', 'raw-sse', 'text', 'ndjson', 'bytes'])
    .optional()
    .describe('With `request`: how a stream is written; `sse` by default.')
    .meta({ when: { param: 'as', is: ['request'] } }),
  status: z.int().min(200).max(299).optional().describe('Status of a successful answer; 200 by default.'),
  headers: headerFields.optional().describe('Headers to add to a successful answer.'),
});

const limits = z.object({
  bytes: z
    .int()
    .min(1024)
    .max(100 * 1024 * 1024)
    .optional()
    .describe('Bytes of its body; 1,048,576 by default, 10,485,760 if an API key is required.'),
  names: z
    .int()
    .min(1)
    .max(5_000_000)
    .optional()
    .describe('Number of field names in JSON, over all objects; 50,000 by default.'),
  elements: z
    .int()
    .min(1)
    .max(5_000_000)
    .optional()
    .describe('Number of values in JSON, over all objects and lists; 200,000 by default.'),
  fileBytes: z
    .int()
    .min(1)
    .max(100 * 1024 ** 3)
    .optional()
    .describe('Bytes of each uploaded file; as many as `bytes` by default.'),
  filesBytes: z
    .int()
    .min(1)
    .max(100 * 1024 ** 3)
    .optional()
    .describe('Bytes of all files of a request together; as many as one file may have by default.'),
  files: z.int().min(1).max(1000).optional().describe('Number of files in a form; 10 by default.'),
});

const notify = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' })
    .max(2000)
    .describe('Address of the POST.'),
  secret: secretReference
    .optional()
    .describe('Signs it, in the form that a trigger with `hmac` checks: { "$secret": "name" }.'),
});

export default defineOperator({
  title: 'HTTP request',
  doc: 'Starts the flow when a request arrives at its path under /api/v1/awel/trigger. The request is checked against the request model first; the last node’s output, or a respond node, is the answer.',
  icon: 'globe',
  summary: '{methods} {path|route}',
  synonyms:
    'webhook, api endpoint, endpoint, http in, http trigger, rest api, callback, incoming request, url, start',
  params: z.object({
    path: z
      .string()
      .min(1)
      .max(500)
      .regex(PATH, 'must not contain blanks, ? or #, or expressions')
      .describe('The path that the flow serves, such as /examples/hello or /items/:id.')
      .meta({ says: 'write a path such as /orders, without blanks, ? and #' }),
    methods: z
      .array(methods)
      .min(1)
      .refine((list) => new Set(list).size === list.length, 'must name each method once')
      .default(['GET'])
      .describe('The HTTP methods that start it. GET and DELETE read the query, the others the body.'),
    auth: triggerAuth
      .default('api-key')
      .describe(
        'Who may call it: anyone (`none`), holders of an API key, of a secret in a header or of a token (JWT), senders of signed requests, or a user with a password.',
      ),
    request: literal(
      z
        .record(z.string(), z.unknown())
        .optional()
        .describe(
          'JSON Schema of the request: its fields with types, defaults and whether they are required.',
        )
        .meta({ widget: 'schema' }),
    ),
    otherFields: z
      .enum(['keep', 'drop'])
      .default('keep')
      .describe('Whether fields of a body that the request schema does not name are passed to the flow.'),
    memory: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'The field of the request that names a conversation, such as `conv_uid`: the flow gets the earlier messages as `history`, and the answer is stored.',
      ),
    accept: z
      .array(z.enum(['json', 'form', 'text', 'multipart', 'bytes']))
      .min(1)
      .default(['json'])
      .describe(
        'The content types that it reads. `multipart`: a form with files, which become file values in its fields. `bytes`: any other body, as one file.',
      )
      .meta({ title: 'Content types' }),
    limits: limits
      .optional()
      .describe('How much a request may contain, if that differs from the usual limits.'),
    rate: CallRate.optional().describe(
      'How often it may be called; further calls get 429 with Retry-After. Without it there is no limit.',
    ),
    answer: z
      .enum(['result', 'immediately'])
      .default('result')
      .describe('Whether the caller waits for the result, or gets 202 and the id of the run at once.'),
    notify: notify
      .optional()
      .describe(
        'An address that gets the answer, or the error, at the end of a run that outlives its request.',
      ),
    response: response
      .prefault({})
      .describe('How the answer is written.')
      .meta({ when: { param: 'answer', is: ['result'] } }),
  }),
  options: {
    Request: ['accept', 'otherFields', 'memory'],
    Answer: ['answer', 'response', 'notify'],
    Limits: ['limits', 'rate'],
  },
  inputs: {},
  outputs: {
    out: output({
      doc: 'The checked request with its defaults filled in: query and path fields, or the body.',
    }),
  },
  infer: { outputs: { out: { schemaIn: 'request' } } },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'A greeting that anyone may call',
      params: {
        path: '/examples/hello',
        methods: ['GET'],
        auth: 'none',
        request: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', description: 'user name' },
            age: { type: 'integer', default: 18, description: 'user age' },
          },
        },
      },
      outputs: { out: { name: 'Ada', age: 18 } },
    },
    {
      title: 'A webhook of GitHub, signed with the secret that was entered there',
      params: {
        path: '/github',
        methods: ['POST'],
        auth: { type: 'hmac', preset: 'github', secret: { $secret: 'github_webhook' } },
      },
      outputs: { out: { action: 'opened' } },
    },
    {
      title: 'A form with a picture',
      params: {
        path: '/pictures',
        methods: ['POST'],
        accept: ['multipart'],
        limits: { fileBytes: 5_000_000 },
        request: {
          type: 'object',
          required: ['picture'],
          properties: { picture: { type: 'object', format: 'file' }, title: { type: 'string' } },
        },
      },
      outputs: {
        out: {
          picture: {
            $file: 'f_example0000000000000000000000000',
            name: 'cat.png',
            type: 'image/png',
            bytes: 48_231,
          },
          title: 'A cat',
        },
      },
    },
    {
      title: 'An order that is taken in and worked off later',
      params: { path: '/orders', methods: ['POST'], answer: 'immediately', request: { type: 'object' } },
      outputs: { out: { article: 'cup', count: 2 } },
    },
    {
      title: 'At most 60 calls a minute from each address, ten of them at once',
      params: { path: '/lookup', auth: 'none', rate: { limit: 60, burst: 10, by: 'address' } },
      outputs: { out: { word: 'weft' } },
    },
  ],
});
