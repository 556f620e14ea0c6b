import type { Flow } from '#shared/flow.ts';
import { ApiError } from '../api/client.ts';
import type * as flowsApi from '../api/flows.ts';
import type { Doc } from '../model/document/document.ts';
import { mergeDocs } from '../model/document/merge-flow.ts';
import type { EditorStore } from './editor-store.ts';
import { sameFlow } from './saved-doc.ts';
import type { SyncStore } from './sync-store.ts';

interface ContainDeps {
  readonly id: string;
  readonly editor: EditorStore;
  readonly sync: SyncStore;
  readonly api: Pick<typeof flowsApi, 'getVersionText'>;
  onFollowed(): void;
  /** The draft keeps its own at these places, which the live version has changed too. */
  onKept(places: readonly string[]): void;
}

/**
 * Takes the changes of the live version into the draft, node by node, if that version went live after the draft was begun:
 * publishing the draft would take them back. Undo removes them again; the next save tells the server.
 */
export async function containLive(deps: ContainDeps): Promise<void> {
  const { id, editor, sync, onFollowed, onKept } = deps;
  const { record, outside, conflict } = sync.getState();
  const { base, version, state } = record;
  const isBehind = base !== undefined && version !== undefined && base !== version && state === 'live';
  if (!isBehind || outside !== undefined || conflict !== undefined) return;
  const [before, live] = await Promise.all([docAt(deps, base), docAt(deps, version)]);
  sync.setState({ base: version });
  const { doc } = editor.getState();
  if (before === undefined || live === undefined) return onKept(['the flow']);
  const { clashes } = mergeDocs(before, doc, live);
  const merged = mergeDocs(before, doc, live, () => 'mine').doc;
  if (!sameFlow(doc, merged))
    editor.getState().commit('Apply the live version', (draft) => {
      draft.flow = merged.flow;
    });
  if (clashes.length > 0) onKept([...new Set(clashes.map(({ node }) => node ?? id))]);
  else if (!sameFlow(doc, merged)) onFollowed();
}

/** A version with the positions of the open document; undefined if it is not stored any more. */
async function docAt({ id, editor, api }: ContainDeps, version: string): Promise<Doc | undefined> {
  try {
    // The server only stores texts that it has parsed as flows.
    const flow = JSON.parse(await api.getVersionText(id, version)) as Flow;
    return { flow, layout: editor.getState().doc.layout };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'version_not_found') return undefined;
    throw error;
  }
}
