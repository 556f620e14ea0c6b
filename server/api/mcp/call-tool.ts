import { withPlace } from '../../execution/runs/run-limits.ts';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { handleOf } from '#shared/file.ts';
import { type Run, type RunAnswer, WeftError } from '#engine';
import type { AcceptedRun } from '#shared/calls-api.ts';
import { isRecord, isStream } from '#shared/json.ts';
import type { FlowTool } from '../../chat/agents/tools/flow-tool.ts';
import { resultText, streamText } from '../../chat/agents/tools/result-text.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { DurableView, DurableRuns } from '../../execution/durable/durable-runs.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { signatureOf } from '../../execution/starts/signature.ts';
import { fileContent, type FileDeps } from './result-files.ts';

export interface ToolCallDeps extends FileDeps {
  readonly runs: RunHub;
  readonly durable: DurableRuns;
  /** Name of the calling key, for budgets and usage. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  /** Called with each item of a streamed result, and with the text so far. */
  readonly progress: (count: number, text: string) => void;
}

/** Runs the flow behind a tool. Its failure is also a result, which the model can read. */
export async function callTool(
  tool: FlowTool,
  args: Readonly<Record<string, unknown>>,
  deps: ToolCallDeps,
): Promise<CallToolResult> {
  try {
    if (isDurable(tool.flow, tool.trigger)) return await callDurable(tool, args, deps);
    const run = deps.runs.start(await withPlace(deps.runs, requestOf(tool, args, deps)));
    const stop = (): void => run.cancel('stop');
    deps.signal.addEventListener('abort', stop, { once: true });
    if (deps.signal.aborted) stop();
    run.onEnd(() => deps.signal.removeEventListener('abort', stop));
    const answer = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
    return await resultOf(run, answer, deps);
  } catch (error) {
    if (error instanceof WeftError || error instanceof ServiceError) return failure(error);
    throw error;
  }
}

function requestOf(
  { flow, trigger, input }: FlowTool,
  args: Readonly<Record<string, unknown>>,
  { key }: Pick<ToolCallDeps, 'key'>,
): RunRequest {
  const { output, request } = signatureOf(flow, trigger).accept(input(args, key));
  return { flow, trigger, request, output, source: 'mcp', apiKey: key };
}

/** How long a call waits for a durable run, in milliseconds, before its caller gets the status address. */
const PATIENCE_MS = 60_000;

/**
 * Runs that outlive their call: returns the result if it comes soon, otherwise the run's status address, for the
 * tool `run-status`. A caller that disconnects does not affect the run.
 */
async function callDurable(
  tool: FlowTool,
  args: Readonly<Record<string, unknown>>,
  deps: ToolCallDeps,
): Promise<CallToolResult> {
  const { durable, links, signal } = deps;
  const { run } = await durable.start(requestOf(tool, args, deps));
  const accepted = async (status: AcceptedRun['status']): Promise<CallToolResult> =>
    objectResult({ run, status, statusUrl: await links.of(run) } satisfies AcceptedRun);
  if (isImmediate(tool)) return await accepted('running');
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    const view = await durable.settled(run, AbortSignal.any([signal, late]));
    return isOver(view) ? await endOf(view, deps) : await accepted('waiting');
  } catch (error) {
    if (late.aborted) return await accepted('running');
    throw error;
  }
}

/** Whether runs of the tool answer before they end. */
export function isImmediate({ flow, trigger }: FlowTool): boolean {
  return flow.compiled.plans.get(trigger)?.params['answer'] === 'immediately';
}

/** The status of a run, for callers with its status address. */
export async function runStatus(
  { statusUrl }: { readonly statusUrl?: unknown },
  deps: FileDeps & Pick<ToolCallDeps, 'durable'>,
): Promise<CallToolResult> {
  const { durable, links } = deps;
  const url = typeof statusUrl === 'string' ? URL.parse(statusUrl, 'http://localhost') : null;
  const run = url?.pathname.split('/').at(-1) ?? '';
  const fits = url !== null && (await links.fits(run, url.searchParams.get('token') ?? ''));
  const view = fits ? await durable.get(run) : undefined;
  if (view === undefined) return failure(new ServiceError('run_not_found'));
  if (isOver(view)) return endOf(view, deps);
  return objectResult({ run, status: view.status, statusUrl: await links.of(run) });
}

function isOver({ status }: DurableView): boolean {
  return status === 'ok' || status === 'failed' || status === 'cancelled';
}

async function endOf({ run, status, answer, error }: DurableView, deps: FileDeps): Promise<CallToolResult> {
  if (status === 'cancelled') return failure(new ServiceError('run_cancelled'));
  if (status === 'failed') return failure(error ?? new WeftError('node_failed', 'The run failed.'));
  const body = answer?.body ?? '';
  const result = valueResult(body, typeof body === 'string' ? body : undefined);
  return withFiles(result, body, await fileContent(run, body, deps));
}

async function resultOf(run: Run, answer: RunAnswer, deps: ToolCallDeps): Promise<CallToolResult> {
  if (answer.kind === 'error') return failure(answer.error);
  if (answer.kind === 'empty') return textResult('');
  const { status = 200, body } = answer;
  if (isStream(body)) run.endClock();
  if (!isStream(body)) {
    const text = await resultText(body);
    if (status >= 400) return refusal(status, text);
    return withFiles(valueResult(body, text), body, await fileContent(run.id, body, deps));
  }
  const streamed: unknown[] = [];
  const text = await streamText(body, {
    read: deps.progress,
    other: (item) => void streamed.push(item),
  });
  if (status >= 400) return refusal(status, text);
  return withFiles(textResult(text), undefined, await fileContent(run.id, streamed, deps));
}

function refusal(status: number, text: string): CallToolResult {
  return { ...textResult(`Status ${status}: ${text}`), isError: true };
}

/** Clients cannot use the handle of a file, so a result that is a file contains its content instead. */
function withFiles(result: CallToolResult, body: unknown, files: CallToolResult['content']): CallToolResult {
  if (files.length === 0) return result;
  return { ...result, content: handleOf(body) === undefined ? [...result.content, ...files] : files };
}

function valueResult(body: unknown, text = JSON.stringify(body)): CallToolResult {
  return isRecord(body) ? { ...textResult(text), structuredContent: { ...body } } : textResult(text);
}

function objectResult(body: Record<string, unknown>): CallToolResult {
  return valueResult(body);
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function failure({ code, message }: { readonly code: string; readonly message: string }): CallToolResult {
  return { ...textResult(`Error ${code}: ${message}`), isError: true };
}
