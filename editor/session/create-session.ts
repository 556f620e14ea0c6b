import type { Catalog } from '#shared/catalog.ts';
import type { FlowDetail } from '#shared/api.ts';
import type { EditorWorld } from '../model/editor-world.ts';
import {
  createFlow,
  discardDraft,
  getFlow,
  getVersionText,
  publishFlow,
  restoreVersion,
  saveFlow,
  saveLayout,
} from '../api/flows.ts';
import type { Session } from '../commands/command.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { createRunStore } from '../state/run-store.ts';
import type { SaverDeps } from '../state/save.ts';
import { docOf, sameFlow, sameLayout } from '../state/saved-doc.ts';
import { createSyncStore } from '../state/sync-store.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';
import { toast } from '../ui/toast.ts';
import type { App } from './app.ts';
import type { OpenFlow } from './open-flow.ts';
import { laterSaver } from './later-saver.ts';
import { createPublishing } from './publishing.ts';
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
  const editor = createEditorStore(undefined, async () => {
    await afterFirstPicture();
    return (await import('../model/check-flow.ts')).checkFlow;
  });
  const runs = createRunStore();
  const sync = createSyncStore(open.detail);
  editor.getState().setCatalog(catalog, world);
  editor.getState().load(docOf(open.detail, catalog), open.detail.revision);
  const { ui } = app;
  const { begun } = ui.getState();
  if (begun?.flow === open.detail.id) editor.getState().select([begun.node]);
  ui.setState({
    overlay: undefined,
    focusField: undefined,
    nodeView: undefined,
    begun: undefined,
    reveal: undefined,
    pointer: undefined,
  });
  const stores = { editor, runs, sync, ui };
  const saver = laterSaver(saverDeps(app, open.detail.id, stores));
  const session: Session = {
    ...stores,
    saver,
    actions: {
      ...createPublishing(open.detail.id, stores, saver, (error) => tell(app, error)),
      ...createRunActions(
        open.detail.id,
        () => session,
        (error) => tell(app, error),
      ),
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
  if (open.detail.layoutBroken) tellOfLayout(open.detail.id);
  return session;
}

function tellOfLayout(id: string): void {
  toast('The positions of the nodes could not be read, so the nodes have new ones.', {
    kind: 'error',
    detail: `${id}.layout.json is not a valid layout. It is replaced when you move a node.`,
  });
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

type Stores = Pick<Session, 'editor' | 'runs' | 'sync' | 'ui'>;

function saverDeps(app: App, id: string, { editor, sync, ui }: Stores): SaverDeps {
  return {
    id,
    editor,
    sync,
    api: {
      createFlow,
      discardDraft,
      getFlow,
      getVersionText,
      publishFlow,
      restoreVersion,
      saveFlow,
      saveLayout,
    },
    onError: (error) => tell(app, error),
    onConflict: () => ui.setState({ overlay: { kind: 'conflict' } }),
    onMerged: () => toast('Positions that were changed elsewhere, such as in another tab, were applied.'),
    onFollowed: () => toast('This flow was changed elsewhere; the changes were applied here.'),
    onKept: (places) =>
      toast(
        `The live version was changed elsewhere, also where this draft has changes: ${places.join(', ')}.`,
        {
          detail: 'The draft keeps yours there. Publish shows what would change.',
        },
      ),
    onSaved: (detail) => {
      void app.queries.invalidateQueries({ queryKey: ['flows'] });
      void app.queries.invalidateQueries({ queryKey: ['world'] });
      sayWhereItStands(detail, app);
    },
  };
}

function sayWhereItStands({ hasDraft }: FlowDetail, { ui }: App): void {
  ui.setState({ announcement: hasDraft ? 'Saved as a draft' : 'Saved and live' });
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
