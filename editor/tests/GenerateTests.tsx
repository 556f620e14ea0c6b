import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import type { GeneratedFailure, GeneratedReport } from '#shared/flow-test-api.ts';
import { addTest, generateTests } from '../api/flow-tests.ts';
import { useSession } from '../session/session.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { countText } from '../ui/format.ts';
import { Input } from '../ui/Input.tsx';
import { JsonView } from '../ui/JsonView.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { Checkbox } from '../ui/Switch.tsx';

interface GenerateTestsProps {
  flow: string;
  onClose(): void;
}

/** Looks for inputs that the flow fails with, made from the request model of its trigger. */
export function GenerateTests({ flow, onClose }: GenerateTestsProps) {
  const session = useSession();
  const [count, setCount] = useState('100');
  const [seed, setSeed] = useState('1');
  const [holds, setHolds] = useState('');
  const [wrong, setWrong] = useState(false);
  const search = useMutation({
    mutationFn: async () => {
      const { editor, saver } = session.today ?? session;
      if (editor.getState().saveState !== 'saved' && !(await saver.save()))
        throw new Error('The flow could not be saved, so it was not run.');
      const rule = holds.trim();
      return generateTests(flow, {
        count: Number(count),
        seed: Number(seed),
        wrong,
        ...(rule !== '' && { holds: rule }),
      });
    },
  });
  return (
    <FormDialog
      title="Generate inputs"
      description="Tries random inputs until the flow fails. Outside calls are answered from your tests."
      action={search.data ? 'Search again' : 'Search'}
      isReady={isWhole(count, 1, 10_000) && isWhole(seed, 0, 2 ** 32 - 1)}
      busy={search.isPending}
      error={search.error?.message}
      onSubmit={() => search.mutate()}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label="Inputs" help="1 to 10,000">
          <Input autoFocus inputMode="numeric" value={count} onValueChange={setCount} />
        </Field>
        <Field label="Seed" help="The same seed makes the same inputs.">
          <Input inputMode="numeric" value={seed} onValueChange={setSeed} />
        </Field>
      </div>
      <Field
        label="Must always hold"
        help="An expression over input, answer, status, error and outputs; may be empty."
      >
        <Input
          mono
          maxLength={10_000}
          value={holds}
          onValueChange={setHolds}
          placeholder="answer.total >= 0"
        />
      </Field>
      <WrongToo isOn={wrong} onChange={setWrong} />
      {search.data && !search.isPending && <Found flow={flow} report={search.data} />}
    </FormDialog>
  );
}

function WrongToo({ isOn, onChange }: { isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <label className="flex items-start gap-2 text-xs">
      <Checkbox checked={isOn} onCheckedChange={onChange} label="Also try invalid inputs" />
      <span>
        Also try invalid inputs
        <span className="block text-text-2">If the trigger accepts one, the flow must not fail.</span>
      </span>
    </label>
  );
}

function isWhole(text: string, min: number, max: number): boolean {
  return /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max;
}

function Found({
  flow,
  report: { failures, made, refused, ended, coverage },
}: {
  flow: string;
  report: GeneratedReport;
}) {
  const { hit, of } = coverage.nodes;
  return (
    <section aria-label="Result" className="flex flex-col gap-2 border-t border-line pt-3 text-xs">
      <p role="status">
        {failures.length === 0
          ? 'The flow failed with none of them. '
          : `It fails in ${countText(failures.length, 'way')}. `}
        <span className="text-text-2">
          {countText(made, 'input')} made{refused > 0 && `, ${refused} refused by the trigger`}, {hit} of{' '}
          {countText(of, 'node')} reached
          {ended === 'time' && ', then the time was over'}.
        </span>
      </p>
      <ul className="flex flex-col gap-2">
        {failures.map((failure) => (
          <Failure key={failure.test.name} flow={flow} failure={failure} />
        ))}
      </ul>
    </section>
  );
}

function Failure({
  flow,
  failure: { sent, error, differences, test },
}: {
  flow: string;
  failure: GeneratedFailure;
}) {
  const queries = useQueryClient();
  const [isKept, setKept] = useState(false);
  const { busy, error: refusal, change } = useChange(['tests'], () => setKept(true));
  const keep = async (): Promise<void> => {
    await addTest(flow, test);
    await queries.invalidateQueries({ queryKey: ['tests'] });
  };
  return (
    <li className="flex flex-col gap-1.5 rounded-md border border-line p-2">
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 wrap-anywhere text-bad">
          <ProseText text={error ? error.message : `\`${differences[0]?.path}\` is not as expected.`} />
        </p>
        <Button
          size="sm"
          icon={isKept ? Check : FlaskConical}
          busy={busy}
          disabled={isKept}
          onClick={() => void change(keep)}
        >
          {isKept ? 'Kept' : 'Keep as a test'}
        </Button>
      </div>
      <JsonView value={sent} label="The smallest input found" />
      {refusal !== undefined && <ErrorNote code="conflict" message={refusal} />}
    </li>
  );
}
