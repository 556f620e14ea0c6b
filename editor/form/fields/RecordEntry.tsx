import { X } from 'lucide-react';
import type { Path } from '#engine/check';
import type { FormField } from '../../model/form/schema-form.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { DraftInput } from '../DraftInput.tsx';
import type { NestedProps } from '../FieldFrame.tsx';

interface RecordEntryProps {
  name: string;
  /** For the input of the name. */
  label: string;
  value: FormField | undefined;
  path: Path;
  view: NestedProps['view'];
  /** It was just added, so its name comes next. */
  isFresh: boolean;
  refused: string | undefined;
  onRename(to: string): void;
  onRemove(): void;
}

export function RecordEntry(props: RecordEntryProps) {
  const { name, label, value, path, view: View, isFresh, refused, onRename, onRemove } = props;
  return (
    <div className="flex flex-col gap-1 rounded-md border border-line bg-surface-2 p-1.5">
      <div className="flex items-center gap-1">
        <DraftInput
          mono
          value={name}
          onCommit={onRename}
          aria-label={label}
          aria-invalid={refused !== undefined || undefined}
          autoFocus={isFresh}
          onFocus={(event) => isFresh && event.currentTarget.select()}
        />
        <IconButton size="sm" icon={X} label={`Remove ${name}`} onClick={onRemove} />
      </div>
      {refused && (
        <p role="alert" className="text-xs text-bad">
          {refused}
        </p>
      )}
      {value && <View field={value} path={path} label={`Value of ${name}`} bare />}
    </div>
  );
}
