import type { AgentService } from '#engine';
import type { AgentDeps, Answering } from './answering.ts';
import { endAtOnce } from './end-at-once.ts';

/** The agents of the server; what does the work is loaded with the first answer. */
export function createAgents(deps: AgentDeps): AgentService {
  let answering: Promise<Answering> | undefined;
  return {
    run: (call, by, signal) =>
      endAtOnce(async function* (left) {
        answering ??= import('./answering.ts').then(({ createAnswering }) => createAnswering(deps));
        yield* (await answering)(call, by, AbortSignal.any([signal, left]));
      }),
  };
}
