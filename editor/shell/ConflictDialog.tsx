import { ArrowLeftRight, Minus, Pencil, Plus } from 'lucide-react';
import { useState } from 'react';
import { ID_PATTERN } from '#shared/flow.ts';
import { type Change, changesBetween } from '../model/changes.ts';
import { docOf } from '../state/save.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { agoText } from '../ui/format.ts';
import { Input } from '../ui/Input.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { useEditor, useSession, useSync } from './session.tsx';

/** The server has another state than these edits are based on: what differs, and the three ways on. */
export function ConflictDialog({ onClose }: { onClose(): void }) {
  const { saver, actions } = useSession();
  const mine = useEditor((editor) => editor.doc);
  const base = useEditor((editor) => editor.saved);
  const theirs = useSync((sync) => sync.conflict ?? (sync.outside === 'removed' ? undefined : sync.outside));
  const [copyId, setCopyId] = useState<string>();
  if (!theirs) return null;

  const keepMine = async (): Promise<void> => {
    onClose();
    await saver.keepMine();
  };
  const takeTheirs = (): void => {
    onClose();
    saver.takeTheirs();
    actions.toast('The server’s version was loaded. Undo brings yours back.');
  };
  const saveCopy = async (): Promise<void> => {
    if (copyId === undefined || !(await saver.saveAs(copyId))) return;
    onClose();
    actions.goTo(`/flows/${copyId}`);
  };
  const idIsFine = copyId === undefined || ID_PATTERN.test(copyId);

  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="This flow was changed elsewhere"
      description={`The server has a version from ${agoText(theirs.updatedAt)} that your edits are not based on. Choose which one holds.`}
      footer={
        copyId === undefined ? (
          <>
            <Button variant="ghost" onClick={onClose}>
              Decide later
            </Button>
            <Button onClick={() => setCopyId(`${theirs.id.slice(0, 58)}_copy`)}>Save mine as a copy…</Button>
            <Button onClick={takeTheirs}>Take theirs</Button>
            <Button variant="danger" onClick={() => void keepMine()}>
              Keep mine, overwrite theirs
            </Button>
          </>
        ) : (
          <>
            <Button variant="ghost" onClick={() => setCopyId(undefined)}>
              Back
            </Button>
            <Button variant="primary" disabled={!idIsFine} onClick={() => void saveCopy()}>
              Save the copy
            </Button>
          </>
        )
      }
    >
      {copyId === undefined ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Changes
            title="What you changed"
            changes={changesBetween(base, mine)}
            none="Nothing but places on the canvas."
          />
          <Changes
            title="What was changed elsewhere"
            changes={theirs.flow ? changesBetween(base, docOf(theirs)) : [broken]}
            none="Nothing against what you see; your edits were made on an older state."
          />
        </div>
      ) : (
        <Field
          label="Id of the copy"
          help="It becomes the name of the file. Your edits go into the copy, this flow stays as the server has it."
          error={idIsFine ? undefined : 'A lower-case letter, then a-z, 0-9 and _ (at most 64).'}
        >
          <Input autoFocus mono value={copyId} onValueChange={setCopyId} />
        </Field>
      )}
    </Dialog>
  );
}

const broken: Change = {
  kind: 'changed',
  text: 'The file is no readable flow any more; see it in the list of flows.',
};

const LOOKS = {
  added: { icon: Plus, tone: 'ok' },
  removed: { icon: Minus, tone: 'bad' },
  changed: { icon: Pencil, tone: 'warn' },
} as const;

function Changes({ title, changes, none }: { title: string; changes: readonly Change[]; none: string }) {
  return (
    <section className="min-w-0">
      <h3 className={sectionTitle}>{title}</h3>
      {changes.length === 0 && (
        <p className="mt-2 flex gap-2 text-text-2">
          <ArrowLeftRight aria-hidden className="mt-0.5 size-4 shrink-0" /> {none}
        </p>
      )}
      <ul className="mt-2 flex flex-col gap-1.5">
        {changes.map(({ kind, text }) => (
          <li key={`${kind} ${text}`} className="flex items-baseline gap-2">
            <Badge tone={LOOKS[kind].tone} icon={LOOKS[kind].icon}>
              {kind}
            </Badge>
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
