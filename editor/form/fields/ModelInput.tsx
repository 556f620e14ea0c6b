import { useQuery } from '@tanstack/react-query';
import { listModels } from '../../api/models.ts';
import SuggestInput from '../../ui/SuggestInput.tsx';
import type { FrameIds } from '../FieldFrame.tsx';

interface ModelInputProps {
  ids: FrameIds;
  value: string;
  onChange(value: string): void;
}

/** Suggests the models of the server. Loaded with the first node that uses a model. */
export default function ModelInput({ ids, value, onChange }: ModelInputProps) {
  const models = useQuery({ queryKey: ['models'], queryFn: listModels });
  const preferred = models.data?.find((model) => model.default)?.id;
  return (
    <SuggestInput
      id={ids.control}
      value={value}
      onValueChange={onChange}
      options={(models.data ?? []).map(({ id }) => id)}
      placeholder={preferred && `The request’s, or ${preferred}`}
      invalid={ids.invalid}
      aria-describedby={ids.describedBy}
    />
  );
}
