import { type ComponentProps, useState } from 'react';
import { Input } from '../ui/Input.tsx';

type DraftInputProps = Omit<ComponentProps<typeof Input>, 'onValueChange'> & {
  onCommit(value: string): void;
};

/** A text that is applied as a whole: by Enter or when the focus leaves; Escape discards it. */
export function DraftInput({ value, onCommit, onKeyDown, ...rest }: DraftInputProps) {
  const [draft, setDraft] = useState<string>();
  const commit = (): void => {
    if (draft !== undefined && draft !== value) onCommit(draft);
    setDraft(undefined);
  };
  return (
    <Input
      {...rest}
      value={draft ?? value}
      onValueChange={setDraft}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape' && draft !== undefined) {
          setDraft(undefined);
          event.stopPropagation();
        }
        onKeyDown?.(event);
      }}
    />
  );
}
