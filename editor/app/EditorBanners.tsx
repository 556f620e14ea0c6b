import { dropDraft } from '../state/drafts.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { Moment } from '../ui/Moment.tsx';
import { localStorageOf } from '../session/app.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';

/** Messages about the flow as a whole while it is edited. */
export function EditorBanners() {
  const outside = useSync((sync) => sync.outside);
  const restoredFrom = useSync((sync) => sync.restoredFrom);
  const readOnly = useSync((sync) => sync.record.readOnly);
  return (
    <>
      {readOnly && (
        <Banner tone="busy">This server is read-only: flows run, but nothing can be saved.</Banner>
      )}
      {outside === 'removed' && <RemovedBanner />}
      {outside !== undefined && outside !== 'removed' && <ChangedBanner />}
      {restoredFrom !== undefined && <RestoredBanner at={restoredFrom} />}
    </>
  );
}

function RemovedBanner() {
  const { editor, saver } = useSession();
  const id = editor.getState().doc.flow.id;
  return (
    <Banner
      tone="warn"
      actions={
        <Button size="sm" onClick={() => void saver.saveAs(id)}>
          Save again as new
        </Button>
      }
    >
      This flow was deleted elsewhere. What you see here is kept until you leave.
    </Banner>
  );
}

function ChangedBanner() {
  const { saver, ui } = useSession();
  const isUnsaved = useEditor((editor) => editor.saveState !== 'saved');
  return (
    <Banner
      tone="warn"
      actions={
        <>
          <Button size="sm" onClick={() => ui.setState({ overlay: { kind: 'conflict' } })}>
            Compare
          </Button>
          <Button size="sm" onClick={saver.takeTheirs}>
            Reload
          </Button>
        </>
      }
    >
      This flow was changed elsewhere: on disk, or in another tab.
      {isUnsaved && ' Your unsaved edits are still here; undo brings them back after loading.'}
    </Banner>
  );
}

function RestoredBanner({ at }: { at: number }) {
  const { editor, sync } = useSession();
  const close = (): void => sync.setState({ restoredFrom: undefined });
  const discard = (): void => {
    const { commit, saved } = editor.getState();
    commit('Discard restored edits', (draft) => {
      draft.flow = saved.flow;
      draft.layout = saved.layout;
    });
    const { record } = sync.getState();
    editor.getState().markSaved(editor.getState().doc, record.revision);
    dropDraft(localStorageOf(), record.id);
    sync.setState({ knowsBase: true });
    close();
  };
  return (
    <Banner
      tone="busy"
      actions={
        <>
          <Button size="sm" onClick={discard}>
            Discard them
          </Button>
          <Button size="sm" variant="ghost" onClick={close}>
            Keep
          </Button>
        </>
      }
    >
      Unsaved edits from <Moment at={at} /> were restored.
    </Banner>
  );
}
