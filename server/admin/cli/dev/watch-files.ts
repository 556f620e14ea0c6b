import { once } from 'node:events';
import { dirname } from 'node:path';
import { watch } from 'chokidar';

export interface FileWatch {
  close(): Promise<void>;
}

/** How long changes are collected, in milliseconds, so that files that are saved together are read together. */
const GATHER_MS = 20;

/**
 * Calls `onChanged` shortly after files were changed, created or removed. Resolves once it is watching. It watches
 * their folders, since many editors replace a file instead of writing it.
 */
export async function watchFiles(paths: readonly string[], onChanged: () => void): Promise<FileWatch> {
  const files = new Set(paths);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...new Set(paths.map((path) => dirname(path)))], {
    depth: 0,
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: 60, pollInterval: 20 },
    ignored: (path, stats) => stats?.isFile() === true && !files.has(path),
  });
  watcher.on('all', (_event, path) => {
    if (!files.has(path)) return;
    clearTimeout(timer);
    timer = setTimeout(onChanged, GATHER_MS);
  });
  await once(watcher, 'ready');
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
