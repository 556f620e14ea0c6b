import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { EvaluationInfo, EvaluationTarget, Scorer } from '#shared/evaluation.ts';
import { addCase, keepRun, writeEvaluation } from '../api/evaluations.ts';
import { useChange } from '../session/use-change.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { toast } from '../ui/toast.ts';
import { EVALUATION_READS, evaluationsQuery } from './queries.ts';
import { freeName } from './score-text.ts';
import { setNameFault } from './set-draft.ts';

/** A question of a chat or of a search, to be kept as a case. */
export interface KeptQuestion {
  readonly question: string;
  /** Absent for a search, which answers nothing. */
  readonly answer?: string;
  /** Names of the documents that are to be found. */
  readonly documents: readonly string[];
}

interface KeepCaseDialogProps {
  /** What was asked: only sets of this are offered, and a new one is made of it. */
  target: EvaluationTarget;
  /** A question with the answer and the documents that it is to find, or a run. */
  kept: KeptQuestion | { readonly run: string };
  onClose(): void;
}

const NEW = '+';

/** Keeps a hit of a search, or a run, as a case of an evaluation. */
export function KeepCaseDialog({ target, kept, onClose }: KeepCaseDialogProps) {
  const all = useQuery(evaluationsQuery);
  if (!all.data) return null;
  return <KeepCaseForm all={all.data} target={target} kept={kept} onClose={onClose} />;
}

function KeepCaseForm({
  all,
  target,
  kept,
  onClose,
}: KeepCaseDialogProps & { all: readonly EvaluationInfo[] }) {
  const fitting = all.filter(({ set }) => set && isSameTarget(set.target, target));
  const [chosen, setChosen] = useState(fitting[0]?.id ?? NEW);
  const [id, setId] = useState('');
  const cases = fitting.find((one) => one.id === chosen)?.set?.cases ?? [];
  const [name, setName] = useState(() => freeName({ cases }, nameOf(kept).slice(0, 190)));
  const { busy, error, change } = useChange(EVALUATION_READS, onClose);
  const isNew = chosen === NEW;
  const fault = isNew ? setNameFault(id, all) : undefined;
  const keep = async (): Promise<void> => {
    const set = isNew ? id : chosen;
    if (isNew) await writeEvaluation(id, { format: 1, target, scorers: scorersFor(kept, target), cases: [] });
    await keepIn(set, name.trim(), kept);
    toast(`“${name.trim()}” is a case of ${set} now.`, { kind: 'success' });
  };
  return (
    <FormDialog
      size="sm"
      title="Keep as an evaluation case"
      description={aboutOf(kept)}
      action="Keep"
      isReady={name.trim() !== '' && (!isNew || (id !== '' && fault === undefined))}
      busy={busy}
      error={error}
      aside={
        <Link to="/evaluations" className="mr-auto self-center text-xs text-accent-strong underline">
          All evaluations
        </Link>
      }
      onSubmit={() => void change(keep)}
      onClose={onClose}
    >
      <Field label="Evaluation">
        <Select
          value={chosen}
          onValueChange={setChosen}
          options={[
            ...fitting.map((one) => ({ value: one.id, label: one.id })),
            { value: NEW, label: 'A new one' },
          ]}
        />
      </Field>
      {isNew && (
        <Field label="Name of the evaluation" required error={fault}>
          <Input autoFocus mono maxLength={64} value={id} onValueChange={setId} placeholder="support" />
        </Field>
      )}
      <Field label="Name of the case" required>
        <Input maxLength={200} value={name} onValueChange={setName} />
      </Field>
    </FormDialog>
  );
}

type Kept = KeepCaseDialogProps['kept'];

function nameOf(kept: Kept): string {
  return 'run' in kept ? `run ${kept.run}` : kept.question;
}

function aboutOf(kept: Kept): string {
  return 'run' in kept
    ? 'Keeps its input, and expects the same answer and hits. Correct them in the file if they are wrong.'
    : kept.answer === undefined
      ? `“${kept.question}” is to find ${kept.documents.join(', ')}.`
      : 'Keeps the question, and expects the same answer and documents. Correct them in the file if they are wrong.';
}

function scorersFor(kept: Kept, target: EvaluationTarget): Scorer[] {
  if ('run' in kept) return [{ kind: 'exact' }];
  const recall: Scorer = { kind: 'recall', k: 5 };
  // A search has no answer. No two answers have the same words, so a model compares them.
  if ('space' in target || kept.answer === undefined) return [recall];
  return [{ kind: 'judge' }, ...(kept.documents.length > 0 ? [recall] : [])];
}

function keepIn(set: string, name: string, kept: Kept): Promise<unknown> {
  if ('run' in kept) return keepRun(kept.run, { set, name });
  const { question, answer, documents } = kept;
  const expect = {
    ...(answer !== undefined && { answer }),
    ...(documents.length > 0 && { documents: [...documents] }),
  };
  return addCase(set, { name, input: question, expect });
}

function isSameTarget(one: EvaluationTarget, other: EvaluationTarget): boolean {
  if ('flow' in one) return 'flow' in other && one.flow === other.flow;
  return 'space' in other && one.space === other.space;
}
