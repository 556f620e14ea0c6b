import type { ModelCall, ModelTool } from '#engine';
import type { ChatMessage } from '#shared/chat-item.ts';
import { exampleInput } from '#shared/example-input.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { type DemoStep, lastText, scriptedSteps, withoutScript } from './script.ts';

const NOTICE = 'This is the demo model: no real model was asked.';
const COUNT = /\bcount (?:up )?to (\d{1,5})\b/i;
/** The pause between chunks of `slow`, in milliseconds. */
const SLOW_PACE = 50;

/**
 * The answer of the demo model: always the same for the same call, without any network. A script in the messages determines it;
 * otherwise it returns JSON for a schema, with the user's words where these are choices, calls a tool that the user names, counts, or repeats the message.
 */
export function demoSteps(model: string, call: ModelCall): DemoStep[] {
  const steps = scriptedSteps(call.messages) ?? unscripted(model, call);
  return model === 'slow' ? [{ kind: 'pace', ms: SLOW_PACE }, ...steps] : steps;
}

function unscripted(model: string, call: ModelCall): DemoStep[] {
  const { messages, schema } = call;
  const userText = withoutScript(lastText(messages, 'user'));
  const tool = wantedTool(call, userText);
  if (tool) return [{ kind: 'call', name: tool.name, arguments: argumentsFor(tool, userText) }];
  if (schema) return [{ kind: 'say', text: JSON.stringify(fitting(schema, userText)) }];
  if (call.json === true) return [{ kind: 'say', text: JSON.stringify({ answer: userText }) }];
  if (model === 'echo') return [{ kind: 'say', text: userText }];
  return [{ kind: 'say', text: `${NOTICE} ${reply(messages, userText)}` }];
}

function reply(messages: readonly ChatMessage[], userText: string): string {
  const last = messages.at(-1);
  if (last?.role === 'tool') return `The tool ${last.name ?? last.toolCallId} answered: ${last.content}`;
  const count = COUNT.exec(userText)?.[1];
  if (count === undefined) return `You said: ${userText}`;
  return Array.from({ length: Number(count) }, (_, index) => index + 1).join(' ');
}

/** The tool that the user names, or the first one if a call is required; none once a tool has answered. */
function wantedTool(
  { tools = [], toolChoice, messages }: ModelCall,
  userText: string,
): ModelTool | undefined {
  if (toolChoice === 'none' || messages.at(-1)?.role !== 'user') return undefined;
  return (
    tools.find(({ name }) => userText.includes(name)) ?? (toolChoice === 'required' ? tools[0] : undefined)
  );
}

/** An example of the schema; where a field is one of several words, the first of them that the user has written. */
function fitting(schema: JsonSchema, userText: string): unknown {
  const example = exampleInput(schema) ?? null;
  if (!isRecord(example) || !isRecord(schema['properties'])) return example;
  const words = new Set(userText.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  const said = Object.entries(schema['properties']).flatMap(([name, field]) => {
    const choices: unknown = isRecord(field) ? field['enum'] : undefined;
    const found = Array.isArray(choices) && choices.find((one) => words.has(String(one).toLowerCase()));
    return typeof found === 'string' ? [[name, found] as const] : [];
  });
  return { ...example, ...Object.fromEntries(said) };
}

/** Example arguments; the first text among them is the user's message. */
function argumentsFor({ parameters }: ModelTool, userText: string): unknown {
  const example = exampleInput(parameters);
  if (typeof example !== 'object' || example === null) return {};
  const text = Object.entries(example).find(([, value]) => typeof value === 'string')?.[0];
  return text === undefined ? example : { ...example, [text]: userText };
}
