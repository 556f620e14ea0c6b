import { type FormEvent, useId, useState } from 'react';
import type { FileValue } from '#shared/file.ts';
import { type DecideBody, MAX_COMMENT, type WaitInfo } from '#shared/wait.ts';
import { askedFields, changedArguments, choiceText, typedForm, type waitFields } from '#shared/wait-form.ts';
import { FormUploads, useUploads } from '../form/uploads.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { TextArea } from '../ui/Input.tsx';
import { Question } from './Question.tsx';
import { useDecide } from './use-decide.ts';
import { WaitField } from './WaitField.tsx';

interface DecideFormProps {
  wait: WaitInfo;
  onClose(): void;
}

/** An open question, to decide. */
export function DecideForm({ wait, onClose }: DecideFormProps) {
  const form = useId();
  const { title, ask } = wait;
  const fields = askedFields(ask);
  const [typed, setTyped] = useState(() => initialTexts(fields));
  const [files, setFiles] = useState<ReadonlyMap<string, readonly FileValue[]>>(new Map());
  const [comment, setComment] = useState('');
  const { busy, refusal, decide } = useDecide(wait, onClose);
  const { uploads, isWaiting } = useUploads();
  const isForm = ask.kind === 'form';
  const isBusy = busy !== undefined || isWaiting;
  const send = (decision: DecideBody['decision']): void => {
    const texts = typedForm(fields, (name) => typed.get(name) ?? '');
    const data = { ...texts, ...chosenFiles(fields, files) } as DecideBody['data'];
    const changed = ask.kind === 'tool' && decision === 'approved' ? changedArguments(ask, texts) : undefined;
    void decide({
      decision,
      comment,
      ...(isForm && { data }),
      ...(changed && { data: changed as typeof data }),
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isForm && !isBusy) send('submitted');
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={isForm ? <SendButton form={form} busy={isBusy} /> : <Choice busy={busy} onChoose={send} />}
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Question wait={wait} />
        <FormUploads value={uploads}>
          {fields.map((field) => (
            <WaitField
              key={field.name}
              field={field}
              text={typed.get(field.name) ?? ''}
              error={refusal?.faults.get(field.name)}
              onText={(text) => setTyped(new Map(typed).set(field.name, text))}
              files={files.get(field.name) ?? []}
              onFiles={(next) => setFiles((all) => new Map(all).set(field.name, next))}
            />
          ))}
        </FormUploads>
        <Field label="Comment">
          <TextArea rows={2} maxLength={MAX_COMMENT} value={comment} onValueChange={setComment} />
        </Field>
        {refusal && (
          <p role="alert" className="text-bad">
            {refusal.message}
          </p>
        )}
      </form>
    </Dialog>
  );
}

function SendButton({ form, busy }: { form: string; busy: boolean }) {
  return (
    <Button variant="primary" type="submit" form={form} busy={busy}>
      Send
    </Button>
  );
}

interface ChoiceProps {
  busy: DecideBody['decision'] | undefined;
  onChoose(decision: DecideBody['decision']): void;
}

function Choice({ busy, onChoose }: ChoiceProps) {
  return (
    <>
      <Button busy={busy === 'rejected'} onClick={() => onChoose('rejected')}>
        Reject
      </Button>
      <Button variant="primary" busy={busy === 'approved'} onClick={() => onChoose('approved')}>
        Approve
      </Button>
    </>
  );
}

function chosenFiles(
  fields: ReturnType<typeof waitFields>,
  files: ReadonlyMap<string, readonly FileValue[]>,
): Record<string, unknown> {
  const chosen = fields.flatMap(({ name, type }) => {
    const own = files.get(name) ?? [];
    return own.length === 0 ? [] : [[name, type === 'files' ? own : own[0]] as const];
  });
  return Object.fromEntries(chosen);
}

function initialTexts(fields: ReturnType<typeof waitFields>): ReadonlyMap<string, string> {
  const given = fields.filter(({ initial }) => initial !== undefined);
  return new Map(
    given.map(({ name, type, initial }) => [
      name,
      type === 'json' ? JSON.stringify(initial, null, 2) : choiceText(initial),
    ]),
  );
}
