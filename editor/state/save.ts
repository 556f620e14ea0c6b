import type { FlowDetail } from '#shared/api.ts';
import { formatFlow } from '#engine/check';
import { ApiError } from '../api/client.ts';
import type * as flowsApi from '../api/flows.ts';
import type { Clash, Side } from '../model/document/merge-flow.ts';
import type { EditorStore } from './editor-store.ts';
import { containLive } from './contain-live.ts';
import { follow, mergeWith, take } from './follow.ts';
import { savePlaces } from './save-places.ts';
import { docOf, sameFlow, sameLayout } from './saved-doc.ts';
import type { SyncStore } from './sync-store.ts';

/** The calls of the server that saving needs. */
export type FlowApi = Pick<
  typeof flowsApi,
  | 'getFlow'
  | 'getVersionText'
  | 'createFlow'
  | 'saveFlow'
  | 'saveLayout'
  | 'publishFlow'
  | 'restoreVersion'
  | 'discardDraft'
>;

/** The open flow, the server, and the calls that tell the screen what happened. */
export interface SaverDeps {
  readonly id: string;
  readonly editor: EditorStore;
  readonly sync: SyncStore;
  readonly api: FlowApi;
  /** Every failure, including those of the connection. */
  onError(error: unknown): void;
  /** The server has accepted a save or publish. */
  onSaved(detail: FlowDetail): void;
  /** A save was refused, and somebody has to choose: the server’s state is in `sync`. */
  onConflict(): void;
  /** Positions that were changed elsewhere have been applied. */
  onMerged(): void;
  /** The flow was changed elsewhere, and the changes have been applied. */
  onFollowed(): void;
  /** The live version was changed elsewhere, also at these places, where the draft keeps its own. */
  onKept(places: readonly string[]): void;
}

/**
 * Saves the open flow as its draft, publishes it, and keeps track of the server's state.
 *
 * SS1. Saves run one after the other; each sends the document as it is then.
 * SS2. A save never writes over a state of the server that this editor has not seen: changes from elsewhere are applied if
 *     they do not touch the changes made here, node by node; the rest becomes a conflict. Positions have no revision and
 *     never clash.
 * SS3. Whatever fails, the document and its history stay; taking the server's state is a step that can be undone.
 */
export interface Saver {
  /** Resolves to whether everything is saved. */
  save(): Promise<boolean>;
  /** Resolves to whether the draft is live. */
  publish(): Promise<boolean>;
  /** Makes an earlier version live again; what is edited here becomes the draft. Resolves to whether that worked. */
  rollBack(version: string): Promise<boolean>;
  /** Deletes the draft on the server and takes the live version, as a step that can be undone. */
  discardDraft(): Promise<void>;
  /** Checks whether the flow was changed elsewhere, and applies changes that do not touch those made here. */
  look(): Promise<void>;
  /**
   * Resolves a conflict: changes that do not touch each other are merged, the others as chosen. Saves if a save has caused
   * it.
   */
  merge(choose: (clash: Clash) => Side): Promise<boolean>;
  /** Overwrites the server's document, which a conflict or a check has shown, with this one. */
  keepMine(): Promise<boolean>;
  /** Loads the server's document; undo restores mine. */
  takeTheirs(): void;
  /** Saves this document as a new flow. Resolves to whether that worked. */
  saveAs(id: string): Promise<boolean>;
}

export function createSaver(deps: SaverDeps): Saver {
  const { id, editor, sync, api } = deps;
  let queue: Promise<unknown> = Promise.resolve();

  /** SS1; a failure is reported and does not stop the queue. */
  function inTurn(work: () => Promise<void>): Promise<boolean> {
    const turn = queue.then(work).then(
      () => true,
      async (error: unknown) => {
        await failed(deps, error);
        return false;
      },
    );
    queue = turn;
    return turn;
  }

  return {
    save: () => inTurn(() => saveNow(deps)),
    publish: () => inTurn(() => publish(deps)),
    rollBack: (version) => inTurn(() => rollBack(deps, version)),
    discardDraft: async () => {
      await inTurn(async () =>
        adopt(deps, await api.discardDraft(id, revisionOf(editor)), 'Discard the draft'),
      );
    },
    look: async () => {
      await inTurn(() => look(deps));
    },
    merge: async (choose) => {
      const { conflict } = sync.getState();
      const theirs = theirsOf(sync);
      const merged = theirs && mergeWith(editor, sync, theirs, choose);
      if (!merged) return false;
      take(deps, theirs, merged);
      return conflict === undefined || inTurn(() => saveNow(deps));
    },
    keepMine: () => {
      const theirs = theirsOf(sync);
      if (theirs) editor.getState().markSaved(docOf(theirs, editor.getState().catalog), theirs.revision);
      sync.setState({ conflict: undefined, outside: undefined, knowsBase: true });
      return inTurn(() => saveNow(deps));
    },
    takeTheirs: () => {
      const theirs = theirsOf(sync);
      if (theirs) adopt(deps, theirs, 'Use the server’s version');
    },
    saveAs: (newId) => inTurn(() => saveAs(deps, newId)),
  };
}

/** How often in a row somebody else may be quicker before a save gives up. */
const TRIES = 3;

/** SS2 */
async function saveNow(deps: SaverDeps, tries = TRIES): Promise<void> {
  try {
    await send(deps);
  } catch (error) {
    const isStale = error instanceof ApiError && error.code === 'revision_conflict';
    if (!isStale || tries === 1 || !follow(deps, await deps.api.getFlow(deps.id))) throw error;
    await saveNow(deps, tries - 1);
  }
}

async function send(deps: SaverDeps): Promise<void> {
  const { id, editor, api } = deps;
  const { doc, saved, revision, setSaveState } = editor.getState();
  setSaveState('saving');
  let now = revision ?? '';
  let detail: FlowDetail | undefined;
  const { base } = deps.sync.getState();
  if (!sameFlow(doc, saved) || base !== undefined) {
    detail = await api.saveFlow(id, formatFlow(doc.flow), now, base);
    now = detail.revision;
    editor.getState().markSaved({ flow: doc.flow, layout: saved.layout }, now);
    taken(deps, detail);
  }
  const isMoved = !sameLayout(doc, saved);
  const sent = isMoved ? await savePlaces(deps, { doc, saved }, detail ?? (await api.getFlow(id))) : doc;
  editor.getState().markSaved(sent, now);
  deps.sync.setState({ restoredFrom: undefined, knowsBase: true, base: undefined });
}

async function saveAs({ id, editor, sync, api }: SaverDeps, newId: string): Promise<void> {
  const { doc } = editor.getState();
  const detail = await api.createFlow(newId, formatFlow({ ...doc.flow, id: newId }));
  await api.saveLayout(newId, doc.layout);
  sync.setState({
    conflict: undefined,
    outside: undefined,
    knowsBase: true,
    ...(newId === id && { record: detail }),
  });
  editor.getState().markSaved(doc, detail.revision);
}

function taken({ editor, sync, onSaved }: SaverDeps, detail: FlowDetail): void {
  sync.setState({ record: detail, conflict: undefined, outside: undefined });
  editor.setState({ revision: detail.revision });
  onSaved(detail);
}

/** SS3 */
function adopt({ editor, sync }: SaverDeps, theirs: FlowDetail, label: string): void {
  const { flow, layout } = docOf(theirs, editor.getState().catalog);
  editor.getState().commit(label, (draft) => {
    draft.flow = flow;
    draft.layout = layout;
  });
  editor.getState().markSaved(editor.getState().doc, theirs.revision);
  sync.setState({ record: theirs, conflict: undefined, outside: undefined, knowsBase: true });
}

async function publish(deps: SaverDeps): Promise<void> {
  await containLive(deps);
  if (!isSaved(deps)) await saveNow(deps);
  taken(deps, await deps.api.publishFlow(deps.id, revisionOf(deps.editor)));
}

/** The edits become the draft again, on the version that is live then. */
async function rollBack(deps: SaverDeps, version: string): Promise<void> {
  if (!isSaved(deps)) await saveNow(deps);
  taken(deps, await deps.api.restoreVersion(deps.id, version, revisionOf(deps.editor)));
  deps.sync.setState({ base: version });
  await saveNow(deps);
}

async function look(deps: SaverDeps): Promise<void> {
  await lookAtServer(deps);
  await containLive(deps);
  if (deps.sync.getState().base !== undefined) await saveNow(deps);
}

async function lookAtServer(deps: SaverDeps): Promise<void> {
  const { id, editor, sync, api, onError } = deps;
  const { saveState } = editor.getState();
  if (saveState === 'saving' || saveState === 'conflict') return;
  try {
    const detail = await api.getFlow(id);
    if (isAsSeen(deps, detail)) sync.setState({ record: detail, outside: undefined });
    else if (!follow(deps, detail)) sync.setState({ outside: detail });
  } catch (error) {
    if (isGone(error)) sync.setState({ outside: 'removed' });
    else onError(error);
  }
}

/** Whether the server's state is still the one that the edits here are based on. */
function isAsSeen({ editor }: SaverDeps, detail: FlowDetail): boolean {
  const { revision, saved } = editor.getState();
  return (
    detail.revision === revision &&
    (!detail.layout || sameLayout(docOf(detail, editor.getState().catalog), saved))
  );
}

async function failed(
  { id, editor, sync, api, onError, onConflict }: SaverDeps,
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

function isSaved({ editor, sync }: SaverDeps): boolean {
  return editor.getState().saveState === 'saved' && sync.getState().base === undefined;
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
