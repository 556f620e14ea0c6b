import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { listModels } from '../api/models.ts';
import SuggestInput from '../ui/SuggestInput.tsx';

interface ModelsInputProps {
  /** Names with commas between them. */
  value: string;
  onChange(value: string): void;
}

/** Which models an agent asks, in order. */
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
        Several with commas between: the next is asked where one is missing or busy.
      </p>
    </div>
  );
}
