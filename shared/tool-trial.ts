import { z } from 'zod';

/** Trying a tool of an agent, as a node of a flow has it. */
export const ToolTrialBody = z.strictObject({
  node: z.string().min(1).max(64).describe('The node whose agent has the tool: grants are looked up for it.'),
  tool: z
    .strictObject({
      type: z.enum(['flow', 'http', 'mcp', 'knowledge', 'database']),
      name: z.string().min(1).max(100),
      value: z.json().describe('As in the settings of `agent.run`.'),
    })
    .describe('The tool as it is written now, which need not be saved.'),
  call: z
    .strictObject({
      name: z
        .string()
        .min(1)
        .max(100)
        .describe('One of the `tools` of an earlier answer: an MCP server has several.'),
      arguments: z.record(z.string(), z.json()).default({}),
    })
    .optional()
    .describe('Without it the tools are only listed.'),
});
export type ToolTrialBody = z.infer<typeof ToolTrialBody>;

export const ToolTrial = z.object({
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().describe('What the model is told.'),
        parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
      }),
    )
    .readonly(),
  answer: z
    .object({ ok: z.boolean(), text: z.string().describe('What the model would get.') })
    .optional()
    .describe('Only after a call.'),
  failure: z
    .object({ code: z.string(), message: z.string() })
    .optional()
    .describe('Why the tool cannot be used at all.'),
});
export type ToolTrial = z.infer<typeof ToolTrial>;
