import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Port } from '../graph.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { COMMUNITY, communityServer, ownServer, type ServerPlace } from '../agents/mcp-servers.ts';
import { passed, required } from '../text-steps.ts';
import { jsonValue } from './http.ts';

/** Nodes that call a server of MCP without a model. */

interface Operation {
  readonly method: string;
  /** The item of the answer. */
  readonly read: string;
  params?(context: Context, item: Port): Record<string, unknown>;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  executeTool: {
    method: 'tools/call',
    read: '{ result: input }',
    params({ params, text, reads, ...context }, item) {
      const name = params.get('toolName') ?? '';
      if (name === '') throw new NotHere('it names no tool', ['mcp.call']);
      const given = params.get('toolParameters');
      return {
        name: text(name, reads(item)),
        arguments: jsonValue({ params, text, reads, ...context }, given ?? {}, reads(item)),
      };
    },
  },
  listTools: {
    method: 'tools/list',
    read: '{ tools: input.tools.map(one => ({ name: one.name, description: one.description ?? `Execute the ${one.name} tool`, schema: one.inputSchema })) }',
  },
  listResources: { method: 'resources/list', read: '{ resources: input }' },
  listResourceTemplates: { method: 'resources/templates/list', read: '{ resourceTemplates: input }' },
  readResource: {
    method: 'resources/read',
    read: '{ resource: input }',
    params: ({ params, text, reads }, item) => ({ name: text(params.get('resourceUri') ?? '', reads(item)) }),
  },
  listPrompts: { method: 'prompts/list', read: '{ prompts: input }' },
  getPrompt: {
    method: 'prompts/get',
    read: '{ prompt: input }',
    params: ({ params, text, reads }, item) => ({ name: text(params.get('promptName') ?? '', reads(item)) }),
  },
};

/** It calls once, for the first item. */
function community(context: Context): Given {
  const { params, step } = context;
  params.skip('connectionType', 'uriOverride', 'headersOverride');
  const asked = params.text('operation') ?? 'listTools';
  const operation = OPERATIONS[asked];
  if (operation === undefined) throw new NotHere(`it does “${asked}”`, ['mcp.call']);
  const item = firstItem(context, required(context));
  const id = context.add(step.name, {
    operator: 'mcp.call',
    params: {
      ...placeOf(context, item, communityServer(context, step)),
      ...(operation.method !== 'tools/call' && { method: operation.method }),
      ...operation.params?.(context, item),
      ...(step.parameters['connectionType'] === undefined && { timeoutMs: 600_000 }),
    },
  });
  context.wire(item, `${id}.in`);
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${operation.read} }}` },
  });
  context.wire(`${id}.out`, `${made}.in`);
  return gives(context.port(made, 'out', { card: 'one', aligned: new Set([step.name]) }));
}

/** The address may be one that an expression gives. */
function placeOf({ text, reads, step, changed }: Context, item: Port, place: ServerPlace): object {
  const { uriOverride, connectionType = 'cmd' } = step.parameters;
  if (connectionType === 'cmd' || typeof uriOverride !== 'string' || !uriOverride.startsWith('='))
    return place;
  changed('setting', 'It works out the address; headers of its credential are not sent there.', {
    before: step.credentials[0]?.name ?? '',
    lost: step.credentials.length > 0,
  });
  return { url: text(uriOverride, reads(item)) };
}

function firstItem({ add, wire, port, step }: Context, input: Port): Port {
  if (input.card === 'one') return input;
  const id = add(`${step.name} first`, { operator: 'core.map', params: { value: '{{ input[0] }}' } });
  wire(input, `${id}.in`);
  return port(id, 'out', { card: 'one' });
}

/** A tool, for each item. */
function own(context: Context): Given {
  const { params, step } = context;
  params.skip('endpointUrl', 'serverTransport', 'authentication');
  const input = required(context);
  const reads = context.reads(input);
  const tool = params.get('tool') ?? '';
  if (tool === '') throw new NotHere('it names no tool', ['mcp.call']);
  const isJson = params.text('inputMode') === 'json';
  const given = isJson ? params.get('jsonInput') : params.get('parameters.value');
  params.skip('parameters');
  const place = ownServer(context, step);
  const url = 'url' in place ? { url: context.text(place.url, reads) } : {};
  const timeout = params.number('options.timeout');
  if (params.get('options.convertToBinary') !== false)
    context.changed('setting', 'Pictures and sounds of the answer stay texts in base64.');
  const id = itemwise(context, input, {
    operator: 'mcp.call',
    params: {
      ...place,
      ...url,
      name: context.text(tool, reads),
      arguments: isJson ? jsonValue(context, given ?? {}, reads) : context.value(given ?? {}, reads),
      ...(timeout !== undefined && { timeoutMs: timeout }),
    },
  });
  const made = context.add(`${step.name} item`, {
    operator: 'code.run',
    params: { source: OWN_ITEM },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${made}.in`);
  return passed(context, input, made);
}

/** Texts that are JSON are read, as there. */
const OWN_ITEM = `const read = (text) => { try { return JSON.parse(text); } catch { return text; } };
const content = (input.content ?? []).map((part) => (part.type === 'text' ? { ...part, text: read(part.text) } : part));
return {
  ...(input.structuredContent && { structuredContent: input.structuredContent }),
  ...(content.length > 0 && { content }),
};`;

const FAILS = 'If the tool reports a failure, the node fails.';

export const mcpClientEntries: readonly Entry[] = [
  {
    kind: COMMUNITY,
    versions: '1',
    word: 'close',
    becomes: '`mcp.call`',
    difference: `The address of the server is in the credential, and becomes a connection; a server that n8n starts as a program has to be reached over HTTP. ${FAILS}`,
    convert: community,
  },
  {
    kind: 'mcpClient',
    versions: '1 to 1.1',
    word: 'close',
    becomes: '`mcp.call`',
    difference: `Pictures and sounds stay texts in base64. ${FAILS}`,
    convert: own,
  },
];
