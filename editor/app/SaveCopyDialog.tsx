import { type FormEvent, useId, useState } from 'react';
import { ID_PATTERN } from '#shared/flow.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { useSession } from '../session/session.tsx';

/** Asks for the id of the new flow that gets the edits. */
export function SaveCopyDialog(props: { id: string; onBack(): void; onClose(): void }) {
  const { saver, actions } = useSession();
  const form = useId();
  const [id, setId] = useState(`${props.id.slice(0, 58)}_copy`);
  const [busy, setBusy] = useState(false);
  const isFine = ID_PATTERN.test(id);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!isFine || busy) return;
    setBusy(true);
    const isSaved = await saver.saveAs(id);
    setBusy(false);
    if (!isSaved) return;
    props.onClose();
    actions.goTo(`/flows/${id}`);
  }

  return (
    <Dialog
      open
      onOpenChange={props.onClose}
      size="sm"
      title="Save mine as a copy"
      footer={
        <>
          <Button variant="ghost" onClick={props.onBack}>
            Back
          </Button>
          <Button variant="primary" type="submit" form={form} busy={busy} disabled={!isFine}>
            Save the copy
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)}>
        <Field
          label="Id of the copy"
          help="It becomes the name of the file. Your edits go into the copy; this flow stays as it is on the server."
          error={isFine ? undefined : 'A lower-case letter, then a-z, 0-9 and _ (at most 64).'}
        >
          <Input autoFocus mono maxLength={64} value={id} onValueChange={setId} />
        </Field>
      </form>
    </Dialog>
  );
}
