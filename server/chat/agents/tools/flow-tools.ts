import { type Asker, type FileService, type SubFlowService, WeftError } from '#engine';
import type { FileValue } from '#shared/file.ts';
import { isStream } from '#shared/json.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { CHAT_TRIGGER, flowTool } from './flow-tool.ts';
import { resultText, streamText } from './result-text.ts';
import { flowIdOf } from '../flow-id.ts';
import { parseObject } from '../parse-object.ts';
import { filesIn } from '../../../storage/file-store/held-values.ts';
import type { OpenResource } from '../toolbox.ts';
import type { ToolOutput } from './tool.ts';

export interface FlowToolDeps {
  readonly live: (id: string) => LiveFlow | undefined;
  readonly flows: SubFlowService;
  readonly files?: FileService | undefined;
}

/**
 * A resource that is a flow: `value` is its id, or `{ flow, trigger?, description? }`. It runs as a part of the agent's
 * run.
 */
export function openFlowTool({ live, flows, files }: FlowToolDeps): OpenResource {
  return ({ name, value }, { by }) => {
    const id = flowIdOf(value) ?? name;
    const more = parseObject(value) ?? {};
    const flow = live(id);
    if (flow === undefined) throw new WeftError('sub_flow_missing', `there is no live flow ${id}`);
    const { description, parameters, trigger, input } = flowTool(flow, toolTrigger(flow, more['trigger']));
    const given = more['description'];
    return {
      tools: [
        {
          name: name || id,
          description: typeof given === 'string' ? given : description,
          parameters,
          async call(args, { key, part }, signal) {
            const result = await flows.run({ flow: id, trigger, input: input(args), key, part }, by, signal);
            return withFiles(result, by, files);
          },
        },
      ],
    };
  };
}

/** The most files of one result that a model receives. */
const MAX_FILES = 10;

/** The result as text, with the files in it, which belong to the agent's run. */
async function withFiles(
  result: unknown,
  by: Asker,
  files: FileService | undefined,
): Promise<string | ToolOutput> {
  const others: unknown[] = [];
  const text = isStream(result)
    ? await streamText(result, { other: (item) => void others.push(item) })
    : await resultText(result);
  const given = filesIn(isStream(result) ? others : result).slice(0, MAX_FILES);
  if (given.length === 0 || files === undefined) return text;
  const held = await Promise.all(given.map((value) => files.find(value, by)));
  return { text, files: held.filter((file): file is FileValue => file !== undefined) };
}

/**
 * The trigger at which a tool starts its flow: the named one, or the only one. Among several, the one for chats, which needs only
 * a text: a chat flow of DB-GPT has one beside the trigger for HTTP. Throws `sub_flow_trigger`.
 */
export function toolTrigger(flow: LiveFlow, named: unknown): string {
  const triggers = [...flow.compiled.plans.keys()];
  const chats = triggers.filter((id) => flow.flow.nodes[id]?.operator === CHAT_TRIGGER);
  const usual = [triggers, chats].find((some) => some.length === 1)?.[0];
  const found = named === undefined ? usual : triggers.find((id) => id === named);
  if (found !== undefined) return found;
  const list = triggers.join(', ') || 'none';
  throw new WeftError(
    'sub_flow_trigger',
    `name its \`trigger\` in the value of the resource; the flow ${flow.id} has: ${list}`,
  );
}
