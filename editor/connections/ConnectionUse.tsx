import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { type ConnectionDraft, countFault } from './connection-draft.ts';

interface UseProps {
  draft: ConnectionDraft;
  onChange(more: Partial<ConnectionDraft>): void;
}

/** Who may use a connection. */
export function Grants({ draft, onChange }: UseProps) {
  const isNobody = draft.flows.trim() === '' && draft.operators.trim() === '';
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">Who may use it</legend>
      <p className="text-xs text-text-2">
        {isNobody
          ? 'Nobody yet: name flows, types of nodes, or both.'
          : 'A use must match all filled-in fields.'}
      </p>
      <Field label="Flows" help={`Ids of flows, separated by commas.${isNobody ? '' : ' Empty: any flow.'}`}>
        <Input
          mono
          value={draft.flows}
          placeholder="my_flow"
          onValueChange={(flows) => onChange({ flows })}
        />
      </Field>
      <Field
        label="Operators"
        help={`Types of nodes, separated by commas.${isNobody ? '' : ' Empty: any type.'}`}
      >
        <Input
          mono
          value={draft.operators}
          placeholder="sql.query"
          onValueChange={(operators) => onChange({ operators })}
        />
      </Field>
      <label className="flex items-center gap-2 text-xs">
        <Checkbox
          label="Allow in drafts"
          checked={draft.drafts}
          onCheckedChange={(drafts) => onChange({ drafts })}
        />
        Allow in drafts, whoever wrote them
      </label>
    </fieldset>
  );
}

const PERIODS = [
  { value: 'second', label: 'a second' },
  { value: 'minute', label: 'a minute' },
  { value: 'hour', label: 'an hour' },
  { value: 'day', label: 'a day' },
] as const;

/** How often all flows together may use it. */
export function RateLimit({ draft, onChange }: UseProps) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">How often it may be used</legend>
      <p className="text-xs text-text-2">
        By all flows together. Further calls wait for their turn, up to the time limit of their node.
      </p>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Field label="Uses" error={countFault(draft.limit)}>
          <Input
            mono
            inputMode="numeric"
            value={draft.limit}
            placeholder="no limit"
            onValueChange={(limit) => onChange({ limit })}
          />
        </Field>
        <Field label="In">
          <Select value={draft.per} onValueChange={(per) => onChange({ per })} options={PERIODS} />
        </Field>
        <Field label="At once" error={countFault(draft.burst)} className="max-sm:col-span-2">
          <Input
            mono
            inputMode="numeric"
            value={draft.burst}
            placeholder={draft.limit}
            disabled={draft.limit.trim() === ''}
            onValueChange={(burst) => onChange({ burst })}
          />
        </Field>
      </div>
    </fieldset>
  );
}
