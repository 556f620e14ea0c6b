import { withPlace } from '../../execution/runs/run-limits.ts';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Run, type RunAnswer, WeftError } from '#engine';
import type { AcceptedRun } from '#shared/calls-api.ts';
import { isRecord, isStream } from '#shared/json.ts';
import type { FlowTool } from '../../chat/agents/tools/flow-tool.ts';
import { resultText } from '../../chat/agents/tools/result-text.ts';
import type { RunLinks } from '../../execution/durable/run-links.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { DurableView, DurableRuns } from '../../execution/durable/durable-runs.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { signatureOf } from '../../execution/starts/signature.ts';

export interface ToolCallDeps {
  readonly runs: RunHub;
  readonly durable: DurableRuns;
  readonly links: RunLinks;
  /** Name of the calling key, for budgets and usage. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  /** Called with each item of a streamed result. */
  readonly progress: (count: number) => void;
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
    return isOver(view) ? endOf(view) : await accepted('waiting');
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
  { durable, links }: Pick<ToolCallDeps, 'durable' | 'links'>,
): Promise<CallToolResult> {
  const url = typeof statusUrl === 'string' ? URL.parse(statusUrl, 'http://localhost') : null;
  const run = url?.pathname.split('/').at(-1) ?? '';
  const fits = url !== null && (await links.fits(run, url.searchParams.get('token') ?? ''));
  const view = fits ? await durable.get(run) : undefined;
  if (view === undefined) return failure(new ServiceError('run_not_found'));
  if (isOver(view)) return endOf(view);
  return objectResult({ run, status: view.status, statusUrl: await links.of(run) });
}

function isOver({ status }: DurableView): boolean {
  return status === 'ok' || status === 'failed' || status === 'cancelled';
}

function endOf({ status, answer, error }: DurableView): CallToolResult {
  if (status === 'cancelled') return failure(new ServiceError('run_cancelled'));
  if (status === 'failed') return failure(error ?? new WeftError('node_failed', 'The run failed.'));
  return valueResult(answer?.body ?? '', typeof answer?.body === 'string' ? answer.body : undefined);
}

async function resultOf(run: Run, answer: RunAnswer, { progress }: ToolCallDeps): Promise<CallToolResult> {
  if (answer.kind === 'error') return failure(answer.error);
  if (answer.kind === 'empty') return textResult('');
  const { status = 200, body } = answer;
  if (isStream(body)) run.endClock();
  const text = await resultText(isStream(body) ? counted(body, progress) : body);
  if (status >= 400) return { ...textResult(`Status ${status}: ${text}`), isError: true };
  return isStream(body) ? textResult(text) : valueResult(body, text);
}

function valueResult(body: unknown, text = JSON.stringify(body)): CallToolResult {
  return isRecord(body) ? { ...textResult(text), structuredContent: { ...body } } : textResult(text);
}

function objectResult(body: Record<string, unknown>): CallToolResult {
  return valueResult(body);
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
