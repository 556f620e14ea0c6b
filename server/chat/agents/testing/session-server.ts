import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { onTestFinished } from 'vitest';

export interface SessionServer {
  readonly url: string;
  /** The methods of the messages so far, and `DELETE` for the end of a session. */
  readonly heard: string[];
  /** Forgets all sessions, like a restart. */
  forget(): void;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: unknown) => Promise<void>;

async function listen(path: string, heard: string[], answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = request.method === 'POST' ? await json(request) : undefined;
      heard.push(String((body as { method?: string } | undefined)?.method ?? request.method));
      await answer(request, response, body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
}

/** An external MCP server that keeps sessions, built on the official SDK, on a free port. */
export async function startSessionServer(build: () => Server): Promise<SessionServer> {
  const heard: string[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const url = await listen('/mcp', heard, async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (transport === undefined && id !== undefined)
      return void response.writeHead(404).end('no such session');
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, made),
      });
      transport = made;
      await build().connect(made as unknown as Parameters<Server['connect']>[0]);
    }
    await transport.handleRequest(request, response, body);
  });
  return { url, heard, forget: () => sessions.clear() };
}

/** An MCP server that speaks only the older HTTP with server-sent events. */
export async function startOlderServer(build: () => Server): Promise<SessionServer> {
  const heard: string[] = [];
  const sessions = new Map<string, SSEServerTransport>();
  const url = await listen('/sse', heard, async (request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET' && pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      await build().connect(transport);
      return;
    }
    const transport = sessions.get(searchParams.get('sessionId') ?? '');
    if (transport === undefined || pathname !== '/messages') return void response.writeHead(405).end();
    await transport.handlePostMessage(request, response, body);
  });
  return { url, heard, forget: () => sessions.clear() };
}
