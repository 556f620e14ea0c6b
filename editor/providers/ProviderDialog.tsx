import { useState } from 'react';
import type { ProviderInfo } from '#shared/model-provider.ts';
import { isNearPlace } from '#shared/provider-address.ts';
import { saveProvider } from '../api/models.ts';
import { useChange } from '../session/use-change.ts';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { KeyChoice } from './KeyChoice.tsx';
import { ModelRows } from './ModelRows.tsx';
import { FindModels } from './FindModels.tsx';
import {
  bodyOf,
  draftOf,
  faultsOf,
  originOf,
  placeOfDraft,
  type ProviderDraft,
  TYPES,
} from './provider-draft.ts';

interface ProviderDialogProps {
  /** The provider to change; undefined for a new one. */
  provider: ProviderInfo | undefined;
  all: readonly ProviderInfo[];
  /** The queries to reload after a change. */
  reads: readonly string[];
  onClose(): void;
}

export function ProviderDialog({ provider, all, reads, onClose }: ProviderDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(provider));
  /** Host and port that the server would refuse to send requests to. */
  const [refused, setRefused] = useState<string>();
  const { busy, error, change } = useChange(reads, onClose);
  const faults = faultsOf(draft, provider ? [] : all.map(({ id }) => id));
  const isReady = Object.keys(faults).length === 0;
  const patch = (more: Partial<ProviderDraft>): void => setDraft({ ...draft, ...more });
  const submit = (): void => void change(() => saveProvider(draft.id, bodyOf(draft)));
  return (
    <FormDialog
      title={provider ? `Change the provider “${provider.id}”` : 'New provider'}
      action="Save"
      isReady={isReady}
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {!provider && (
        <NameField id={draft.id} fault={faults.id || undefined} onChange={(id) => patch({ id })} />
      )}
      <Place draft={draft} fault={faults.baseUrl || undefined} onChange={patch} />
      <NearAddress draft={draft} refused={refused} onChange={(allow) => patch({ allow })} />
      <KeyChoice secret={draft.secret} origin={originOf(draft)} onChange={(secret) => patch({ secret })} />
      <ModelRows
        models={draft.models}
        aside={
          <FindModels
            draft={draft}
            disabled={faults.baseUrl !== undefined}
            onChange={(models) => patch({ models })}
            onRefused={() => setRefused(placeOfDraft(draft))}
          />
        }
        fault={faults.models || undefined}
        onChange={(models) => patch({ models })}
      />
    </FormDialog>
  );
}

interface NameFieldProps {
  id: string;
  fault: string | undefined;
  onChange(id: string): void;
}

function NameField({ id, fault, onChange }: NameFieldProps) {
  return (
    <Field
      label="Name"
      required
      help="Names of models begin with it, as in openai/gpt-4o-mini."
      error={fault}
    >
      <Input autoFocus mono value={id} onValueChange={onChange} placeholder="openai" />
    </Field>
  );
}

interface PlaceProps {
  draft: ProviderDraft;
  fault: string | undefined;
  onChange(more: Partial<ProviderDraft>): void;
}

function Place({ draft: { type, baseUrl }, fault, onChange }: PlaceProps) {
  const known = TYPES.find(({ value }) => value === type);
  const isNeeded = type === 'openai-compatible';
  return (
    <>
      <Field label="Type">
        <Select value={type} onValueChange={(next) => onChange({ type: next })} options={TYPES} />
      </Field>
      <Field
        label="Address"
        required={isNeeded}
        help={isNeeded ? 'Where its API begins.' : 'The base address of its API. Empty: the usual one.'}
        error={fault}
      >
        <Input
          mono
          value={baseUrl}
          onValueChange={(next) => onChange({ baseUrl: next })}
          placeholder={known?.address}
        />
      </Field>
    </>
  );
}

interface NearAddressProps {
  draft: ProviderDraft;
  refused: string | undefined;
  onChange(allow: string | undefined): void;
}

/**
 * An address on this machine or in a private network needs a permission, which is stored with the provider and only applies
 * to it.
 */
function NearAddress({ draft, refused, onChange }: NearAddressProps) {
  const place = placeOfDraft(draft);
  if (place === undefined || (!isNearPlace(place) && place !== refused && place !== draft.allow)) return null;
  return (
    <label className="flex items-center gap-2 rounded-md bg-warn-soft px-2.5 py-1.5 text-xs text-warn">
      <Checkbox
        label={`Allow requests to ${place}`}
        checked={draft.allow === place}
        onCheckedChange={(yes) => onChange(yes ? place : undefined)}
      />
      <span className="min-w-0 flex-1 wrap-anywhere">
        Allow requests to {place} for this provider: the address is not public.
      </span>
    </label>
  );
}
