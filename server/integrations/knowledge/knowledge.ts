import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KnowledgeService } from '#engine';
import { lazy, lazyService } from '../../base/parts/lazy.ts';
import type { KnowledgeDeps, OpenKnowledge } from './open-knowledge.ts';

/** Knowledge spaces, which are opened on first use. */
export interface Knowledge {
  opened(): Promise<OpenKnowledge>;
  /** Whether there has ever been a space. */
  exists(): boolean;
  readonly service: KnowledgeService;
  /** Continues documents that an earlier process left unfinished. */
  resume(): void;
  close(): Promise<void>;
}

export function createKnowledge(deps: KnowledgeDeps): Knowledge {
  const opened = lazy(
    async () => {
      const knowledge = await (await import('./open-knowledge.ts')).openKnowledge(deps);
      await knowledge.resume();
      return knowledge;
    },
    // A database that did not answer is tried again.
    { retries: true },
  );
  const exists = (): boolean =>
    opened.loading !== undefined ||
    deps.database !== undefined ||
    existsSync(join(deps.data, 'knowledge.db'));
  return {
    opened,
    exists,
    service: lazyService(opened, ['load', 'chunksOf', 'search', 'remove']),
    resume() {
      if (exists())
        opened().catch((error: unknown) =>
          deps.warn(error, 'unfinished documents of knowledge spaces could not be looked up'),
        );
    },
    close: async () => (await opened.loading?.catch(() => undefined))?.close(),
  };
}
