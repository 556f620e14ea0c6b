import type { Catalog } from '#shared/catalog.ts';
import type { FlowDetail } from '#shared/api.ts';
import type { EditorWorld } from '../model/editor-world.ts';
import { createFlow, discardDraft, getFlow, publishFlow, saveFlow, saveLayout } from '../api/flows.ts';
import type { Session } from '../commands/command.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { createRunStore } from '../state/run-store.ts';
import { createSaver, type Saver, type SaverDeps } from '../state/save.ts';
import { docOf, sameFlow, sameLayout } from '../state/saved-doc.ts';
import { createSyncStore } from '../state/sync-store.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import type { App } from './app.ts';
import type { OpenFlow } from './open-flow.ts';
import { createRunActions } from './run-actions.ts';
import { copyText } from '../ui/clipboard.ts';

interface SessionDeps {
  readonly app: App;
  readonly open: OpenFlow;
  readonly catalog: Catalog;
  readonly world: EditorWorld;
  goTo(path: string): void;
}

/** The stores of one opened flow and all actions on it. */
export function createSession({ app, open, catalog, world, goTo }: SessionDeps): Session {
  const editor = createEditorStore(undefined, () =>
    afterFirstPicture().then(() => import('../model/check.ts')),
  );
  const runs = createRunStore();
  const sync = createSyncStore(open.detail, app.server.getState().session?.deploy ?? 'on-save');
  editor.getState().setCatalog(catalog, world);
  editor.getState().load(docOf(open.detail, catalog), open.detail.revision);
  const { ui } = app;
  ui.setState({
    overlay: undefined,
    focusField: undefined,
    reveal: undefined,

    pointer: undefined,
  });
  const stores = { editor, runs, sync, ui };
  const saver = createSaver(saverDeps(app, open.detail.id, stores));
  const session: Session = {
    ...stores,
    saver,
    actions: {
      ...saveActions(saver),
      ...createRunActions(open.detail.id, stores, saver, (error) => tell(app, error)),
      autoLayout: async () => {
        const { autoLayoutCommand } = await import('../commands/view.ts');
        await autoLayoutCommand.run(session);
      },
      goTo,
      toast: (text, kind) => toast(text, { kind }),
      writeClipboard: copyForEditor,
      readClipboard: readForEditor,
    },
  };
  restore(session, open);
  return session;
}

/** SS3 of `save.ts`: restored as a step, on the state that the edits were made on, so that an outdated one becomes a conflict. */
function restore({ editor, sync }: Session, { detail, draft, openElsewhere }: OpenFlow): void {
  if (openElsewhere) toast('Another tab of this browser has unsaved edits of this flow.');
  if (!draft) return;
  const { doc, commit } = editor.getState();
  if (sameFlow(doc, draft.doc) && sameLayout(doc, draft.doc)) return;
  commit('Restore unsaved edits', (recipe) => {
    recipe.flow = draft.doc.flow;
    recipe.layout = draft.doc.layout;
  });
  if (draft.revision !== undefined) editor.setState({ revision: draft.revision });
  const knowsBase = draft.revision === undefined || draft.revision === detail.revision;
  sync.setState({ restoredFrom: draft.at, knowsBase });
}

function saveActions(saver: Saver): Pick<Session['actions'], 'save' | 'publish' | 'discard'> {
  return {
    save: async () => {
      await saver.save();
    },
    publish: saver.publish,
    discard: saver.discardDraft,
  };
}

type Stores = Pick<Session, 'editor' | 'runs' | 'sync' | 'ui'>;

function saverDeps(app: App, id: string, { editor, sync, ui }: Stores): SaverDeps {
  return {
    id,
    editor,
    sync,
    api: { createFlow, discardDraft, getFlow, publishFlow, saveFlow, saveLayout },
    onError: (error) => tell(app, error),
    onConflict: () => ui.setState({ overlay: { kind: 'conflict' } }),
    onMerged: () => toast('Positions that were changed elsewhere, such as in another tab, were applied.'),
    onFollowed: () => toast('This flow was changed elsewhere; the changes were applied here.'),
    onSaved: (detail) => {
      void app.queries.invalidateQueries({ queryKey: ['flows'] });
      void app.queries.invalidateQueries({ queryKey: ['world'] });
      sayWhereItStands(detail, app);
    },
  };
}

function sayWhereItStands(detail: FlowDetail, { ui }: App): void {
  const errors = detail.problems.filter((problem) => problem.severity === 'error').length;
  if (!detail.hasDraft) {
    ui.setState({ announcement: 'Saved and live' });
    return;
  }
  if (errors === 0) {
    ui.setState({ announcement: 'Saved as a draft' });
    return;
  }
  const still = detail.version === undefined ? '' : ' The previous version stays live.';
  toast(`Saved as a draft, not live: ${countText(errors, 'problem')}.`, {
    detail: `Nothing is lost.${still}`,
    action: { label: 'Show', run: () => ui.setState({ dockOpen: true, dockTab: 'problems' }) },
  });
}

function tell(app: App, error: unknown): void {
  // Problems of the connection have their own banner or dialog.
  if (app.server.getState().report(error)) return;
  toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
}

/** The last copied content of this page, for browsers that do not let pages read the clipboard. */
let last = '';

async function copyForEditor(text: string): Promise<void> {
  last = text;
  await copyText(text);
}

/** Reads the browser's clipboard, which may ask the person. Pasting by keys does not use it: its event has the text. */
async function readForEditor(): Promise<string> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return last;
  }
}
