import type { AgentService } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { AgentDeps, Answering } from './answering.ts';
import { saidItems } from './said-items.ts';

/** The agents of the server; the code that does the work is loaded with the first answer. */
export function createAgents(deps: AgentDeps): AgentService {
  let loading: Promise<Answering> | undefined;
  const load = (): Promise<Answering> =>
    (loading ??= import('./answering.ts').then(({ createAnswering }) => createAnswering(deps)));
  return {
    run: (call, by, asked) =>
      saidItems<ChatItem>(asked, async (say, signal) => (await load())(call, by, say, signal)),
  };
}
