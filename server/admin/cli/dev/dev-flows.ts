import type { Catalog } from '#shared/catalog.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { TriggerTable } from '../../../flows/service/trigger-table.ts';
import { type Serving, servingOf } from '../../../flows/service/entry.ts';
import { compiledNow } from '../../../flows/service/examine.ts';
import type { FlowFile } from '../../../flows/service/flow-files.ts';
import { installRoutes } from '../../../flows/service/install-routes.ts';
import { type LoadedFile, loadFlowFiles } from '../local/load-flow-files.ts';
import type { Project } from '../local/project.ts';

/** The result of loading a new or saved file. */
export type Loading =
  | {
      readonly state: 'live';
      readonly loaded: LoadedFile;
      readonly live: LiveFlow;
      readonly catalog: Catalog;
    }
  /** It has errors, or another flow has its path; an older version may still serve. */
  | { readonly state: 'broken'; readonly loaded: LoadedFile; readonly serving: boolean }
  | { readonly state: 'gone'; readonly file: FlowFile };

export interface DevFlows {
  /** Reads the files again and serves the valid ones. Returns those that have changed since the last time. */
  load(project: Project): Loading[];
  live(id: string): LiveFlow | undefined;
}

/** The flows of dev mode: each serves its last good version until the process ends. */
export function createDevFlows(files: readonly FlowFile[], table: TriggerTable): DevFlows {
  const serving = new Map<string, Serving>();
  /** By path; `gone` for a missing file. */
  const seen = new Map<string, string>();

  function hasChanged(file: FlowFile, hash: string): boolean {
    const before = seen.get(file.path);
    seen.set(file.path, hash);
    return before !== hash;
  }

  function install(candidates: readonly LoadedFile[]): Set<string> {
    const wishes = candidates.flatMap((loaded) => {
      const next = servingOf(loaded.file.id, loaded.examined);
      const current = serving.get(loaded.file.id)?.routes ?? [];
      return next ? [{ id: loaded.file.id, next, current, wanted: next.routes }] : [];
    });
    const won = installRoutes(table, wishes);
    for (const { id, next } of wishes) if (won.has(id)) serving.set(id, next);
    return won;
  }

  function isWaiting({ file, examined, shadowed }: LoadedFile): boolean {
    return !shadowed && examined.runnable && serving.get(file.id)?.live.version !== examined.version;
  }

  return {
    live: (id) => serving.get(id)?.live,
    load(project) {
      const all = loadFlowFiles(files, project).map(compiled);
      const there = new Set(all.map(({ file }) => file.path));
      const gone = files.filter((file) => !there.has(file.path) && hasChanged(file, 'gone'));
      const fresh = all.filter(({ file, content }) => hasChanged(file, content.hash));
      // Unchanged files too: the path that they wait for may be free now.
      const won = install(all.filter(isWaiting));
      const reported = all.filter((loaded) => fresh.includes(loaded) || won.has(loaded.file.id));
      return [
        ...gone.map((file) => ({ state: 'gone' as const, file })),
        ...reported.map((loaded) => outcomeOf(loaded, serving.get(loaded.file.id), project.registry.catalog)),
      ];
    },
  };
}

/** Compiles at once, so that errors appear now and not for the first caller. */
function compiled(loaded: LoadedFile): LoadedFile {
  const examined = compiledNow(loaded.examined);
  const added = examined.problems.filter((problem) => !loaded.examined.problems.includes(problem));
  return { ...loaded, examined, problems: [...loaded.problems, ...added] };
}

function outcomeOf(loaded: LoadedFile, serving: Serving | undefined, catalog: Catalog): Loading {
  const isLive =
    !loaded.shadowed && loaded.examined.runnable && serving?.live.version === loaded.examined.version;
  return isLive
    ? { state: 'live', loaded, live: serving.live, catalog }
    : { state: 'broken', loaded, serving: !loaded.shadowed && serving !== undefined };
}
