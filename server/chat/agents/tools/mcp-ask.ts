import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type HttpService, type McpMethod, type McpService, WeftError } from '#engine';
import { quotingError } from './mcp-errors.ts';
import { addressOf } from './mcp-server.ts';
import { openMcpSession } from './mcp-session.ts';

const MAX_BYTES = 5_000_000;
const MAX_PAGES = 100;

/** The list in the result of a method that has several pages. */
const LISTS: Readonly<Partial<Record<McpMethod, string>>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

type Result = Readonly<Record<string, unknown>>;

/** MCP servers for operators. */
export function createMcpService({ http }: { readonly http: HttpService }): McpService {
  return { ask: askMcp(http) };
}

/** Sends one request in a session of its own, as the agents' tools do. */
function askMcp(http: HttpService): McpService['ask'] {
  return async ({ method, params, timeoutMs, secretHeaders, ...place }, by, asked) => {
    const limits = { timeoutMs, maxBytes: MAX_BYTES, streams: { timeoutMs, maxBytes: MAX_BYTES } };
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([asked, late]);
    const address = addressOf({ ...place, connection: place.connection }, secretHeaders, {
      http,
      by,
      limits,
    });
    const send = (client: Client, cursor?: string): Promise<Result> =>
      client.request(
        { method, params: { ...params, ...(cursor !== undefined && { cursor }) } },
        ResultSchema,
        { signal, timeout: timeoutMs },
      );
    try {
      const session = await openMcpSession(address, signal);
      try {
        const list = LISTS[method];
        return await session.use(async (client) =>
          list === undefined ? send(client) : whole(list, address.name, (cursor) => send(client, cursor)),
        );
      } finally {
        await session.close();
      }
    } catch (error) {
      asked.throwIfAborted();
      throw quotingError(error);
    }
  };
}

/** A list over all its pages. Throws `value_too_large` and `outbound_failed`. */
async function whole(
  list: string,
  name: string,
  page: (cursor?: string) => Promise<Result>,
): Promise<Result> {
  const all: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let bytes = 0; ; ) {
    const { nextCursor, [list]: some } = await page(cursor);
    if (Array.isArray(some)) all.push(...(some as unknown[]));
    if (typeof nextCursor !== 'string') return { [list]: all };
    bytes += JSON.stringify(some ?? []).length;
    if (cursors.has(nextCursor))
      throw new WeftError(
        'outbound_failed',
        `The MCP server ${name} gives the same page of \`${list}\` again.`,
      );
    cursors.add((cursor = nextCursor));
    if (cursors.size >= MAX_PAGES || bytes > MAX_BYTES)
      throw new WeftError(
        'value_too_large',
        `The list \`${list}\` has more than ${MAX_PAGES} pages, or more than ${MAX_BYTES} bytes.`,
      );
  }
}
