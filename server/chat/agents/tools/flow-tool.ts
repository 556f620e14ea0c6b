import type { Plan } from '#engine';
import type { ChatInput } from '#shared/chat-item.ts';
import type { JsonSchema } from '#shared/json.ts';
import { propertiesOf, resolve, typesOf } from '#shared/json-schema.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';

/** The trigger of chats; as a tool it takes a text. */
export const CHAT_TRIGGER = 'trigger.chat';

/** A flow as a tool of a model. */
export interface FlowTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonSchema;
  readonly flow: LiveFlow;
  readonly trigger: string;
  /** The input that the run starts with; `key` is the calling API key, for its budget. */
  input(args: Readonly<Record<string, unknown>>, key?: string): unknown;
}

/** A trigger of a live flow as a tool: it accepts the input of the request schema, or a text for a chat. */
export function flowTool(flow: LiveFlow, trigger: string): FlowTool {
  const plan = flow.compiled.plans.get(trigger) as Plan;
  const { name, description } = flow.flow;
  const about = description ?? name ?? `The flow ${flow.id}.`;
  const common = { name: flow.id, description: about, flow, trigger };
  if (triggerType(plan) === CHAT_TRIGGER) return { ...common, parameters: QUESTION, input: asQuestion };
  const schema = requestSchema(plan);
  if (schema === undefined) return { ...common, parameters: ANYTHING, input: (args) => args };
  if (takesObject(schema)) return { ...common, parameters: schema, input: (args) => args };
  const wrapped = { type: 'object', required: ['input'], properties: { input: schema } };
  return { ...common, parameters: wrapped, input: (args) => args['input'] };
}

/** The schema of a trigger's input, if it declares one. */
export function requestSchema({ params }: Plan): JsonSchema | undefined {
  return (params['request'] ?? params['input']) as JsonSchema | undefined;
}

export function triggerType(plan: Plan): string | undefined {
  return plan.steps[plan.triggerStep]?.type;
}

const ANYTHING: JsonSchema = { type: 'object', properties: {} };

const QUESTION: JsonSchema = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', description: 'The question or task, in words.' } },
};

function asQuestion({ text }: Readonly<Record<string, unknown>>, key?: string): ChatInput {
  const content = typeof text === 'string' ? text : JSON.stringify(text ?? '');
  const messages = [{ role: 'user', content }] as const;
  return {
    text: content,
    messages,
    history: [],
    files: [],
    conversation: '',
    model: null,
    stream: false,
    ...(key !== undefined && { key }),
  };
}

function takesObject(schema: JsonSchema): boolean {
  const root = resolve(schema, schema);
  const types = typesOf(root);
  return types ? types.length === 1 && types[0] === 'object' : propertiesOf(root, schema).size > 0;
}
