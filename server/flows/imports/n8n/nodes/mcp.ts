import { tellPart } from '../agents/parts.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Given } from '../job.ts';
import { idFrom, idSource } from '../../../awel/names.ts';
import { asText } from '../params.ts';
import { serviceFlow } from '../agents/service-tools.ts';

/** A server of MCP there is the one of this server: each of its tools becomes a flow, which is a tool at /mcp once it is live. */

function mcpTrigger(context: Context): Given {
  const { params, step } = context;
  const tools = context.parts('ai_tool');
  if (tools.length === 0)
    throw new NotHere('no tool hangs on it', ['a flow with trigger.http, which is a tool at /mcp']);
  params.skip('authentication');
  const nameOf = idSource([]);
  const flows: string[] = [];
  for (const part of tools) {
    const name = nameOf(idFrom(asText(part.parameters['name'] ?? part.name), 'tool')).slice(0, 64);
    const made = toolOf(context, part, name);
    if ('why' in made) {
      context.changed('setting', `The tool “${part.name}” (${part.type}) is not there, since ${made.why}.`, {
        before: part.name,
        lost: true,
      });
      continue;
    }
    tellPart(context, part, 'a flow that is a tool at /mcp');
    flows.push(made.flow);
  }
  context.changed('setting', 'Its tools are at /mcp, of which clients have to be told.', {
    before: `/mcp/${asText(params.get('path') ?? '')}`,
    after: flows.join(', '),
  });
  // The tools are flows of their own; here is a note of them, which a person may start.
  const id = context.add(step.name, {
    operator: 'trigger.manual',
    description: `Was a server of MCP. Its tools are the flows ${flows.join(', ')}.`.slice(0, 10_000),
  });
  return {
    outputs: [
      context.port(id, 'out', {
        card: 'one',
        aligned: new Set([step.name]),
        triggers: new Set([step.name]),
      }),
    ],
    item: undefined,
  };
}

function toolOf(
  context: Context,
  part: Context['step'],
  name: string,
): { readonly flow: string } | { readonly why: string } {
  if (part.kind !== 'toolWorkflow') return serviceFlow(context, part, name, true);
  const flow = context.job.around.flowOf(asText(locatorOf(part.parameters['workflowId'])));
  return flow === undefined
    ? {
        why: 'its workflow is not among the files: import it too, and give it a trigger.http with a request schema',
      }
    : { flow };
}

const locatorOf = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'value' in given ? given.value : given;

export const mcpEntries: readonly Entry[] = [
  {
    kind: 'mcpTrigger',
    word: 'close',
    becomes: 'a flow for each of its tools, which is a tool at `/mcp` once it is live',
    difference: 'The tools of all MCP servers are at one address; `mcpGroups` of the flows separates them.',
    convert: mcpTrigger,
  },
];
