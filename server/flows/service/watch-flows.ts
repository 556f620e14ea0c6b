import { basename, relative, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import type { Actor } from '#shared/audit.ts';
import type { Problem } from '#shared/problem.ts';
import { isFlowFileName } from './flow-files.ts';

/** How long changes are collected before they are reported, in milliseconds: a git pull arrives as one batch. */
const GATHER_MS = 50;
/** How long a start has before the watcher is loaded, in milliseconds: `onReady` finds changes made meanwhile. */
const BEGIN_MS = 500;

export interface FlowWatch {
  close(): Promise<void>;
}

export interface WatchHandlers {
  /** Paths of flow files that were created, changed or removed since the last call, and by whom if known. Never rejects. */
  readonly onChanged: (paths: string[], by?: Actor) => Promise<void>;
  /** Checks a text that is going to be a flow's. */
  readonly judge: (id: string, text: string) => Promise<Judged>;
  /**
   * Paths of flows whose file, draft or layout other servers have changed; those servers have kept the versions.
   * Resolves once the changes are applied.
   */
  readonly onOthers: (paths: string[]) => Promise<void>;
  /** Called once changes are noticed; earlier ones were not. */
  readonly onReady: () => void;
  readonly onError: (error: unknown) => void;
}

/** Whether a text can serve, apart from operators that this server lacks; otherwise its first error. */
export interface Judged {
  readonly works: boolean;
  readonly problem: Pick<Problem, 'code' | 'message'> | undefined;
}

/** Watches the folders with flow files for changes from outside. */
export function watchFlows(roots: readonly string[], handlers: WatchHandlers): FlowWatch {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    const paths = [...changed];
    changed.clear();
    void handlers.onChanged(paths);
  };
  let isClosed = false;
  let watcher: FSWatcher | undefined;
  let loading: Promise<void> | undefined;
  async function begin(): Promise<void> {
    const { watch } = await import('chokidar');
    if (isClosed) return;
    watcher = watch([...roots], {
      ignoreInitial: true,
      followSymlinks: true,
      // A file is reported once its size is stable, so that a partly written file does not count as broken.
      awaitWriteFinish: { stabilityThreshold: 60, pollInterval: 20 },
      ignored: (path, stats) => isIgnored(roots, path, stats?.isFile() ?? false),
    });
    watcher.on('all', (event, path) => {
      if (event === 'addDir' || event === 'unlinkDir') return;
      changed.add(path);
      timer ??= setTimeout(report, GATHER_MS);
    });
    watcher.on('ready', handlers.onReady);
    watcher.on('error', handlers.onError);
  }
  const beginning = setTimeout(() => {
    loading = begin().catch(handlers.onError);
  }, BEGIN_MS);
  beginning.unref();
  return {
    async close() {
      isClosed = true;
      clearTimeout(beginning);
      clearTimeout(timer);
      await loading;
      await watcher?.close();
    },
  };
}

function isIgnored(roots: readonly string[], path: string, isFile: boolean): boolean {
  if (isFile && !isFlowFileName(basename(path))) return true;
  // Checked only below the folder: the folder itself may be inside a hidden one.
  return roots.some((root) => {
    const below = relative(root, path);
    return !below.startsWith('..') && below.split(sep).some((part) => part.startsWith('.'));
  });
}
