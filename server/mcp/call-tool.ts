import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Run, type RunAnswer, WeftError } from '#engine';
import type { FlowTool } from '../agents/tools/flow-tool.ts';
import { resultText } from '../agents/tools/result-text.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { signatureOf } from '../runs/signature.ts';
import { isStream } from '../triggers/answer.ts';

export interface ToolCallParts {
  readonly runs: Context['runs'];
  /** Name of the key that calls, for budgets and for who used what. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  /** Called with each item of a streamed result. */
  readonly progress: (count: number) => void;
}

/** Runs the flow behind a tool. Its failure is a result too, for the model to read. */
export async function callTool(
  tool: FlowTool,
  args: Readonly<Record<string, unknown>>,
  parts: ToolCallParts,
): Promise<CallToolResult> {
  try {
    const run = startRun(tool, args, parts);
    const stop = (): void => run.cancel('stop');
    parts.signal.addEventListener('abort', stop, { once: true });
    if (parts.signal.aborted) stop();
    run.onEnd(() => parts.signal.removeEventListener('abort', stop));
    if (isImmediate(tool)) return textResult(JSON.stringify({ run: run.id }));
    const answer = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
    return await resultOf(run, answer, parts);
  } catch (error) {
    if (error instanceof WeftError || error instanceof ServiceError) return failure(error);
    throw error;
  }
}

function startRun(
  { flow, trigger, input }: FlowTool,
  args: Readonly<Record<string, unknown>>,
  { runs, key }: ToolCallParts,
): Run {
  const { output, request } = signatureOf(flow, trigger).accept(input(args, key));
  return runs.start({ flow, trigger, request, output, source: 'mcp', apiKey: key });
}

function isImmediate({ flow, trigger }: FlowTool): boolean {
  return flow.compiled.plans.get(trigger)?.params['answer'] === 'immediately';
}

async function resultOf(run: Run, answer: RunAnswer, { progress }: ToolCallParts): Promise<CallToolResult> {
  if (answer.kind === 'error') return failure(answer.error);
  if (answer.kind === 'empty') return textResult('');
  const { status = 200, body } = answer;
  if (isStream(body)) run.endClock();
  const text = await resultText(isStream(body) ? counted(body, progress) : body);
  if (status >= 400) return { ...textResult(`Status ${status}: ${text}`), isError: true };
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body) && !isStream(body);
  return isObject ? { ...textResult(text), structuredContent: { ...body } } : textResult(text);
}

async function* counted(
  items: AsyncIterable<unknown>,
  progress: (count: number) => void,
): AsyncGenerator<unknown> {
  let count = 0;
  for await (const item of items) {
    progress(++count);
    yield item;
  }
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function failure({ code, message }: { readonly code: string; readonly message: string }): CallToolResult {
  return { ...textResult(`Error ${code}: ${message}`), isError: true };
}
