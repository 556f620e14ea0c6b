import { useState } from 'react';
import type { CreatedKey, KeyInfo } from '#shared/key.ts';
import type { Scope } from '#shared/scopes.ts';
import { createKey } from '../api/keys.ts';
import { useChange } from '../session/use-change.ts';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { bodyOf, ENDS, type KeyDraft, nameFault, rateFault } from './key-draft.ts';
import { SCOPE_WORDS } from './scope-labels.ts';

interface KeyFormProps {
  all: readonly KeyInfo[];
  suggested: KeyDraft;
  onMade(made: CreatedKey): void;
  onClose(): void;
}

export function KeyForm({ all, suggested, onMade, onClose }: KeyFormProps) {
  const [draft, setDraft] = useState(suggested);
  const { busy, error, change } = useChange(['keys'], () => undefined);
  const fault = nameFault(draft.name, all);
  const isReady = fault === undefined && bodyOf(draft, 0) !== undefined;
  const submit = (): void => {
    const body = bodyOf(draft, Date.now());
    if (body) void change(async () => onMade(await createKey(body)));
  };
  return (
    <FormDialog
      title="New API key"
      action="Create the key"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" required help="Who or what uses it; the log shows this name." error={fault}>
        <Input
          autoFocus
          maxLength={100}
          value={draft.name}
          onValueChange={(name) => setDraft({ ...draft, name })}
          placeholder="Order service"
        />
      </Field>
      <Scopes chosen={draft.scopes} onChange={(scopes) => setDraft({ ...draft, scopes })} />
      <Field label="Expires">
        <Select
          value={String(draft.days)}
          onValueChange={(days) => setDraft({ ...draft, days: Number(days) })}
          options={ENDS}
        />
      </Field>
      <PerMinute value={draft.perMinute ?? ''} onChange={(perMinute) => setDraft({ ...draft, perMinute })} />
    </FormDialog>
  );
}

function PerMinute({ value, onChange }: { value: string; onChange(text: string): void }) {
  return (
    <Field
      label="Requests a minute"
      help="Further calls get 429 with the time to wait. Empty: no limit."
      error={rateFault(value)}
    >
      <Input inputMode="numeric" value={value} onValueChange={onChange} placeholder="No limit" />
    </Field>
  );
}

interface ScopesProps {
  chosen: readonly Scope[];
  onChange(scopes: readonly Scope[]): void;
}

function Scopes({ chosen, onChange }: ScopesProps) {
  const toggle = (scope: Scope, isOn: boolean): void =>
    onChange(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope));
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">What it may do</legend>
      {SCOPE_WORDS.map(({ scope, words }) => (
        <label key={scope} className="flex items-start gap-2">
          <Checkbox checked={chosen.includes(scope)} onCheckedChange={(isOn) => toggle(scope, isOn)} />
          <span className="min-w-0">
            <span className="font-mono text-xs font-semibold">{scope}</span>{' '}
            <span className="text-xs text-text-2">{words}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
