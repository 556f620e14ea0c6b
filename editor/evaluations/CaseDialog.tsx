import { useState } from 'react';
import type { EvaluationSet } from '#shared/evaluation.ts';
import { addCase } from '../api/evaluations.ts';
import { useChange } from '../session/use-change.ts';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { type CaseDraft, caseOf, EMPTY_CASE } from './case-draft.ts';
import { EVALUATION_READS } from './queries.ts';

interface CaseDialogProps {
  id: string;
  set: EvaluationSet;
  onClose(): void;
}

/** Adds a case that is typed. */
export function CaseDialog({ id, set, onClose }: CaseDialogProps) {
  const [draft, setDraft] = useState(EMPTY_CASE);
  const { busy, error, change } = useChange(EVALUATION_READS, onClose);
  const one = caseOf(draft);
  const isTaken = set.cases.some(({ name }) => name === one.name);
  const isReady = one.name !== '' && one.input !== '' && !isTaken;
  return (
    <FormDialog
      title="Add a case"
      action="Add"
      isReady={isReady}
      busy={busy}
      error={isTaken ? `There is a case ${one.name} already.` : error}
      onSubmit={() => void change(() => addCase(id, one))}
      onClose={onClose}
    >
      <CaseFields draft={draft} onChange={(more) => setDraft({ ...draft, ...more })} />
    </FormDialog>
  );
}

interface CaseFieldsProps {
  draft: CaseDraft;
  onChange(more: Partial<CaseDraft>): void;
}

/** The fields for the question and the expectations. */
function CaseFields({ draft, onChange }: CaseFieldsProps) {
  return (
    <>
      <Field label="Name" required>
        <Input autoFocus maxLength={200} value={draft.name} onValueChange={(name) => onChange({ name })} />
      </Field>
      <Field label="Input" required help="A question, or the input of the flow as JSON.">
        <TextArea rows={2} value={draft.input} onValueChange={(input) => onChange({ input })} />
      </Field>
      <Field label="Expected answer" help="For the scorer “exact”, and for judges to compare with.">
        <TextArea rows={2} value={draft.answer} onValueChange={(answer) => onChange({ answer })} />
      </Field>
      <Field label="The answer contains" help="One text a line.">
        <TextArea rows={2} value={draft.contains} onValueChange={(contains) => onChange({ contains })} />
      </Field>
      <Field label="Expected documents" help="One name a line; for recall.">
        <TextArea rows={2} value={draft.documents} onValueChange={(documents) => onChange({ documents })} />
      </Field>
    </>
  );
}
