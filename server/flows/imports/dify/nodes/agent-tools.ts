import { idFrom } from '../../../awel/names.ts';
import { type Fields, recordOf, textOf } from '../app.ts';
import type { Here } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { agentTool, toolName } from './tool-requests.ts';

/** Tools of an agent, and of an app with one. */

type Tool = Readonly<Record<string, unknown>>;

/** Tools with which an agent of Dify asks the server of MCP that its settings name; here that server is a tool itself. */
const OF_MCP = /^mcp_(?:sse_)?(?:list_tools|call_tool)$/;
/** Tools for things that a model knows, or can compute, by itself. */
const KNOWN = /^time\/|^calculator\/|^maths\//;

/** Throws `Unmapped` if nothing here does what one of them does. */
export function agentTools(here: Here, given: readonly Fields[], server: string): Tool[] {
  const used = given.filter((one) => one['enabled'] !== false);
  const mcp = server === '' ? [] : [mcpServer(here, server)];
  const dropped: string[] = [];
  const tools = used.flatMap((one): Tool[] => {
    const tool = textOf(one['tool_name']);
    const name = toolName(
      textOf(one['provider_id'] ?? one['provider_name']) || textOf(one['provider_name']),
      tool,
    );
    if (OF_MCP.test(tool) && mcp.length > 0) return [];
    if (KNOWN.test(name)) {
      dropped.push(tool);
      return [];
    }
    if (textOf(one['type'] ?? one['provider_type']) === 'workflow') return [calledFlow(here, tool, one)];
    const made = agentTool(here, name, tool);
    if (made === undefined) throw new Unmapped(`nothing here is its tool ${name.slice(0, 80)}`);
    return [made];
  });
  if (dropped.length > 0)
    here.note(`Its tools ${dropped.join(', ')} are left out: give it a flow as a tool if it needs them.`);
  return [...mcp, ...tools];
}

/** A key in the address is a secret. */
function mcpServer(here: Here, given: string): Tool {
  if (given.includes('{{')) throw new Unmapped('the address of its server of MCP is worked out at run time');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Unmapped('its server of MCP has no address that can be called');
  here.note('Its server of MCP is a tool, with all that the server offers.');
  const [[name, key] = ['', ''], ...more] = [...url.searchParams];
  if (more.length > 0) throw new Unmapped('the address of its server of MCP has several fields');
  url.search = '';
  const auth =
    key === '' ? undefined : { type: 'query', name, secret: { $secret: here.secrets.take(key, 'mcp') } };
  if (auth)
    here.need({
      kind: 'secret',
      name: auth.secret.$secret,
      kept: true,
      message: `Grant the secret ${auth.secret.$secret} to the host ${url.host}.`,
    });
  return { type: 'mcp', name: 'mcp', value: { url: url.href, ...(auth && { auth }) } };
}

function calledFlow(here: Here, tool: string, one: Fields): Tool {
  const flow = idFrom(tool, 'tool_flow');
  here.need({
    kind: 'flow',
    name: flow,
    message: `Import the workflow “${tool}” too, as the flow ${flow}: the agent has it as a tool.`,
  });
  const description = textOf(one['tool_description'] ?? recordOf(one['extra'])['description']);
  return {
    type: 'flow',
    name: flow.slice(0, 64),
    value: { flow, ...(description !== '' && { description }) },
  };
}
