import { isExpression } from '../expressions/templates.ts';
import type { Context } from '../context.ts';
import type { Step } from '../workflow.ts';

/** Servers of MCP that nodes and tools there call, and the tools of them that an agent gets. */

/** The community's node, whose server lies in its credential. */
export const COMMUNITY = 'n8n-nodes-mcp.mcpClient';

/** Where a server is: its address, or the connection that has it. */
export type ServerPlace =
  | { readonly url: string }
  | { readonly connection: string }
  | { readonly url: string; readonly auth: Readonly<Record<string, unknown>> };

const textOf = (given: unknown): string => (typeof given === 'string' ? given.trim() : '');

/** The server of the community's node. Its address is one of its own, or lies in a credential, which no file has. */
export function communityServer(context: Context, { parameters, credentials, name }: Step): ServerPlace {
  const { uriOverride, headersOverride, connectionType = 'cmd' } = parameters;
  const [credential] = credentials;
  if (textOf(headersOverride) !== '')
    context.changed(
      'setting',
      `Headers that “${name}” sends itself are not kept; a connection can send them.`,
      {
        before: 'headersOverride',
        lost: true,
      },
    );
  const own = textOf(uriOverride);
  if (connectionType !== 'cmd' && own !== '' && !isExpression(own)) {
    tellUnsent(context, name, credential?.name);
    return { url: own };
  }
  const connection = context.job.connection(credential?.name ?? 'mcp', credential?.type ?? 'mcpClientApi');
  if (connectionType === 'cmd') tellProgram(context, name, connection);
  return { connection };
}

function tellUnsent({ changed }: Context, name: string, credential: string | undefined): void {
  if (credential === undefined) return;
  changed(
    'setting',
    `“${name}” names the address itself; headers of its credential are not sent: a connection with the address can send them.`,
    { before: credential, lost: true },
  );
}

function tellProgram({ changed }: Context, name: string, connection: string): void {
  changed(
    'setting',
    `n8n started the server of “${name}” as a program; here the connection ${connection} has the address of a server that speaks HTTP.`,
    { after: connection },
  );
}

/** The server of the node or tool of n8n itself. */
export function ownServer(context: Context, { parameters, credentials, name }: Step): ServerPlace {
  const { job, changed } = context;
  const url = textOf(parameters['endpointUrl'] ?? parameters['sseEndpoint']);
  const way = textOf(parameters['authentication']);
  if (way === '' || way === 'none') return { url };
  const credential = credentials.find(({ type }) => type.startsWith('http') || type.startsWith('mcp'));
  if (way === 'bearerAuth') {
    const secret = job.secrets.nameFor(credential?.name ?? 'mcp token');
    job.report.need({
      kind: 'secret',
      name: secret,
      nodes: [],
      message: `Store the token of the MCP server as the secret ${secret}, and grant it to its host, for “${name}”.`,
    });
    return { url, auth: { type: 'bearer', secret: { $secret: secret } } };
  }
  const type = way === 'mcpOAuth2Api' ? way : (credential?.type ?? 'httpHeaderAuth');
  const connection = job.connection(credential?.name ?? 'mcp', type);
  changed('setting', `The connection ${connection} has to have the address of the server of “${name}”.`, {
    before: url,
    after: connection,
  });
  return { connection };
}

interface Source {
  readonly value?: Readonly<Record<string, unknown>>;
  readonly difference?: string;
}

/** The tools of a server, as n8n's own tool gives them to an agent. */
export function ownSource(context: Context, part: Step): Source {
  const { include, includeTools, excludeTools } = part.parameters;
  const place = ownServer(context, part);
  if (include === 'except' && Array.isArray(excludeTools) && excludeTools.length > 0)
    context.changed('setting', `“${part.name}” left out some tools; here \`only\` names those to take.`, {
      before: excludeTools.join(', '),
      lost: true,
    });
  const isChosen = include === 'selected' && Array.isArray(includeTools);
  return { value: { ...place, ...(isChosen && { only: includeTools }) } };
}

/** A call that leaves all to the model: `$fromAI(…)` and nothing else. */
const BY_MODEL =
  /^=\s*(?:\{\{)?\s*(?:\/\*n8n-auto-generated-fromAI-override\*\/)?\s*\$from(?:AI|Ai|ai)\((?:(?!\$from)[\s\S])*\)\s*(?:\}\})?\s*$/;

/** What a tool of the community's node does: `all` tools of the server by their names, `one` of them, `list` them. */
function useOf({ parameters }: Step): 'all' | 'one' | 'list' | 'other' {
  const { operation = 'listTools', toolName, toolParameters, uriOverride } = parameters;
  if (isExpression(textOf(uriOverride))) return 'other';
  if (operation === 'listTools') return 'list';
  if (operation !== 'executeTool' || textOf(toolName) === '') return 'other';
  const given = textOf(toolParameters);
  const isOpen = given === '' || given === '{}' || BY_MODEL.test(given);
  if (!isOpen) return 'other';
  if (isExpression(textOf(toolName))) return BY_MODEL.test(textOf(toolName)) ? 'all' : 'other';
  return 'one';
}

const serverKey = ({ parameters, credentials }: Step): string =>
  [credentials[0]?.name ?? '', textOf(parameters['uriOverride'])].join(' ');

/**
 * The tools of the community's node for an agent. There a model lists the tools by one node and calls them by another; here it knows them,
 * with their arguments. Undefined for what is a step of its own.
 */
export function communitySource(context: Context, part: Step): Source | undefined {
  const use = useOf(part);
  if (use === 'other') return undefined;
  const siblings = context
    .parts('ai_tool')
    .filter((one) => one.kind === part.kind && serverKey(one) === serverKey(part));
  const first = siblings.find((one) => useOf(one) === 'all');
  if (first !== undefined && first !== part)
    return { difference: `The agent knows all tools of the server by “${first.name}”.` };
  if (use === 'list' && siblings.some((one) => useOf(one) === 'one'))
    return { difference: 'The agent knows its tools without asking for a list.' };
  const only = use === 'one' ? { only: [textOf(part.parameters['toolName'])] } : {};
  return {
    value: { ...communityServer(context, part), ...only },
    difference:
      use === 'list'
        ? 'The agent knows the tools without asking for a list, and may call them.'
        : 'The agent calls the tools by their own names and arguments.',
  };
}
