import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Tool,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { AcceptedRun } from '#shared/calls-api.ts';
import type { FlowTool } from '../../chat/agents/tools/flow-tool.ts';
import { schemaCheck } from '../../chat/agents/tools/schema-check.ts';
import type { DurableRuns } from '../../execution/durable/durable-runs.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { allSteps } from '#engine';
import type { JsonSchema } from '#shared/json.ts';
import type { Caller } from '../../access/security/access.ts';
import { version } from '../../access/http/version.ts';
import type { Calls } from './calls.ts';
import { callTool, isImmediate, runStatus } from './call-tool.ts';
import { findTool, type Offer, offeredTools } from './offered-tools.ts';
import { type FileDeps, readLinked } from './result-files.ts';

/** One message of a client. */
export interface McpMessage {
  readonly request: Request;
  readonly body: unknown;
  readonly caller: Caller;
  /** Only flows of this group; undefined for all. */
  readonly group: string | undefined;
  /** Distinguishes the calls of one client from those of others. */
  readonly session: string;
  /** Aborts when the client disconnects, or may no longer call. */
  readonly gone: AbortSignal;
}

const INSTRUCTIONS = 'The tools are flows of this Weft server: each runs one and returns its result.';

interface McpContext extends FileDeps {
  readonly flows: FlowService;
  readonly runs: RunHub;
  readonly durable: DurableRuns;
}

/** Answers messages through the SDK, each with a separate server. */
export function createMcp(ctx: McpContext, calls: Calls) {
  return async (message: McpMessage): Promise<Response> => {
    cancelled(message, calls);
    const server = new Server(
      { name: 'weft', title: 'Weft', version },
      {
        capabilities: { tools: { listChanged: true }, resources: {} },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: schemaCheck,
      },
    );
    const { caller, group, session, gone } = message;
    const offer: Offer = { flows: ctx.flows, scopes: caller.scopes, group };
    server.setRequestHandler(ListToolsRequestSchema, async () => {
      const tools = offeredTools(offer);
      const listed = await Promise.all(tools.map((tool) => described(tool, ctx)));
      const canWait = tools.some(({ flow, trigger }) => isDurable(flow, trigger));
      return { tools: [...listed, ...(canWait ? [RUN_STATUS] : [])] };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const given = params.arguments ?? {};
      if (params.name === RUN_STATUS.name) return runStatus(given, ctx);
      const tool = findTool(offer, params.name);
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
      const call = calls.begin(session, extra.requestId);
      const token = extra._meta?.progressToken;
      const progress = (count: number, text: string): void => {
        if (token === undefined) return;
        const params = {
          progressToken: token,
          progress: count,
          ...(text !== '' && { message: endOf(text) }),
        };
        // A client that has gone needs no progress.
        extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
      };
      try {
        const signal = AbortSignal.any([extra.signal, call.signal, gone]);
        const key = caller.kind === 'key' ? caller.name : undefined;
        return await callTool(tool, given, { ...ctx, key, signal, progress });
      } finally {
        call.done();
      }
    });
    // Only results name resources; a list of them would show one caller the files of another.
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readLinked(params.uri, ctx));
    const transport = new WebStandardStreamableHTTPServerTransport({});
    await server.connect(transport);
    return transport.handleRequest(message.request, { parsedBody: message.body });
  };
}

/** The most characters of a text in progress that one notification repeats. */
const MAX_MESSAGE = 200;

function endOf(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `…${text.slice(-MAX_MESSAGE)}`;
}

/** Calls that a client no longer waits for. */
function cancelled({ body, session }: McpMessage, calls: Calls): void {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } };
  const id = params?.requestId;
  const names = typeof id === 'string' || typeof id === 'number';
  if (method === 'notifications/cancelled' && names) calls.cancel(session, id);
}

/** For models that received the status address of a run, which most cannot use otherwise. */
const RUN_STATUS: Tool = {
  name: 'run-status',
  title: 'Status of a run',
  description:
    'Reports the status of a run that had not ended when its tool answered, and its result once it has ended.',
  inputSchema: {
    type: 'object',
    required: ['statusUrl'],
    properties: { statusUrl: { type: 'string', description: 'The statusUrl that the tool answered.' } },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

async function described(tool: FlowTool, { flows }: Pick<McpContext, 'flows'>): Promise<Tool> {
  const { name, description, parameters, flow, trigger } = tool;
  const title = flow.flow.name;
  const outputSchema = givenBy(tool, (await flows.schemas(flow.id))?.[trigger]?.gives);
  return {
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: annotationsOf(tool),
    ...(title !== undefined && { title }),
  };
}

/** Only if each result is certain to be an object: clients refuse one that does not fit. */
function givenBy(tool: FlowTool, gives: JsonSchema | undefined): Tool['outputSchema'] {
  if (isImmediate(tool)) return z.toJSONSchema(AcceptedRun) as Tool['outputSchema'];
  // A durable run may answer with its status address instead.
  if (isDurable(tool.flow, tool.trigger)) return undefined;
  return gives?.['type'] === 'object' ? (gives as Tool['outputSchema']) : undefined;
}

/** The effects of a flow's operators as annotations; a tool that changes nothing outside can be called without asking. */
function annotationsOf({ flow, trigger }: FlowTool): ToolAnnotations {
  const plan = flow.compiled.plans.get(trigger);
  // A step with a body does what the steps of the body do.
  const steps = plan ? [...allSteps(plan)].filter(({ operator, body }) => !operator.trigger && !body) : [];
  const effects = new Set(steps.map(({ operator }) => operator.effects));
  const readOnlyHint = !effects.has('write') && !effects.has('wait');
  return { readOnlyHint, openWorldHint: !readOnlyHint || effects.has('read') };
}
