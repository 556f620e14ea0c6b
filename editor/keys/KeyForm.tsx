import { type FormEvent, useId, useState } from 'react';
import type { CreatedKey, KeyInfo } from '#shared/key.ts';
import type { Scope } from '#shared/scopes.ts';
import { createKey } from '../api/keys.ts';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { bodyOf, ENDS, type KeyDraft, nameFault } from './key-draft.ts';
import { SCOPE_WORDS } from './scope-labels.ts';

interface KeyFormProps {
  all: readonly KeyInfo[];
  suggested: KeyDraft;
  onMade(made: CreatedKey): void;
  onClose(): void;
}

export function KeyForm({ all, suggested, onMade, onClose }: KeyFormProps) {
  const form = useId();
  const [draft, setDraft] = useState(suggested);
  const { busy, error, change } = useChange(['keys'], () => undefined);
  const fault = nameFault(draft.name, all);
  const isReady = fault === undefined && bodyOf(draft, 0) !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = bodyOf(draft, Date.now());
    if (body && isReady && !busy) void change(async () => onMade(await createKey(body)));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New API key"
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={form} busy={busy} disabled={!isReady}>
            Create the key
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
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
        {error !== undefined && (
          <p role="alert" className="text-bad">
            {error}
          </p>
        )}
      </form>
    </Dialog>
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
