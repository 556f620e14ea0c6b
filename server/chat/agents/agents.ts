import type { AgentResource, AgentService, Asker } from '#engine';
import type { ToolTrial } from '#shared/tool-trial.ts';
import type { ChatItem } from '#shared/chat-item.ts';
import { lazy } from '../../base/parts/lazy.ts';
import type { AgentDeps } from './answering.ts';
import type { ToolDeps } from './try-tool.ts';
import { emittedItems } from './emitted-items.ts';

/** The agents of the server; the code that does the work is loaded with the first answer. */
export function createAgents(deps: AgentDeps): AgentService {
  const answering = lazy(async () => (await import('./answering.ts')).createAnswering(deps));
  return {
    run: (call, by, asked) =>
      emittedItems<ChatItem>(asked, async (emit, signal) => (await answering())(call, by, emit, signal)),
  };
}

/** Tries tools of agents without an agent. */
export interface ToolTrials {
  /** Opens the resource, and calls one of its tools if there is a call. A failure is part of the answer. */
  run(
    wish: { readonly tool: AgentResource; readonly call?: ToolTrialCall | undefined },
    by: Asker,
    signal: AbortSignal,
  ): Promise<ToolTrial>;
}

interface ToolTrialCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export function createToolTrials(deps: ToolDeps): ToolTrials {
  const trying = lazy(async () => (await import('./try-tool.ts')).createTrying(deps));
  return { run: async (...wish) => (await trying())(...wish) };
}
