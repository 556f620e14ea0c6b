import { isRecord } from '#shared/json.ts';
import type { NameKind } from './schema-form.ts';

/** A tool of an agent as a flow holds it: `value` is what it leads to, alone or in an object with more. */
export interface AgentTool {
  readonly type: string;
  readonly name: string;
  readonly value: unknown;
  readonly needsApproval?: boolean;
}

/** A kind of tool, as data for its form. */
export interface ToolKind {
  readonly type: string;
  readonly title: string;
  /** The key of what it leads to, where the value is an object. */
  readonly key: string;
  /** What it leads to has a name that can be chosen; otherwise it is an address. */
  readonly of?: NameKind;
  readonly placeholder?: string;
  /** An MCP server describes its tools itself. */
  readonly isDescribed: boolean;
}

export const TOOL_KINDS: readonly ToolKind[] = [
  { type: 'flow', title: 'Flow', key: 'flow', of: 'flow', isDescribed: true },
  {
    type: 'http',
    title: 'HTTP request',
    key: 'url',
    placeholder: 'https://api.example.com/orders/{id}',
    isDescribed: true,
  },
  {
    type: 'mcp',
    title: 'MCP server',
    key: 'url',
    placeholder: 'https://tools.example.com/mcp',
    isDescribed: false,
  },
  { type: 'knowledge', title: 'Knowledge space', key: 'space', of: 'space', isDescribed: true },
  { type: 'database', title: 'Database', key: 'connection', of: 'connection', isDescribed: true },
];

/** The tools in a setting of an agent; whatever is none of them is read as an empty tool. */
export function toolsIn(value: unknown): readonly AgentTool[] {
  return Array.isArray(value) ? value.map(toolOf) : [];
}

function toolOf(value: unknown): AgentTool {
  const { type, name, value: leads, needsApproval } = isRecord(value) ? value : {};
  return {
    type: typeof type === 'string' ? type : 'flow',
    name: typeof name === 'string' ? name : '',
    value: leads,
    ...(needsApproval === true && { needsApproval }),
  };
}

/** The target of the tool: the id of a flow, an address, the name of a space or of a connection. */
export function targetOf({ value }: AgentTool, { key }: ToolKind): string {
  const target = isRecord(value) ? value[key] : value;
  return typeof target === 'string' ? target : '';
}

/** The value of the tool with another target; the rest of it stays. */
export function withTarget({ value }: AgentTool, { key }: ToolKind, target: string): unknown {
  return isRecord(value) ? { ...value, [key]: target } : target;
}

/** The words that tell the model when to use it; empty for none. */
export function descriptionOf({ value }: AgentTool): string {
  const text = isRecord(value) ? value['description'] : undefined;
  return typeof text === 'string' ? text : '';
}

/** The value becomes an object with the first description, and is as short as before when that is gone. */
export function withDescription(tool: AgentTool, kind: ToolKind, text: string): unknown {
  const { description: _, ...rest } = isRecord(tool.value)
    ? tool.value
    : { [kind.key]: targetOf(tool, kind) };
  if (text !== '') return { ...rest, description: text };
  const [only, ...others] = Object.keys(rest);
  return only === kind.key && others.length === 0 ? rest[kind.key] : rest;
}

/** A name that models accept and no other tool has: `Order status` becomes `order_status`. */
export function toolName(title: string, taken: readonly string[]): string {
  const base =
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 60) || 'tool';
  let name = base;
  for (let n = 2; taken.includes(name); n++) name = `${base}_${n}`;
  return name;
}

/** The reasons that may keep a model from calling a tool, for the person who wonders why it did not. */
export function whyNotCalled(
  tool: AgentTool,
  kind: ToolKind,
  { model, isDraft, isUndescribed }: { model: string; isDraft: boolean; isUndescribed: boolean },
): readonly string[] {
  return [
    targetOf(tool, kind) === '' && 'It leads nowhere yet.',
    isDraft && 'Its flow is a draft: publish it, so that it can be called.',
    isUndescribed &&
      kind.isDescribed &&
      'Nothing tells the model when to use it: write that under “When to use it”.',
    model.startsWith('demo/') &&
      `The model ${model} is a demo: it calls a tool only if the message names it.`,
  ].filter((text) => text !== false);
}
