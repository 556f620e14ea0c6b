import type { AgentService } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import { lazy } from '../../base/parts/lazy.ts';
import type { AgentDeps } from './answering.ts';
import { saidItems } from './said-items.ts';

/** The agents of the server; the code that does the work is loaded with the first answer. */
export function createAgents(deps: AgentDeps): AgentService {
  const answering = lazy(async () => (await import('./answering.ts')).createAnswering(deps));
  return {
    run: (call, by, asked) =>
      saidItems<ChatItem>(asked, async (say, signal) => (await answering())(call, by, say, signal)),
  };
}
