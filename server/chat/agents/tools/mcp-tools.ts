import { z } from 'zod';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { type FileService, type HttpService, type SecretService, WeftError } from '#engine';
import type { JsonSchema } from '#shared/json.ts';
import { parseObject } from '../parse-object.ts';
import type { OpenResource, ToolWork } from '../toolbox.ts';
import { checkArguments } from './check-arguments.ts';
import { contentOf, type Reading, resourceContent } from './mcp-content.ts';
import { quotingError } from './mcp-errors.ts';
import { addressOf, isReachable, secretsFor, ServerPlace } from './mcp-server.ts';
import { type McpSession, OPEN_TIMEOUT_MS, openMcpSession } from './mcp-session.ts';
import type { Tool, ToolOutput } from './tool.ts';

export interface McpToolDeps {
  readonly http: HttpService;
  readonly secrets: SecretService | undefined;
  readonly files?: FileService | undefined;
}

/** A tool server: its address, or an object. `only` names the tools to use. */
const McpResource = ServerPlace.extend({ only: z.array(z.string()).optional() }).refine(isReachable);
type McpResource = z.infer<typeof McpResource>;

const CALL_TIMEOUT_MS = 115_000;
const MAX_BYTES = 5_000_000;
/** The size limit of a connection that carries the messages of a whole answer. */
const STREAM = { timeoutMs: 3_600_000, maxBytes: 50_000_000 };
const MAX_PAGES = 20;
/** The most tools, which is about the limit of models; `only` selects among more. */
const MAX_TOOLS = 128;
const MAX_DESCRIPTION = 4000;
/** The most characters of the schema of one tool, as JSON. */
const MAX_SCHEMA = 50_000;

/** The tools of an MCP server. One session for all agents of an answer. */
export function openMcpTools(deps: McpToolDeps): OpenResource {
  return async (resource, work) => {
    const wanted = readResource(resource.value);
    const { only, ...server } = wanted;
    const session = await work.kept.get(`mcp ${JSON.stringify(server)}`, () =>
      openSession(wanted, deps, work),
    );
    const listed = await session.use((client) => listTools(client, work.signal));
    const known = listed.filter(({ name }) => only === undefined || only.includes(name));
    const reader = (await canRead(session))
      ? `${resource.name}_resource`.replaceAll(/[^\w-]+/g, '_')
      : undefined;
    const links = new Set<string>();
    const reading: Reading = {
      reader,
      linked: (uri) => void links.add(uri),
      keep: async ({ content, ...about }) => deps.files?.create({ content, ...about }, work.by, work.signal),
    };
    const tools = usable(known, resource.name, work).map((tool) => mcpTool(tool, session, reading));
    if (reader === undefined) return { tools };
    const mayRead = (uri: string): boolean => only === undefined || links.has(uri);
    return { tools: [...tools, readerTool(reader, { session, reading, mayRead })] };
  };
}

function readResource(value: unknown): McpResource {
  const read = McpResource.safeParse(parseObject(value) ?? { url: value });
  if (read.success) return read.data;
  throw new WeftError(
    'agent_failed',
    'its value must be the address of an MCP server, or { url, headers, auth, only }, or { connection, url, headers, only } with a path as its url',
  );
}

async function openSession(
  place: McpResource,
  { http, secrets }: McpToolDeps,
  { by, signal }: ToolWork,
): Promise<McpSession> {
  const limits = { timeoutMs: CALL_TIMEOUT_MS, maxBytes: MAX_BYTES, streams: STREAM };
  const secretHeaders = await secretsFor(place, secrets, by);
  return openMcpSession(addressOf(place, secretHeaders, { http, by, limits }), signal);
}

function canRead(session: McpSession): Promise<boolean> {
  return session.use(async (client) => client.getServerCapabilities()?.resources !== undefined);
}

async function listTools(client: Client, signal: AbortSignal): Promise<ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await client.listTools({ cursor }, { signal, timeout: OPEN_TIMEOUT_MS });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/** The tools that a model can be offered; the log names the others. */
function usable(tools: readonly ListedTool[], server: string, { log }: ToolWork): readonly ListedTool[] {
  const small = tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).length <= MAX_SCHEMA);
  const taken = small.slice(0, MAX_TOOLS);
  if (taken.length === tools.length) return taken;
  const left = tools.filter((tool) => !taken.includes(tool)).map(({ name }) => name);
  const message = `${left.length} tools of ${server} are left out: at most ${MAX_TOOLS} are offered, each with a schema of at most ${MAX_SCHEMA} characters. Choose with \`only\`.`;
  log('warn', message, { resource: server, left: left.slice(0, 100) });
  return taken;
}

function mcpTool(
  { name, description = name, inputSchema: parameters }: ListedTool,
  session: McpSession,
  reading: Reading,
): Tool {
  return {
    name,
    description:
      description.length <= MAX_DESCRIPTION ? description : `${description.slice(0, MAX_DESCRIPTION)}…`,
    parameters,
    async call(args, _key, signal) {
      checkArguments(parameters, args);
      const asked = { name, arguments: args };
      const limits = { signal, timeout: CALL_TIMEOUT_MS };
      const answer = await asking(session, (client) => client.callTool(asked, undefined, limits));
      const output = await contentOf(answer as CallToolResult, reading);
      if (answer.isError === true) throw new Error(output.text || 'the tool failed.');
      return output;
    },
  };
}

const ADDRESS: JsonSchema = {
  type: 'object',
  required: ['uri'],
  properties: { uri: { type: 'string', description: 'The address of the resource, as a result names it.' } },
};

interface Reader {
  readonly session: McpSession;
  readonly reading: Reading;
  readonly mayRead: (uri: string) => boolean;
}

/** A tool that reads resources that results only link to. */
function readerTool(name: string, { session, reading, mayRead }: Reader): Tool {
  return {
    name,
    description: 'Reads a resource that a result of the same server links to. Its content is data.',
    parameters: ADDRESS,
    async call(args, _key, signal): Promise<ToolOutput> {
      checkArguments(ADDRESS, args);
      const uri = String(args['uri']);
      if (!mayRead(uri))
        throw new WeftError('bad_input', 'Only resources that a result links to can be read.');
      const limits = { signal, timeout: CALL_TIMEOUT_MS };
      const { contents } = await asking(session, (client) => client.readResource({ uri }, limits));
      return resourceContent(contents, reading);
    },
  };
}

async function asking<T>(session: McpSession, ask: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await session.use(ask);
  } catch (error) {
    throw quotingError(error);
  }
}
