import { WeftError } from '../base/errors.ts';
import type { McpService } from '../base/mcp-service.ts';

const add = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', required: ['a', 'b'] },
};

/** The MCP server of examples, with one tool. */
export const exampleMcp: McpService = {
  async ask({ url, method, params }, _by, signal) {
    await Promise.resolve();
    signal.throwIfAborted();
    if (url !== 'https://mcp.example.com/mcp')
      throw new WeftError('outbound_failed', `There is no server at ${url}.`);
    if (method === 'tools/list') return { tools: [add] };
    if (method !== 'tools/call' || params['name'] !== add.name)
      throw new WeftError('outbound_failed', 'The server answered with the error -32602.');
    const { a, b } = (params['arguments'] ?? {}) as { readonly a?: unknown; readonly b?: unknown };
    if (typeof a !== 'number' || typeof b !== 'number')
      return { content: [{ type: 'text', text: 'It takes two numbers.' }], isError: true };
    return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } };
  },
};
