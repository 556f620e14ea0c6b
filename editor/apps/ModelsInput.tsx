import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { listModels } from '../api/models.ts';
import SuggestInput from '../ui/SuggestInput.tsx';

interface ModelsInputProps {
  /** Names separated by commas. */
  value: string;
  onChange(value: string): void;
}

/** The models of an agent, in order. */
export default function ModelsInput({ value, onChange }: ModelsInputProps) {
  const id = useId();
  const models = useQuery({ queryKey: ['models'], queryFn: listModels });
  const names = (models.data ?? []).filter(({ use }) => use === 'chat').map((model) => model.id);
  const before = value.slice(0, value.lastIndexOf(',') + 1);
  const preferred = models.data?.find((model) => model.default)?.id;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="flex min-h-5 items-center text-xs font-medium">
        Models
      </label>
      <SuggestInput
        id={id}
        value={value}
        onValueChange={onChange}
        options={names.map((name) => `${before}${name}`)}
        placeholder={preferred && `${preferred} (the default)`}
        aria-describedby={`${id}h`}
      />
      <p id={`${id}h`} className="text-xs text-text-2">
        Separate several with commas: the next one is used if one is missing or busy.
      </p>
    </div>
  );
}
