import { useState } from 'react';
import type { OfferedModel } from '#shared/model-provider.ts';
import { ApiError } from '../api/client.ts';
import { discoverModels } from '../api/models.ts';
import { Button } from '../ui/Button.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { accessOf, type ModelDraft, NO_MODEL, type ProviderDraft } from './provider-draft.ts';

interface FindModelsProps {
  draft: ProviderDraft;
  disabled: boolean;
  onChange(models: readonly ModelDraft[]): void;
  /** The address is not public and needs a permission. */
  onRefused(): void;
}

/** Asks the provider for its models, and adds the chosen ones. */
export function FindModels({ draft, disabled, onChange, onRefused }: FindModelsProps) {
  const [found, setFound] = useState<readonly OfferedModel[]>();
  const [failure, setFailure] = useState<ApiError>();
  const [busy, setBusy] = useState(false);

  async function find(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      setFound((await discoverModels(accessOf(draft))).models);
    } catch (error) {
      const told = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
      if (told.code === 'outbound_refused') onRefused();
      setFailure(told);
    }
    setBusy(false);
  }

  return (
    <>
      <Button size="sm" busy={busy} disabled={disabled} onClick={() => void find()}>
        Find models
      </Button>
      {failure && (
        <div className="w-full">
          <ErrorNote code={failure.code} message={failure.message} />
        </div>
      )}
      {found && !failure && <Found found={found} models={draft.models} onChange={onChange} />}
    </>
  );
}

interface FoundProps {
  found: readonly OfferedModel[];
  models: readonly ModelDraft[];
  onChange(models: readonly ModelDraft[]): void;
}

function Found({ found, models, onChange }: FoundProps) {
  const listed = new Set(models.map(({ name }) => name));
  const left = found.filter(({ name }) => !listed.has(name));
  const add = (more: readonly OfferedModel[]): void => {
    const kept = models.filter(({ name }) => name !== '');
    onChange([...kept, ...more.map(draftOfFound)]);
  };
  if (left.length === 0)
    return (
      <p role="status" className="w-full text-xs text-text-2">
        {found.length === 0 ? 'It lists no models.' : 'All its models are listed here.'}
      </p>
    );
  return (
    <div
      role="group"
      aria-label="Models of the provider"
      className="flex max-h-40 w-full flex-wrap gap-1 overflow-y-auto"
    >
      {left.length > 1 && (
        <Button size="sm" onClick={() => add(left)}>
          Add all {left.length}
        </Button>
      )}
      {left.map((model) => (
        <Button
          key={model.name}
          size="sm"
          variant="ghost"
          className="font-mono"
          aria-label={`Add ${model.name}`}
          onClick={() => add([model])}
        >
          + {model.name}
        </Button>
      ))}
    </div>
  );
}

function draftOfFound({ name, use, input }: OfferedModel): ModelDraft {
  return { ...NO_MODEL, name, use, takes: input?.join(',') ?? '' };
}
