import type { FlowDetail } from '#shared/api.ts';
import { formatFlow } from '#engine/check';
import { ApiError } from '../api/client.ts';
import type * as flowsApi from '../api/flows.ts';
import type { EditorStore } from './editor-store.ts';
import { savePlaces } from './save-places.ts';
import { docOf, sameFlow, sameLayout } from './saved-doc.ts';
import type { SyncStore } from './sync-store.ts';

/**
 * Saving the open flow and keeping track of what the server has.
 *
 * S1. Saves run one after the other; each sends the document as it is then.
 * S2. A save never writes over a state of the server that this editor has not seen: a stale revision becomes a conflict.
 *     Places have no revision: those of two who arrange the same flow are brought together, node by node.
 * S3. Whatever fails, the document and its history stay; taking the server's state is a step that can be undone.
 */
export type FlowApi = Pick<
  typeof flowsApi,
  'getFlow' | 'createFlow' | 'saveFlow' | 'saveLayout' | 'publishFlow' | 'discardDraft'
>;

export interface SaverParts {
  readonly id: string;
  readonly editor: EditorStore;
  readonly sync: SyncStore;
  readonly api: FlowApi;
  /** Every failure, also those that only the connection explains. */
  onError(error: unknown): void;
  /** The server has taken a save or publish. */
  onSaved(detail: FlowDetail): void;
  onConflict(): void;
  /** Places that were changed elsewhere have been taken over. */
  onMerged(): void;
}

export interface Saver {
  /** Resolves to whether everything is saved. */
  save(): Promise<boolean>;
  publish(): Promise<void>;
  discardDraft(): Promise<void>;
  /** Looks whether the flow was changed elsewhere. */
  look(): Promise<void>;
  /** Writes this document over the one that a conflict or a look has shown. */
  keepMine(): Promise<boolean>;
  /** Takes the server's document; mine comes back by undo. */
  takeTheirs(): void;
  /** Saves this document as a new flow. Resolves to whether that worked. */
  saveAs(id: string): Promise<boolean>;
}

export function createSaver(parts: SaverParts): Saver {
  const { id, editor, sync, api } = parts;
  let queue: Promise<unknown> = Promise.resolve();

  /** S1; a failure is told and leaves the queue going. */
  function inTurn(work: () => Promise<void>): Promise<boolean> {
    const turn = queue.then(work).then(
      () => true,
      async (error: unknown) => {
        await failed(parts, error);
        return false;
      },
    );
    queue = turn;
    return turn;
  }

  return {
    save: () => inTurn(() => saveNow(parts)),
    publish: async () => {
      await inTurn(async () => {
        if (editor.getState().saveState !== 'saved') await saveNow(parts);
        taken(parts, await api.publishFlow(id, revisionOf(editor)));
      });
    },
    discardDraft: async () => {
      await inTurn(async () =>
        adopt(parts, await api.discardDraft(id, revisionOf(editor)), 'Discard the draft'),
      );
    },
    look: () => look(parts),
    keepMine: () => {
      const theirs = theirsOf(sync);
      if (theirs) editor.getState().markSaved(docOf(theirs), theirs.revision);
      sync.setState({ conflict: undefined, outside: undefined });
      return inTurn(() => saveNow(parts));
    },
    takeTheirs: () => {
      const theirs = theirsOf(sync);
      if (theirs) adopt(parts, theirs, 'Take the version of the server');
    },
    saveAs: (newId) => inTurn(() => saveAs(parts, newId)),
  };
}

async function saveNow(parts: SaverParts): Promise<void> {
  const { id, editor, api } = parts;
  const { doc, saved, revision, setSaveState } = editor.getState();
  setSaveState('saving');
  let now = revision ?? '';
  let detail: FlowDetail | undefined;
  if (!sameFlow(doc, saved)) {
    detail = await api.saveFlow(id, formatFlow(doc.flow), now);
    now = detail.revision;
    editor.getState().markSaved({ flow: doc.flow, layout: saved.layout }, now);
    taken(parts, detail);
  }
  const isMoved = !sameLayout(doc, saved);
  const sent = isMoved ? await savePlaces(parts, { doc, saved }, detail ?? (await api.getFlow(id))) : doc;
  editor.getState().markSaved(sent, now);
  parts.sync.setState({ restoredFrom: undefined });
}

async function saveAs({ id, editor, sync, api }: SaverParts, newId: string): Promise<void> {
  const { doc } = editor.getState();
  const detail = await api.createFlow(newId, formatFlow({ ...doc.flow, id: newId }));
  await api.saveLayout(newId, doc.layout);
  sync.setState({ conflict: undefined, outside: undefined, ...(newId === id && { record: detail }) });
  editor.getState().markSaved(doc, detail.revision);
}

function taken({ editor, sync, onSaved }: SaverParts, detail: FlowDetail): void {
  sync.setState({ record: detail, conflict: undefined, outside: undefined });
  editor.setState({ revision: detail.revision });
  onSaved(detail);
}

/** S3 */
function adopt({ editor, sync }: SaverParts, theirs: FlowDetail, label: string): void {
  const { flow, layout } = docOf(theirs);
  editor.getState().commit(label, (draft) => {
    draft.flow = flow;
    draft.layout = layout;
  });
  editor.getState().markSaved(editor.getState().doc, theirs.revision);
  sync.setState({ record: theirs, conflict: undefined, outside: undefined });
}

async function look({ id, editor, sync, api, onError }: SaverParts): Promise<void> {
  const { revision, saveState } = editor.getState();
  if (saveState === 'saving' || saveState === 'conflict') return;
  try {
    const detail = await api.getFlow(id);
    // Our own save may have ended meanwhile.
    if (editor.getState().revision !== revision) return;
    if (detail.revision !== revision) sync.setState({ outside: detail });
    else sync.setState({ record: detail, outside: undefined });
  } catch (error) {
    if (isGone(error)) sync.setState({ outside: 'removed' });
    else onError(error);
  }
}

/** S2 */
async function failed(
  { id, editor, sync, api, onError, onConflict }: SaverParts,
  error: unknown,
): Promise<void> {
  const { setSaveState } = editor.getState();
  const { doc, saved } = editor.getState();
  setSaveState(sameFlow(doc, saved) && sameLayout(doc, saved) ? 'saved' : 'failed');
  if (isGone(error)) {
    sync.setState({ outside: 'removed' });
    return;
  }
  if (!(error instanceof ApiError && error.code === 'revision_conflict')) return onError(error);
  try {
    sync.setState({ conflict: await api.getFlow(id) });
    setSaveState('conflict');
    onConflict();
  } catch (second) {
    onError(second);
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'flow_not_found';
}

function revisionOf(editor: EditorStore): string {
  return editor.getState().revision ?? '';
}

function theirsOf(sync: SyncStore): FlowDetail | undefined {
  const { conflict, outside } = sync.getState();
  return conflict ?? (outside === 'removed' ? undefined : outside);
}
