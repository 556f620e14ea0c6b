import { useState } from 'react';
import { changesBetween } from '../model/changes.ts';
import { docOf } from '../state/saved-doc.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { agoText } from '../ui/format.ts';
import { ChangeList } from './ChangeList.tsx';
import { SaveCopyDialog } from './SaveCopyDialog.tsx';
import { useEditor, useSession, useSync } from './session.tsx';

/** The server has another state than these edits are based on: what differs, and the three ways on. */
export function ConflictDialog({ onClose }: { onClose(): void }) {
  const { saver, actions } = useSession();
  const mine = useEditor((editor) => editor.doc);
  const base = useEditor((editor) => editor.saved);
  const theirs = useSync((sync) => sync.conflict ?? (sync.outside === 'removed' ? undefined : sync.outside));
  const [isCopy, setCopy] = useState(false);
  if (!theirs) return null;
  if (isCopy) return <SaveCopyDialog id={theirs.id} onBack={() => setCopy(false)} onClose={onClose} />;

  const keepMine = (): void => {
    onClose();
    void saver.keepMine();
  };
  const takeTheirs = (): void => {
    onClose();
    saver.takeTheirs();
    actions.toast('The server’s version was loaded. Undo brings yours back.');
  };

  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="This flow was changed elsewhere"
      description={`The server has a version from ${agoText(theirs.updatedAt)} that your edits are not based on. Choose which one holds.`}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Decide later
          </Button>
          <Button onClick={() => setCopy(true)}>Save mine as a copy…</Button>
          <Button onClick={takeTheirs} disabled={!theirs.flow}>
            Take theirs
          </Button>
          <Button variant="danger" onClick={keepMine}>
            Keep mine, overwrite theirs
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <ChangeList
          title="What you changed"
          changes={changesBetween(base, mine)}
          none="Nothing but places on the canvas."
        />
        <ChangeList
          title="What was changed elsewhere"
          changes={theirs.flow ? changesBetween(base, docOf(theirs)) : []}
          none={
            theirs.flow
              ? 'Nothing against what you see; your edits were made on an older state.'
              : 'The file is no readable flow any more, so it cannot be taken. Mend it on disk, or keep yours.'
          }
        />
      </div>
    </Dialog>
  );
}
