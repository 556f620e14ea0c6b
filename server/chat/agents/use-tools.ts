import { WeftError } from '#engine';
import { type ChatMessage, storedPart, type ToolCall } from '#shared/chat-item.ts';
import type { FileValue } from '#shared/file.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { askApproval } from './approval.ts';
import type { Toolbox } from './toolbox.ts';
import type { Tool, ToolOutput } from './tools/tool.ts';
import { withSignal } from './with-signal.ts';
import type { Work } from './work.ts';

/** The longest duration of one tool call, in milliseconds. */
const TOOL_TIMEOUT_MS = 120_000;
/** The most characters of a result that a model gets. */
const MAX_RESULT = 32_000;
/** The most calls of a round that run at the same time. */
const AT_ONCE = 8;

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/**
 * Executes the calls of one round in parallel, and returns the messages for the model in the order of the calls. A
 * failure of a tool is its result; only the end of the whole work is thrown.
 */
export async function useTools(
  calls: readonly ToolCall[],
  toolbox: Toolbox,
  agent: string,
  work: Work,
): Promise<ToolMessage[]> {
  for (const call of calls) await work.emit({ type: 'tool-call', call });
  const results: Promise<ToolResult>[] = [];
  for (const call of calls) {
    const before = results.length < AT_ONCE ? undefined : results.at(-AT_ONCE);
    const place = { name: work.nextName('t'), key: toolbox.nextKey() };
    const result = Promise.resolve(before).then(() => useTool(call, place, { toolbox, agent }, work));
    // A call that fails while an earlier one is awaited must not count as unhandled.
    result.catch(() => {});
    results.push(result);
  }
  const messages: ToolMessage[] = [];
  for (const [i, { id, name }] of calls.entries()) {
    const { content, failed, files } = (await results[i]) as ToolResult;
    await work.emit({ type: 'tool-result', call: id, name, content, failed });
    const parts = [{ type: 'text' as const, text: content }, ...files.map(storedPart)];
    messages.push({ role: 'tool', content, toolCallId: id, name, ...(files.length > 0 && { parts }) });
  }
  return messages;
}

interface ToolResult {
  readonly content: string;
  readonly failed: boolean;
  readonly files: readonly FileValue[];
}

/** The name of a call within its step, and its idempotency key. */
interface CallPlace {
  readonly name: string;
  readonly key: string;
}

interface Using {
  readonly toolbox: Toolbox;
  readonly agent: string;
}

async function useTool(
  call: ToolCall,
  at: CallPlace,
  { toolbox, agent }: Using,
  work: Work,
): Promise<ToolResult> {
  const { signal, log, strand } = work;
  const { id, name } = call;
  try {
    const tool = toolbox.find(name);
    const approval =
      tool.needsApproval === true
        ? await askApproval({ tool, call, agent, name: at.name }, work)
        : { args: call.arguments, note: '' };
    if ('refused' in approval) {
      log('info', `${name} was not used`, { agent, tool: name, call: id, content: approval.refused });
      return { content: approval.refused, failed: true, files: [] };
    }
    const { args, note } = approval;
    log('info', `${agent} uses ${name}`, { agent, tool: name, call: id, arguments: args });
    const output = await strand.part({ name: at.name, input: { tool: name, arguments: args }, signal }, () =>
      callTool(tool, args, at, signal),
    );
    const { text, files } = typeof output === 'string' ? { text: output, files: [] } : (output as ToolOutput);
    const content = shortened(note === '' ? text : `${note}\n\n${text}`);
    log('info', `${name} answered`, { agent, tool: name, call: id, content });
    return { content, failed: false, files };
  } catch (error) {
    signal.throwIfAborted();
    const content = shortened(failureText(error));
    const { data } = error as Partial<WeftError>;
    log('warn', `${name} failed`, {
      agent,
      tool: name,
      call: id,
      content,
      ...(data !== undefined && { data }),
    });
    return { content, failed: true, files: [] };
  }
}

export async function callTool(
  tool: Tool,
  args: unknown,
  { name, key }: CallPlace,
  signal: AbortSignal,
): Promise<string | ToolOutput> {
  // Some models send no arguments at all to a tool without parameters.
  const given = args === '' || args === undefined || args === null ? {} : args;
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new WeftError('bad_input', 'The arguments must be a JSON object that fits the schema of the tool.');
  }
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TOOL_TIMEOUT_MS)]);
  return withSignal(
    tool.call(
      given as Readonly<Record<string, unknown>>,
      { key, part: { index: name, attempt: 1 } },
      limited,
    ),
    limited,
  );
}

export function failureText(error: unknown): string {
  if (error instanceof WeftError || error instanceof ServiceError)
    return `Error ${error.code}: ${error.message}`;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `Error: The tool took longer than ${TOOL_TIMEOUT_MS / 1000} seconds.`;
  return `Error: ${error instanceof Error ? error.message : 'the tool failed.'}`;
}

export function shortened(text: string): string {
  if (text.length <= MAX_RESULT) return text;
  return `${text.slice(0, MAX_RESULT)}\n… (${text.length - MAX_RESULT} more characters were left out)`;
}
