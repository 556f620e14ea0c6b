import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { EvaluationInfo } from '#shared/evaluation.ts';
import { writeEvaluation } from '../api/evaluations.ts';
import { listFlows } from '../api/flows.ts';
import { listSpaces } from '../api/knowledge.ts';
import { useChange } from '../session/use-change.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { EVALUATION_READS } from './queries.ts';
import { EMPTY_SET, faultsOf, KINDS, type SetDraft, setOf } from './set-draft.ts';

interface SetDialogProps {
  all: readonly EvaluationInfo[];
  onClose(): void;
}

/** Creates an evaluation: what is evaluated, by which scorers, and what is good enough. */
export function SetDialog({ all, onClose }: SetDialogProps) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(EMPTY_SET);
  const { busy, error, change } = useChange(EVALUATION_READS, () => {
    void navigate({ to: '/evaluations/$set', params: { set: draft.id } });
  });
  const faults = faultsOf(draft, all);
  const isReady = Object.keys(faults).length === 0 && draft.id !== '' && draft.target !== '';
  const patch = (more: Partial<SetDraft>): void => setDraft({ ...draft, ...more });
  return (
    <FormDialog
      title="New evaluation"
      action="Create"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={() => void change(() => writeEvaluation(draft.id, setOf(draft)))}
      onClose={onClose}
    >
      <Field label="Name" required error={faults.id} help="Saved as <name>.eval.json.">
        <Input
          autoFocus
          mono
          maxLength={64}
          value={draft.id}
          onValueChange={(id) => patch({ id })}
          placeholder="support"
        />
      </Field>
      <TargetFields draft={draft} onChange={patch} />
      <ScorerFields draft={draft} fault={faults.scorers} onChange={patch} />
      <Field
        label="Threshold"
        error={faults.threshold}
        help="The lowest mean that passes, from 0 to 1. Empty: no threshold."
      >
        <Input
          inputMode="decimal"
          className="w-24"
          value={draft.threshold}
          onValueChange={(threshold) => patch({ threshold })}
        />
      </Field>
    </FormDialog>
  );
}

interface FieldsProps {
  draft: SetDraft;
  onChange(more: Partial<SetDraft>): void;
}

const PLACES = [
  { value: 'flow', label: 'A flow' },
  { value: 'space', label: 'A knowledge space' },
] as const;

function TargetFields({ draft, onChange }: FieldsProps) {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const spaces = useQuery({ queryKey: ['knowledge-spaces'], queryFn: listSpaces });
  const options =
    draft.of === 'flow'
      ? (flows.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? id, hint: name && id }))
      : (spaces.data ?? []).map(({ name }) => ({ value: name, label: name }));
  return (
    <div className="flex flex-col items-start gap-2 [&>*:last-child]:self-stretch">
      <SegmentedControl
        label="What is evaluated"
        value={draft.of}
        onValueChange={(of) =>
          onChange({ of, target: '', kinds: of === 'space' ? ['recall'] : ['contains'] })
        }
        options={PLACES}
      />
      <Field label={draft.of === 'flow' ? 'Flow' : 'Space'} required>
        <Select value={draft.target} onValueChange={(target) => onChange({ target })} options={options} />
      </Field>
    </div>
  );
}

function ScorerFields({ draft, fault, onChange }: FieldsProps & { fault: string | undefined }) {
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">Scorers</legend>
      {KINDS.map(({ kind, label, help, spaces }) => {
        const isOn = draft.kinds.includes(kind);
        return (
          (spaces || draft.of === 'flow') && (
            <label key={kind} className="flex items-start gap-2 text-xs">
              <Checkbox
                label={label}
                checked={isOn}
                onCheckedChange={(checked) =>
                  onChange({
                    kinds: checked ? [...draft.kinds, kind] : draft.kinds.filter((one) => one !== kind),
                  })
                }
              />
              <span>
                <span className="font-medium">{label}</span>
                <span className="block text-text-2">{help}</span>
              </span>
            </label>
          )
        );
      })}
      {fault !== undefined && <p className="text-xs text-bad">{fault}</p>}
    </fieldset>
  );
}
