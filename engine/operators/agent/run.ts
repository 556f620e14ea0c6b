import { z } from 'zod';
import { type Call, defineOperator, optionalInput, output, WeftError } from '../../base/operator.ts';
import type { AgentCall, InlineAgent } from '../../base/services.ts';
import { chatInputOf } from '../_chat-input.ts';

const tool = z.object({
  type: z
    .enum(['flow', 'http', 'mcp', 'knowledge', 'database'])
    .describe(
      'The kind of tool: another flow, a request to a server, the tools of an MCP server, a knowledge space, or a connection to a database.',
    ),
  name: z.string().min(1).max(100).describe('The name that the agent uses for it.'),
  value: z
    .unknown()
    .describe(
      'The id of the flow, the address of the server, the name of the space or of the connection, or an object with more (docs/agents.md).',
    ),
  needsApproval: z
    .boolean()
    .optional()
    .describe(
      'People must approve each call: the run waits, and they see the arguments and may change them. The run is durable then, unless a chat starts it.',
    ),
});

const agent = z.object({
  name: z.string().min(1).max(100).default('Assistant').describe('Name of the agent that answers.'),
  prompt: z
    .string()
    .max(100_000)
    .default('')
    .describe('The role of the agent, and how it should answer.')
    .meta({ widget: 'textarea' }),
  model: z
    .string()
    .max(200)
    .optional()
    .describe('The model to use; the default of the server if left out.')
    .meta({ widget: 'model' }),
  tools: z
    .array(tool)
    .max(100)
    .default([])
    .describe('The tools that the agent can call.')
    .meta({ widget: 'tools' }),
});

const budget = z.object({
  tokens: z.int().min(1).optional().describe('Most tokens of all model calls together.'),
  cost: z.number().positive().optional().describe('Most money, in the currency of the prices of the models.'),
  steps: z.int().min(1).max(1000).optional().describe('Most model calls.'),
  timeMs: z.int().min(1).max(86_400_000).optional().describe('Longest time in milliseconds.'),
});

const params = z.object({
  app: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The code of the app whose team answers; leave it out to write an agent here.')
    .meta({ widget: 'app', when: { param: 'agent', is: [null] } }),
  agent: agent
    .optional()
    .describe('An agent defined in this node, in place of an app.')
    .meta({ when: { param: 'app', is: [null] } }),
  budget: budget.prefault({}).describe('Budget of one answer, besides the limits of the server.'),
  input: z
    .unknown()
    .default('{{ input }}')
    .describe('The question: a text, a list of messages, or what a chat trigger gives.')
    .meta({ widget: 'value' }),
});

export default defineOperator({
  title: 'Run agents',
  doc: 'Lets an agent, or the team of an app, answer a question and streams the answer. Agents call models and tools: other flows, HTTP, MCP servers, knowledge spaces, databases. Each of their steps is in the log of the run.',
  icon: 'bot',
  summary: '[{agent.name}][ · {agent.model}][{app}]',
  synonyms: 'agent, ai agent, assistant, autonomous, tools agent, crew, openai assistant',
  params,
  options: { Limits: ['budget'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      kind: 'stream',
      doc: 'The answer piece by piece: texts, tool calls, plans, and who speaks; at the end the number of tokens.',
    }),
  },
  effects: 'write',
  idempotent: true,
  examples: [
    {
      title: 'Ask an agent',
      params: { agent: { name: 'Echo', prompt: 'Repeat what you are told.' } },
      inputs: { in: 'Hello' },
      outputs: {
        out: [
          { type: 'speaker', sender: 'Echo', receiver: 'User', model: null },
          { type: 'text', text: 'Hello' },
          {
            type: 'finish',
            reason: 'stop',
            usage: { inputTokens: 1, outputTokens: 1 },
            model: 'demo/echo',
          },
        ],
      },
    },
    {
      title: 'An app that there is not',
      params: { app: 'nobody' },
      inputs: { in: 'Hello' },
      error: 'app_not_found',
    },
  ],
  run(call) {
    const { idempotencyKey: key } = call;
    const asked: AgentCall = {
      who: whoOf(call.params),
      input: chatInputOf(call.params.input),
      budget: call.params.budget,
      key,
      strand: () => call.strand(),
      log: (...said) => call.log(...said),
    };
    return call.service('agents').run(asked, call.asker, call.signal);
  },
});

function whoOf({ app, agent: own }: Call<z.output<typeof params>>['params']): string | InlineAgent {
  if (app !== undefined && own === undefined) return app;
  if (own !== undefined && app === undefined) return { ...own, model: own.model };
  throw new WeftError('bad_params', 'Give either `app` or `agent`, so that it is clear who answers.', {
    field: app === undefined ? 'params.app' : 'params.agent',
  });
}
