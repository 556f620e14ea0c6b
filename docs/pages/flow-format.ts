import { z } from 'zod';
import { Flow, FlowNode, Id } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import { fieldsOf } from './json-schema.ts';
import { code, page, table } from './markdown.ts';

/** What the schemas do not say themselves. A field without a line here, or a line without a field, fails the generation. */
const flowMeanings: Record<string, string> = {
  format:
    'The version of the format: 1, or 2 for a flow with `each`, `body` or `pick`. Servers before 0.3 read only 1.',
  id: 'The name of the flow in addresses and references; the same as the name of its file.',
  name: 'Shown to people.',
  description: 'Shown to people.',
  nodes: 'The nodes by id.',
  'nodes.*.operator': 'The kind of the node, e.g. `text.template`; [operators.md](operators.md) lists them.',
  'nodes.*.name': 'Shown to people instead of the id.',
  'nodes.*.description': 'Shown to people.',
  'nodes.*.disabled':
    'The node does not run: it passes its value on where it can, otherwise the nodes after it are skipped.',
  folder:
    'Folders in the list of flows, the outer one first: `Sales/Orders`. It says nothing about where the file is; a flow without it is listed in the folders of its file.',
  tags: 'Words by which the flow is found, each once.',
  'nodes.*.params': 'Settings of the operator; values may hold [expressions](expressions.md).',
  'nodes.*.onError':
    'After a failure: end the run, go on with `fallback`, or go on at the output `error`. `fail` when absent.',
  'nodes.*.fallback':
    'The value of each output after a failure, with `continue`. Plain data, in which `{{ }}` is not evaluated.',
  'nodes.*.retry':
    'Repeats an attempt that failed for a reason that may be temporary. The node waits for the back-off, or for the time that the other side named in `Retry-After` if that is longer. It never waits longer for `Retry-After` than `timeoutMs`, or than ten minutes without a `timeoutMs`.',
  'nodes.*.timeoutMs': 'Limit of one attempt, in milliseconds.',
  'nodes.*.cache':
    'Reuses an earlier output of the node for the same params and input, or for the same `key`, in place of running the node. Outputs are in the memory of the server. Only nodes that write nothing may have it. A request (`http.request`) writes nothing with the methods GET, HEAD and OPTIONS.',
  'nodes.*.each':
    'Runs the node once for each item of a list or stream ([lists.md](../lists.md)); needs format 2. `retry`, `timeoutMs`, `onError` and `cache` apply to each item.',
  'nodes.*.body':
    'The nodes within the node, for an operator that runs them: `start` (the id under which they find their input), `nodes` and `edges`, as in a flow ([lists.md](../lists.md)); needs format 2.',
  edges: 'The connections, one from an output to an input each.',
  'edges[].from': 'The output, as `node.port`.',
  'edges[].pick':
    'The field of the value that the edge carries, a path such as `orders` or `order.lines[0]`; without it the whole value ([lists.md](../lists.md#a-field-on-an-edge)). Needs format 2.',
  'edges[].to': 'The input, as `node.port`.',
  'edges[].order': 'Puts the edges into one input into an order; the lower one first, then by `from`.',
  settings: 'Settings of the whole flow.',
  'settings.timeoutMs':
    'Time limit of a run, in milliseconds, a streamed answer included (docs/calling.md). When absent: 30,000 (30 seconds) for runs in memory, 300,000 with a model or an agent, and no limit for durable runs.',
  'settings.concurrency': 'How many nodes may wait for something at once; 1 runs them one after the other.',
  'settings.maxStreamBuffer':
    'How many items a consumer of a stream may fall behind where consumers wait for each other (10,000); then the run fails.',
  'settings.record': 'How much of each run is stored.',
  'settings.onDisconnect':
    'Whether a run ends when its caller disconnects before the answer. When absent, a run that answers a GET or sends a stream ends; any other run continues, since it may change things.',
  'settings.durable':
    'Whether runs outlive the process (docs/durable-runs.md). When absent, they do if the trigger or a node needs it.',
  'settings.maxRuns':
    'How many runs may be in progress at once: of the flow, or for each value of `maxRunsKey` (docs/calling.md).',
  'settings.maxRunsKey':
    'A template over `trigger`. `maxRuns` counts the runs with the same text separately, such as the runs of one customer with `{{ trigger.body.customer }}`.',
  'settings.whenFull':
    'Whether a run beyond `maxRuns` waits for its turn or is refused. When absent, durable runs wait and others are refused.',
  'settings.timezone':
    'The zone in which expressions read and write times, such as Europe/Oslo; that of the server (`WEFT_TIMEZONE`) when absent.',
  'settings.onFailure': 'Id of the flow that is started when a run has failed (docs/calling.md).',
  'settings.mcp': 'Whether `/mcp` offers the flow as a tool (docs/mcp.md); true by default.',
  'settings.mcpGroups':
    'Groups of MCP tools: `/mcp/<group>` offers only the flows of that group (docs/mcp.md).',
};

const layoutMeanings: Record<string, string> = {
  format: 'The version of the format.',
  nodes: 'Where each node is drawn, by id; sizes where they are not the usual ones.',
  notes: 'Notes on the canvas.',
  groups: 'Frames around nodes.',
  'groups[].nodes': 'Ids of the nodes in the frame.',
  viewport: 'The part of the canvas that was shown last.',
};

const example = {
  format: 1,
  id: 'hello',
  nodes: {
    greet: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}' } },
    trigger: { operator: 'trigger.http', params: { path: '/hello', auth: 'none' } },
  },
  edges: [{ from: 'trigger.out', to: 'greet.in' }],
};

/** Without what is in a body, which is described as the flow around it. */
const flat = Flow.extend({
  nodes: z.record(Id, FlowNode.extend({ body: z.record(z.string(), z.unknown()).optional() })),
});

/** The flow file and the layout file. */
export function flowFormatPage(): string {
  return page(
    '# The flow file',
    'A flow is two files: `<id>.json` is what runs, `<id>.layout.json` is how it is drawn. Both are JSON; keys that this version does not know are kept. `weft fmt` writes a file in its canonical form, which keeps differences small.',
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    '## Flow',
    fields(flat, flowMeanings, true),
    '## Layout',
    fields(Layout, layoutMeanings, false),
  );
}

function fields(schema: z.ZodType, meanings: Record<string, string>, complete: boolean): string {
  const all = fieldsOf(z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>);
  const unknown = Object.keys(meanings).filter((path) => !all.some((field) => field.path === path));
  const silent = all
    .filter((field) => complete && !field.doc && !meanings[field.path])
    .map((field) => field.path);
  if (unknown.length + silent.length > 0) {
    throw new Error(
      `docs/pages/flow-format.ts: no such field: ${unknown.join(', ')}; no meaning: ${silent.join(', ')}`,
    );
  }
  return table(
    ['field', 'type', '', 'meaning'],
    all.map((field) => [
      code(field.path),
      field.type,
      field.required ? 'required' : field.defaultValue,
      meanings[field.path] ?? field.doc,
    ]),
  );
}
