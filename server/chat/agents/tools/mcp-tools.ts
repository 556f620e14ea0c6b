import { z } from 'zod';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type HttpService, type SecretService, WeftError } from '#engine';
import type { JsonSchema } from '#shared/json.ts';
import { version } from '../../../access/http/version.ts';
import { parseObject } from '../parse-object.ts';
import type { OpenResource } from '../toolbox.ts';
import type { Work } from '../work.ts';
import { Auth, authHeaders } from './credentials.ts';
import { checkArguments } from './check-arguments.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { schemaCheck } from './schema-check.ts';
import type { Tool } from './tool.ts';

export interface McpToolDeps {
  readonly http: HttpService;
  readonly secrets: SecretService | undefined;
}

/** A tool server: its address, or an object. `only` names the tools to use. */
const McpResource = z.object({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  auth: Auth.optional(),
  only: z.array(z.string()).optional(),
});
type McpResource = z.infer<typeof McpResource>;

/** The limit for connecting and listing the tools, in milliseconds. */
const OPEN_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS = 115_000;
const MAX_BYTES = 5_000_000;
const MAX_PAGES = 20;

/** The tools of an MCP server, over Streamable HTTP and the guarded client. One session per running agent. */
export function openMcpTools({ http, secrets }: McpToolDeps): OpenResource {
  return async ({ value }, work) => {
    const wanted = readResource(value);
    let client: Client | undefined;
    try {
      const opened = (client = await connect(wanted, { http, secrets }, work));
      return { tools: await listTools(opened, wanted, work.signal), close: () => opened.close() };
    } catch (error) {
      await client?.close();
      throw coded(error, wanted);
    }
  };
}

/** The SDK's error code for a timeout. */
const REQUEST_TIMEOUT = -32001;

/** Replaces the numeric codes of the SDK, which are not documented here, by codes of ours. */
function coded(error: unknown, { url }: McpResource): unknown {
  if (error instanceof WeftError) return error;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const { origin } = new URL(url);
  return code === REQUEST_TIMEOUT
    ? new WeftError(
        'outbound_timeout',
        `The MCP server at ${origin} did not answer in ${OPEN_TIMEOUT_MS} ms.`,
      )
    : new WeftError(
        'outbound_failed',
        `What is at ${origin} cannot be used as an MCP server: ${String(message)}`,
      );
}

function readResource(value: unknown): McpResource {
  const read = McpResource.safeParse(parseObject(value) ?? { url: value });
  if (read.success) return read.data;
  throw new WeftError(
    'agent_failed',
    'its value must be the address of an MCP server, or { url, headers, auth, only }',
  );
}

async function connect(
  { url, headers, auth }: McpResource,
  { http, secrets }: McpToolDeps,
  { by, signal }: Work,
): Promise<Client> {
  const [{ Client: McpClient }, { StreamableHTTPClientTransport }, credentials] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    authHeaders(auth, secrets, { by, url }),
  ]);
  const send = guardedFetch(http, {
    by,
    signal,
    timeoutMs: CALL_TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    secretHeaders: credentials,
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    // A stream for messages that the server starts itself would stay open for nothing.
    fetch: async (to, init) =>
      init?.method === 'GET' ? new Response(null, { status: 405 }) : send(to, init),
    requestInit: { headers },
  });
  const client = new McpClient({ name: 'weft', version }, { jsonSchemaValidator: schemaCheck });
  await client.connect(transport, { signal, timeout: OPEN_TIMEOUT_MS });
  return client;
}

async function listTools(client: Client, { only }: McpResource, signal: AbortSignal): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await client.listTools({ cursor }, { signal, timeout: OPEN_TIMEOUT_MS });
    for (const { name, description, inputSchema } of listed.tools)
      tools.push(mcpTool(client, name, description ?? name, inputSchema));
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return only ? tools.filter(({ name }) => only.includes(name)) : tools;
}

function mcpTool(client: Client, name: string, description: string, parameters: JsonSchema): Tool {
  return {
    name,
    description,
    parameters,
    async call(args, _key, signal) {
      checkArguments(parameters, args);
      const answer = await client.callTool({ name, arguments: args }, undefined, {
        signal,
        timeout: CALL_TIMEOUT_MS,
      });
      const text = contentText(answer);
      if (answer.isError === true) throw new Error(text || 'the tool failed.');
      return text;
    },
  };
}

/** Content other than text is only named, because models get texts only. */
function contentText({ content, structuredContent }: Awaited<ReturnType<Client['callTool']>>): string {
  const parts = (content ?? []) as readonly { readonly type: string; readonly text?: string }[];
  const texts = parts.map((part) => (part.type === 'text' ? (part.text ?? '') : `(${part.type})`));
  return texts.length === 0 && structuredContent !== undefined
    ? JSON.stringify(structuredContent)
    : texts.join('\n');
}
