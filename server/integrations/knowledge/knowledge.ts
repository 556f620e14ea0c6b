import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KnowledgeService } from '#engine';
import type { KnowledgeDeps, OpenKnowledge } from './open-knowledge.ts';

/** Knowledge spaces, which are opened when they are first used. */
export interface Knowledge {
  opened(): Promise<OpenKnowledge>;
  /** Whether there has ever been a space. */
  exists(): boolean;
  readonly service: KnowledgeService;
  /** Goes on with documents that an earlier process left unfinished. */
  resume(): void;
  close(): Promise<void>;
}

export function createKnowledge(deps: KnowledgeDeps): Knowledge {
  let opening: Promise<OpenKnowledge> | undefined;
  const opened = (): Promise<OpenKnowledge> => {
    opening ??= import('./open-knowledge.ts').then(async (made) => {
      const knowledge = await made.openKnowledge(deps);
      await knowledge.resume();
      return knowledge;
    });
    // A database that did not answer is asked again.
    opening.catch(() => (opening = undefined));
    return opening;
  };
  const exists = (): boolean =>
    opening !== undefined || deps.database !== undefined || existsSync(join(deps.data, 'knowledge.db'));
  return {
    opened,
    exists,
    service: {
      load: async (...given) => (await opened()).load(...given),
      search: async (...given) => (await opened()).search(...given),
      remove: async (...given) => (await opened()).remove(...given),
    },
    resume() {
      if (exists()) opened().catch((error: unknown) => deps.warn(error, 'knowledge'));
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
