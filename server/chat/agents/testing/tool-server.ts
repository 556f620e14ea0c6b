import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';

export interface ToolServer {
  readonly url: string;
  /** The headers of the requests so far. */
  readonly seen: IncomingMessage['headers'][];
  close(): void;
}

export type OfferedTool = Tool & {
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): CallToolResult | Promise<CallToolResult>;
};

/** An external MCP server, built on the official SDK, on a free port. */
export async function startToolServer(tools: readonly OfferedTool[]): Promise<ToolServer> {
  const seen: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    void answer(tools, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen, close };
}

/** Two tools on each page, so that a client has to follow the pages. */
const PAGE = 2;

async function answer(
  tools: readonly OfferedTool[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const mcp = new Server({ name: 'other', version: '1' }, { capabilities: { tools: {} } });
  mcp.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const page = tools.slice(from, from + PAGE).map(({ run: _, ...tool }) => tool);
    return { tools: page, ...(from + PAGE < tools.length && { nextCursor: String(from + PAGE) }) };
  });
  mcp.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new Error('no such tool');
    return tool.run(params.arguments ?? {}, signal);
  });
  // A new transport for each request keeps no sessions; the SDK's own types conflict under exact optional properties.
  const transport = new StreamableHTTPServerTransport();
  await mcp.connect(transport as unknown as Parameters<typeof mcp.connect>[0]);
  await transport.handleRequest(request, response);
}
