import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { type Call, defineOperator, literal, optionalInput, output, WeftError } from '../../base/operator.ts';
import { headerFields } from '../_headers.ts';
import { readJson } from '../_read-json.ts';
import { writeJson } from '../_write-json.ts';
import { secretReference } from '../_secret.ts';
import { credentialsFor } from '../http/_auth.ts';

const auth = z.object({
  type: z
    .enum(['none', 'bearer', 'basic', 'header'])
    .default('none')
    .describe('How the secret is sent: as a bearer token, a password or a header.'),
  secret: secretReference
    .describe('The secret, by its name: { "$secret": "name" }.')
    .optional()
    .meta({ when: { param: 'type', not: ['none'] } }),
  username: z
    .string()
    .max(500)
    .optional()
    .describe('The user name that goes with a password.')
    .meta({ when: { param: 'type', is: ['basic'] } }),
  name: z
    .string()
    .max(200)
    .optional()
    .describe('The name of the header.')
    .meta({ when: { param: 'type', is: ['header'] } }),
});

const params = z.object({
  connection: literal(
    z
      .string()
      .regex(ID_PATTERN)
      .optional()
      .describe(
        'The name of a connection of the kind HTTP or OAuth2, which has the address of the server and the credentials.',
      )
      .meta({ widget: 'connection', kinds: ['http', 'oauth2'] }),
  ),
  url: z
    .string()
    .max(8192)
    .default('')
    .describe(
      'The address of the server, such as https://mcp.example.com/mcp. With a connection: the path below its address, or nothing.',
    ),
  headers: headerFields.default({}).describe('Headers to send, by name.'),
  auth: auth.prefault({}).describe('Credentials, from a secret.').meta({ title: 'Credentials' }),
  method: z
    .enum([
      'tools/call',
      'tools/list',
      'resources/read',
      'resources/list',
      'resources/templates/list',
      'prompts/get',
      'prompts/list',
    ])
    .default('tools/call')
    .describe('The request of the protocol.'),
  name: z
    .string()
    .min(1)
    .max(8192)
    .optional()
    .describe('The name of the tool or the prompt, or the address (URI) of the resource.')
    .meta({ when: { param: 'method', is: ['tools/call', 'resources/read', 'prompts/get'] } }),
  arguments: z
    .unknown()
    .default({})
    .describe('The arguments of the tool or the prompt: an object, or its JSON as a text.')
    .meta({ widget: 'value', when: { param: 'method', is: ['tools/call', 'prompts/get'] } }),
  timeoutMs: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(60_000)
    .describe('Time limit in milliseconds, including the opening of the session.'),
});
type Params = z.output<typeof params>;

export default defineOperator({
  title: 'Call MCP server',
  doc: 'Calls a tool of an MCP server without a model, or reads its resources, prompts and lists. The server must speak Streamable HTTP, or the older HTTP with server-sent events. If the tool reports a failure, the node fails.',
  icon: 'plug',
  summary: '[{connection} · ]{method}[ · {name}]',
  synonyms: 'mcp, mcp client, model context protocol, mcp tool, call tool, tool server',
  params,
  options: { Request: ['headers', 'auth'], Limits: ['timeoutMs'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'The result in the form of the protocol: `content` and perhaps `structuredContent` of a tool, `tools`, `contents`, `resources`, `resourceTemplates`, `messages` or `prompts`.',
      schema: z.record(z.string(), z.unknown()),
    }),
  },
  effects: 'write',
  effectsByParam: {
    name: 'method',
    cases: {
      'tools/list': 'read',
      'resources/read': 'read',
      'resources/list': 'read',
      'resources/templates/list': 'read',
      'prompts/get': 'read',
      'prompts/list': 'read',
    },
  },
  lift: true,
  examples: [
    {
      title: 'Call a tool',
      params: {
        url: 'https://mcp.example.com/mcp',
        name: 'add',
        arguments: { a: '{{ input }}', b: 2 },
      },
      inputs: { in: 40 },
      outputs: { out: { content: [{ type: 'text', text: '42' }], structuredContent: { sum: 42 } } },
    },
    {
      title: 'The tools that a server has',
      params: { url: 'https://mcp.example.com/mcp', method: 'tools/list' },
      outputs: {
        out: {
          tools: [
            {
              name: 'add',
              description: 'Adds two numbers.',
              inputSchema: { type: 'object', required: ['a', 'b'] },
            },
          ],
        },
      },
    },
    {
      title: 'A tool that reports a failure',
      params: { url: 'https://mcp.example.com/mcp', name: 'add', arguments: '{"a": 1}' },
      error: 'service_failed',
    },
    {
      title: 'No tool is named',
      params: { url: 'https://mcp.example.com/mcp' },
      error: 'bad_params',
    },
  ],
  async run(call) {
    const { connection, method, headers, timeoutMs } = call.params;
    if (connection === undefined && call.params.url === '')
      throw lacking('url', 'Give the address of the server, or a connection that has it.');
    const asked = paramsOf(call.params);
    const credentials = await credentialsFor(call, call.params, call.params.url);
    const result = await call.service('mcp').ask(
      {
        url: credentials.url,
        ...(connection !== undefined && { connection }),
        headers,
        secretHeaders: credentials.headers,
        method,
        params: asked,
        timeoutMs,
      },
      call.asker,
      call.signal,
    );
    if (result['isError'] === true) throw failed(call, result);
    return result;
  },
});

/** The params of the request. Throws `bad_params` and `bad_input`. */
function paramsOf({ method, name, arguments: given }: Params): Record<string, unknown> {
  const what = NAMED[method];
  if (what === undefined) return {};
  if (name === undefined) throw lacking('name', `Give ${what}.`);
  return method === 'resources/read' ? { uri: name } : { name, ...argumentsOf(given) };
}

const NAMED: Readonly<Partial<Record<Params['method'], string>>> = {
  'tools/call': 'the name of the tool',
  'resources/read': 'the address of the resource',
  'prompts/get': 'the name of the prompt',
};

/** Throws `bad_input`, and what JSON cannot hold. */
function argumentsOf(given: unknown): { readonly arguments?: Readonly<Record<string, unknown>> } {
  if (given === undefined || (typeof given === 'string' && given.trim() === '')) return {};
  const args = readJson(typeof given === 'string' ? given : writeJson(given), () => {});
  if (args === null) return {};
  if (isRecord(args)) return { arguments: args };
  throw new WeftError('bad_input', 'The arguments are no object.', { field: 'params.arguments' });
}

function lacking(field: string, message: string): WeftError {
  return new WeftError('bad_params', message, { field: `params.${field}` });
}

const MOST_SAID = 1000;

function failed(
  { params: { name } }: Call<Params>,
  { content }: Readonly<Record<string, unknown>>,
): WeftError {
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const said = parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
  return new WeftError('service_failed', `The tool ${name} failed: ${said.slice(0, MOST_SAID)}`.trim());
}
