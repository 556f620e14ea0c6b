import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { type ModelDraft, NO_MODEL, TAKES } from './provider-draft.ts';

interface ModelRowsProps {
  models: readonly ModelDraft[];
  /** Looks up the models of the provider. */
  aside: ReactNode;
  fault: string | undefined;
  onChange(models: readonly ModelDraft[]): void;
}

const USES = [
  { value: 'chat', label: 'Answers' },
  { value: 'embedding', label: 'Vectors' },
] as const;

/** The usable models: only those that are listed. */
export function ModelRows({ models, aside, fault, onChange }: ModelRowsProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-3 pt-1 pb-3">
      <legend className="px-1 text-xs font-medium">Models</legend>
      <p className="text-xs text-text-2">
        Use the provider’s names. Prices are in US dollars per million tokens sent and received; budgets need
        them.
      </p>
      {models.map((model, i) => (
        <ModelRow
          key={i}
          number={i + 1}
          model={model}
          onChange={(next) => onChange(models.map((one, at) => (at === i ? next : one)))}
          onRemove={models.length > 1 ? () => onChange(models.filter((_, at) => at !== i)) : undefined}
        />
      ))}
      {fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={Plus} onClick={() => onChange([...models, NO_MODEL])}>
          Add a model
        </Button>
        {aside}
      </div>
    </fieldset>
  );
}

interface ModelRowProps {
  number: number;
  model: ModelDraft;
  onChange(model: ModelDraft): void;
  onRemove: (() => void) | undefined;
}

function ModelRow({ number, model, onChange, onRemove }: ModelRowProps) {
  const of = (what: string): string => `${what} of model ${number}`;
  return (
    <div className="flex items-center gap-1.5 max-sm:flex-wrap">
      <Input
        mono
        aria-label={`Name of model ${number}`}
        placeholder="gpt-4o-mini"
        value={model.name}
        onValueChange={(name) => onChange({ ...model, name })}
        className="min-w-0 flex-1 max-sm:basis-full"
      />
      <Select
        label={of('Use')}
        value={model.use}
        onValueChange={(use) => onChange({ ...model, use })}
        options={USES}
        className="w-24"
      />
      <Select
        label={of('What messages may hold for')}
        value={model.takes}
        onValueChange={(takes) => onChange({ ...model, takes })}
        options={TAKES}
        disabled={model.use !== 'chat'}
        className="w-24"
      />
      <Input
        aria-label={of('Price of tokens sent')}
        placeholder="$ in"
        inputMode="decimal"
        value={model.input}
        onValueChange={(input) => onChange({ ...model, input })}
        className="w-16"
      />
      <Input
        aria-label={of('Price of tokens received')}
        placeholder="$ out"
        inputMode="decimal"
        value={model.output}
        onValueChange={(output) => onChange({ ...model, output })}
        className="w-16"
      />
      <IconButton
        size="sm"
        icon={Trash2}
        label={`Remove model ${number}`}
        disabled={onRemove === undefined}
        onClick={onRemove}
      />
    </div>
  );
}
