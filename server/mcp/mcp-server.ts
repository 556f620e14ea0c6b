import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { FlowTool } from '../agents/tools/flow-tool.ts';
import { schemaCheck } from '../agents/tools/schema-check.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../security/access.ts';
import { version } from '../version.ts';
import type { Calls } from './calls.ts';
import { callTool } from './call-tool.ts';
import { offeredTools } from './offered-tools.ts';

/** One message of a client. */
export interface McpMessage {
  readonly request: Request;
  readonly body: unknown;
  readonly caller: Caller;
  /** Tells the calls of one client from those of others. */
  readonly session: string;
  /** Aborts when the client goes away, or may call no more. */
  readonly gone: AbortSignal;
}

const INSTRUCTIONS = 'The tools are flows of this Weft server: each runs one and gives its result.';

/** Answers messages by the SDK, each with a server of its own. */
export function createMcp({ flows, runs }: Pick<Context, 'flows' | 'runs'>, calls: Calls) {
  return async (message: McpMessage): Promise<Response> => {
    cancelled(message, calls);
    const server = new Server(
      { name: 'weft', title: 'Weft', version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: schemaCheck },
    );
    const { caller, session, gone } = message;
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: offeredTools(flows, caller.scopes).map(described),
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const tool = offeredTools(flows, caller.scopes).find(({ name }) => name === params.name);
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
      const call = calls.begin(session, extra.requestId);
      const token = extra._meta?.progressToken;
      const progress = (count: number): void => {
        if (token === undefined) return;
        const told = { progressToken: token, progress: count };
        // A client that has gone needs no progress.
        extra.sendNotification({ method: 'notifications/progress', params: told }).catch(() => {});
      };
      try {
        const signal = AbortSignal.any([extra.signal, call.signal, gone]);
        const key = caller.kind === 'key' ? caller.name : undefined;
        return await callTool(tool, params.arguments ?? {}, { runs, key, signal, progress });
      } finally {
        call.done();
      }
    });
    const transport = new WebStandardStreamableHTTPServerTransport({});
    await server.connect(transport);
    return transport.handleRequest(message.request, { parsedBody: message.body });
  };
}

/** What a client no longer waits for. */
function cancelled({ body, session }: McpMessage, calls: Calls): void {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } };
  const id = params?.requestId;
  const names = typeof id === 'string' || typeof id === 'number';
  if (method === 'notifications/cancelled' && names) calls.cancel(session, id);
}

function described({ name, description, parameters, flow }: FlowTool): Tool {
  const title = flow.flow.name;
  return {
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    ...(title !== undefined && { title }),
  };
}
