import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { version } from '../../../access/http/version.ts';
import { withSignal } from '../with-signal.ts';
import { mcpError, statusOf } from './mcp-errors.ts';
import { failingBrokenOff } from './mcp-streams.ts';
import { schemaCheck } from './schema-check.ts';

/** The limit for connecting and listing the tools, in milliseconds. */
export const OPEN_TIMEOUT_MS = 15_000;
/** How long ending a session may take, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2000;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Where an MCP server is, and how it is reached. */
export interface McpAddress {
  readonly url: string;
  /** How errors name the server: `at https://mcp.example.com`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends the requests of the session; it stops with the given signal. */
  readonly fetchWith: (stop: AbortSignal) => Fetch;
}

/**
 * A session with an MCP server.
 *
 * MS1. A call that is stopped is cancelled at the server too (`notifications/cancelled`).
 * MS2. The end of the session is sent to the server (DELETE), after all pending messages.
 * MS3. If the server has lost the session, such as after a restart, a new one is opened, once for each call.
 */
export interface McpSession {
  /** Throws `outbound_failed` and `outbound_timeout`, and the errors of the guarded client. */
  use<T>(ask: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openMcpSession(address: McpAddress, signal: AbortSignal): Promise<McpSession> {
  const ended = new AbortController();
  const open = (): Promise<Connection> => connect(address, signal, ended.signal);
  let connecting = coded(open(), address);
  await connecting;
  return {
    async use(ask) {
      const current = connecting;
      const connection = await current;
      try {
        return await ask(connection.client);
      } catch (error) {
        const isLost = statusOf(error) === 404 && connection.hasSession();
        if (!isLost || signal.aborted) throw mcpError(error, address);
        if (connecting === current) connecting = coded(open(), address);
        const again = await connecting;
        return coded(ask(again.client), address);
      }
    },
    async close() {
      const connection = await connecting.catch(() => undefined);
      await connection?.close();
      ended.abort();
    },
  };
}

async function coded<T>(promise: Promise<T>, address: McpAddress): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw mcpError(error, address);
  }
}

interface Connection {
  readonly client: Client;
  /** Whether the server has assigned a session to the connection. */
  hasSession(): boolean;
  close(): Promise<void>;
}

/** Answers of servers that speak only the older HTTP with server-sent events. */
const OLDER: ReadonlySet<unknown> = new Set([400, 404, 405]);

async function connect(address: McpAddress, asked: AbortSignal, ended: AbortSignal): Promise<Connection> {
  const stop = new AbortController();
  const requests = messagesOver(address.fetchWith(AbortSignal.any([ended, stop.signal])));
  try {
    return await overHttp(address, requests, asked);
  } catch (error) {
    if (!OLDER.has(statusOf(error)) || asked.aborted) throw error;
    // The first error is more helpful for a server that speaks neither.
    const older = await overSse(address, requests, asked).catch(() => undefined);
    if (older === undefined) {
      stop.abort();
      throw error;
    }
    return older;
  }
}

interface Requests {
  readonly fetch: Fetch;
  /** Resolves when the server has received all notifications. */
  told(): Promise<unknown>;
}

/** Tracks the messages that have not arrived yet. */
function messagesOver(fetch: Fetch): Requests {
  const telling = new Set<Promise<unknown>>();
  return {
    fetch(url, init) {
      const answer = fetch(url, init);
      if (typeof init?.body !== 'string' || !init.body.includes('"notifications/')) return answer;
      const told = answer.catch(() => undefined).finally(() => telling.delete(told));
      telling.add(told);
      return answer;
    },
    told: () => Promise.all(telling),
  };
}

async function overHttp(
  { url, name, headers }: McpAddress,
  requests: Requests,
  signal: AbortSignal,
): Promise<Connection> {
  const { StreamableHTTPClientTransport: Transport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const fetch = failingBrokenOff(requests.fetch, name, (answer) => transport.onmessage?.(answer));
  const transport: StreamableHTTPClientTransport = new Transport(new URL(url), {
    // A stream for messages that the server starts itself would stay open unused.
    fetch: async (to, init) =>
      init?.method === 'GET' && !new Headers(init.headers).has('last-event-id')
        ? new Response(null, { status: 405 })
        : fetch(to, init),
    requestInit: { headers: { ...headers } },
  });
  const client = await clientOver(transport, signal);
  return {
    client,
    hasSession: () => transport.sessionId !== undefined,
    close: () =>
      closed(
        client,
        requests.told().then(() => transport.terminateSession()),
      ),
  };
}

async function overSse(
  { url, headers }: McpAddress,
  requests: Requests,
  signal: AbortSignal,
): Promise<Connection> {
  const { SSEClientTransport: Transport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const { fetch } = requests;
  // The SDK marks it as deprecated, but some servers support nothing else.
  const transport: SSEClientTransport = new Transport(new URL(url), {
    fetch,
    requestInit: { headers: { ...headers } },
  });
  const client = await clientOver(transport, signal);
  return { client, hasSession: () => false, close: () => closed(client, requests.told()) };
}

async function clientOver(
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  signal: AbortSignal,
): Promise<Client> {
  const { Client: McpClient } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new McpClient({ name: 'weft', version }, { jsonSchemaValidator: schemaCheck });
  // The older transport waits without a limit for its first event.
  const late = AbortSignal.any([signal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
  try {
    await withSignal(client.connect(transport, { signal, timeout: OPEN_TIMEOUT_MS }), late);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function closed(client: Client, farewell: Promise<unknown>): Promise<void> {
  await withSignal(farewell, AbortSignal.timeout(CLOSE_TIMEOUT_MS)).catch(() => undefined);
  await client.close();
}
