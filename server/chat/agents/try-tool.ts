import { WeftError } from '#engine';
import { randomUUID } from 'node:crypto';
import type { ToolTrial } from '#shared/tool-trial.ts';
import { type AgentDeps, openersOf } from './answering.ts';
import type { ToolTrials } from './agents.ts';
import { createKept } from './kept.ts';
import { openerOf } from './toolbox.ts';
import { callTool, failureText, shortened } from './use-tools.ts';

/** The services that tools work with. */
export type ToolDeps = Omit<AgentDeps, 'accounts' | 'keyOf' | 'apps' | 'models' | 'host'>;

/** Shows a person a tool as a model would see it, and its answer to a call. */
export function createTrying(deps: ToolDeps): ToolTrials['run'] {
  const openers = openersOf(deps);
  return async ({ tool, call }, by, signal) => {
    const kept = createKept();
    try {
      const { tools } = await openerOf(tool, openers)(tool, { by, kept, signal, log: () => undefined });
      const listed = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      if (call === undefined) return { tools: listed };
      const found = tools.find(({ name }) => name === call.name);
      if (!found) throw new WeftError('bad_input', `There is no tool \`${call.name}\` here.`);
      return { tools: listed, answer: await answerOf(found, call.arguments, signal) };
    } catch (error) {
      signal.throwIfAborted();
      return { tools: [], failure: failureOf(error) };
    } finally {
      await kept.close();
    }
  };
}

async function answerOf(
  tool: Parameters<typeof callTool>[0],
  args: unknown,
  signal: AbortSignal,
): Promise<ToolTrial['answer']> {
  const at = { name: 't1', key: `try:${randomUUID()}` };
  try {
    const output = await callTool(tool, args, at, signal);
    return { ok: true, text: shortened(typeof output === 'string' ? output : output.text) };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, text: shortened(failureText(error)) };
  }
}

function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  const { code = 'agent_failed', message = '' } = error as Partial<WeftError>;
  return { code, message: shortened(message) };
}
