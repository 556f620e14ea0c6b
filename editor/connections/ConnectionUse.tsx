import { useState } from 'react';
import type { ConnectionGrants } from '#shared/connection.ts';
import { grantWords } from '#shared/connection-labels.ts';
import { ThingsPicker } from '../form/ThingPicker.tsx';
import { emptyHelp } from '../form/empty-grant.ts';
import { useGrantNames } from '../session/use-grant-names.ts';
import { Field } from '../ui/Field.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { type ConnectionDraft, countFault, grantsOf, namesIn } from './connection-draft.ts';

interface UseProps {
  draft: ConnectionDraft;
  onChange(more: Partial<ConnectionDraft>): void;
}

interface GrantsProps extends UseProps {
  /** As they are stored. */
  before: ConnectionGrants;
}

/** Who may use a connection. */
export function Grants({ draft, before, onChange }: GrantsProps) {
  const [flows, operators] = [namesIn(draft.flows), namesIn(draft.operators)];
  const grants = grantsOf(draft, before);
  const who = grantWords(grants, useGrantNames());
  const isNobody = who === undefined;
  const [wasNobody] = useState(isNobody);
  return (
    <Fold title="Who may use it" summary={who ?? 'Nobody yet'} isOpen={wasNobody}>
      <p className="text-xs text-text-2">
        {isNobody
          ? 'Nobody yet: choose flows, types of nodes, or both.'
          : 'A use must match all filled-in fields.'}
      </p>
      <Field label="Flows" help={emptyHelp(grants.flows, isNobody, 'any flow')}>
        <ThingsPicker
          of="flow"
          inDialog
          label="Flows"
          isFree
          values={flows}
          onChange={(next) => onChange({ flows: next.join(', ') })}
        />
      </Field>
      <Field label="Operators" help={emptyHelp(grants.operators, isNobody, 'any type of node')}>
        <ThingsPicker
          of="operator"
          inDialog
          label="Operators"
          values={operators}
          onChange={(next) => onChange({ operators: next.join(', ') })}
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
    </Fold>
  );
}

const PERIODS = [
  { value: 'second', label: 'a second' },
  { value: 'minute', label: 'a minute' },
  { value: 'hour', label: 'an hour' },
  { value: 'day', label: 'a day' },
] as const;

function limitWords({ limit, per }: ConnectionDraft): string {
  const period = PERIODS.find(({ value }) => value === per)?.label ?? '';
  return limit.trim() === '' ? 'No limit' : `${limit.trim()} uses ${period}`;
}

/** How often all flows together may use it. */
export function RateLimit({ draft, onChange }: UseProps) {
  const isWrong = countFault(draft.limit) !== undefined || countFault(draft.burst) !== undefined;
  return (
    <Fold title="How often it may be used" summary={limitWords(draft)} isOpen={isWrong}>
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
    </Fold>
  );
}
