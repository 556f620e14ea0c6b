import type { HttpService, McpService } from '#engine';
import { lazy } from '../../base/parts/lazy.ts';

/** MCP servers for operators; the client is loaded with the first request. */
export function createMcpService(deps: { readonly http: HttpService }): McpService {
  const asking = lazy(async () => (await import('./tools/mcp-ask.ts')).askMcp(deps));
  return { ask: async (...asked: Parameters<McpService['ask']>) => (await asking())(...asked) };
}
