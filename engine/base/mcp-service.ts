import type { Asker } from './http-service.ts';

/** Requests of the Model Context Protocol that a node may send. */
export type McpMethod =
  | 'tools/call'
  | 'tools/list'
  | 'resources/read'
  | 'resources/list'
  | 'resources/templates/list'
  | 'prompts/get'
  | 'prompts/list';

/** One request to an MCP server. */
export interface McpAsk {
  /** The address of the server, or below that of the connection. */
  readonly url: string;
  /** A connection of the kind http or oauth2, which adds its credentials. */
  readonly connection?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that carry a secret; they are sent to the origin of `url` alone. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  readonly method: McpMethod;
  /** JSON, as the protocol has it for the method. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
}

/** Servers of the Model Context Protocol, over HTTP and through the guarded client. */
export interface McpService {
  /**
   * Opens a session, sends the request, ends the session, and returns the result as the protocol has it; lists are whole, over all
   * their pages. Throws `outbound_failed` (also if the server answers with an error), `outbound_timeout`, `value_too_large`, and the
   * errors of `send` of `http`.
   */
  ask(ask: McpAsk, by: Asker, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}
