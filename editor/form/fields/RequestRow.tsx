import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, X } from 'lucide-react';
import { useState } from 'react';
import {
  renamedField,
  REQUEST_TYPES,
  type RequestField as Row,
  type RequestType,
} from '../../model/form/request-fields.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';
import { Select } from '../../ui/Select.tsx';
import { Checkbox } from '../../ui/Switch.tsx';
import { DraftInput } from '../DraftInput.tsx';
import { RequestDefault } from './RequestDefault.tsx';

interface RequestRowProps {
  row: Row;
  /** It was just added, so its name comes next. */
  isFresh: boolean;
  isTaken(name: string): boolean;
  onChange(row: Row, typed?: boolean): void;
  onRemove(): void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}

/** One field of a request: name, type and whether it is required are visible, the rest is collapsed. */
export function RequestRow(props: RequestRowProps) {
  const { row, isFresh, isTaken, onChange, onRemove } = props;
  const [isOpen, setOpen] = useState(false);
  const [refused, setRefused] = useState<string>();
  const [typeChosen, setTypeChosen] = useState(false);

  function rename(name: string): void {
    const isBad = name === '' || name === '__proto__';
    const text = isBad ? 'A name is needed.' : isTaken(name) ? `There is already a ${name}.` : undefined;
    setRefused(text);
    if (text !== undefined) return;
    onChange(isFresh && !typeChosen ? renamedField(row, name) : { ...row, name });
  }

  return (
    <div className="flex flex-col gap-1.5 rounded-md border border-line bg-surface-2 p-1.5">
      <div className="flex items-center gap-1">
        <IconButton
          size="sm"
          icon={isOpen ? ChevronDown : ChevronRight}
          label={`More about ${row.name}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <DraftInput
          mono
          value={row.name}
          onCommit={rename}
          autoFocus={isFresh}
          onFocus={(event) => isFresh && event.currentTarget.select()}
          aria-label="Name of the field"
          className="min-w-0 flex-1"
        />
        <TypeSelect
          row={row}
          onChange={(next) => {
            setTypeChosen(true);
            onChange(next);
          }}
        />
        <label className="flex h-6 shrink-0 items-center gap-1 text-xs" title="Required">
          <Checkbox
            checked={row.required}
            onCheckedChange={(required) => onChange({ ...row, required })}
            label={`${row.name} is required`}
          />
          <span aria-hidden>req.</span>
        </label>
        <IconButton size="sm" icon={X} label={`Remove ${row.name}`} onClick={onRemove} />
      </div>
      {refused && (
        <p role="alert" className="pl-7 text-xs text-bad">
          {refused}
        </p>
      )}
      {isOpen && <Details {...props} />}
      {!isOpen && row.description !== '' && (
        <p className="truncate pl-7 text-xs text-text-2">{row.description}</p>
      )}
    </div>
  );
}

function TypeSelect({ row, onChange }: Pick<RequestRowProps, 'row' | 'onChange'>) {
  return (
    <div className="w-23 shrink-0">
      <Select<RequestType>
        value={row.type}
        onValueChange={(type) => onChange({ ...row, type, defaultValue: undefined })}
        options={REQUEST_TYPES.map((type) => ({ value: type, label: type }))}
        label={`Type of ${row.name}`}
      />
    </div>
  );
}

function Details({ row, onChange, onUp, onDown }: RequestRowProps) {
  return (
    <div className="flex flex-col gap-1.5 pl-7">
      <RequestDefault row={row} onChange={(defaultValue) => onChange({ ...row, defaultValue }, true)} />
      <Input
        value={row.description}
        onValueChange={(description) => onChange({ ...row, description }, true)}
        placeholder="Description"
        aria-label={`Description of ${row.name}`}
      />
      <div className="flex gap-1">
        <IconButton
          size="sm"
          icon={ArrowUp}
          label={`Move ${row.name} up`}
          disabled={!onUp}
          onClick={() => onUp?.()}
        />
        <IconButton
          size="sm"
          icon={ArrowDown}
          label={`Move ${row.name} down`}
          disabled={!onDown}
          onClick={() => onDown?.()}
        />
      </div>
    </div>
  );
}
