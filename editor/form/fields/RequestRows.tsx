import { Plus } from 'lucide-react';
import { useState } from 'react';
import { freshFieldName, type RequestField as Row } from '../../model/form/request-fields.ts';
import { Button } from '../../ui/Button.tsx';
import { RequestRow } from './RequestRow.tsx';

interface RequestRowsProps {
  rows: readonly Row[];
  onChange(rows: readonly Row[], typed?: boolean): void;
}

/** The fields of a request: name, type and whether they are required are visible, the rest is collapsed. */
export function RequestRows({ rows, onChange }: RequestRowsProps) {
  // By its place, so it ends when the places change.
  const [fresh, setFresh] = useState<number>();
  const add = () => {
    const name = freshFieldName(rows);
    setFresh(rows.length);
    onChange([
      ...rows,
      // A flow that reads a field needs it; who leaves it out is told so, in place of a run that fails.
      { name, type: 'string', required: true, defaultValue: undefined, description: '', schema: {} },
    ]);
  };
  const move = (at: number, by: number) => {
    setFresh(undefined);
    const next = [...rows];
    const [moved] = next.splice(at, 1);
    if (moved) next.splice(at + by, 0, moved);
    onChange(next);
  };
  return (
    <div className="flex flex-col gap-1.5">
      {rows.length === 0 && (
        <p className="rounded-md border border-dashed border-line-strong/60 px-2 py-2 text-xs text-text-2">
          Any request is accepted. Add fields to have them checked, filled with defaults and shown in the test
          form.
        </p>
      )}
      {rows.map((row, i) => (
        <RequestRow
          key={i}
          row={row}
          isFresh={i === fresh}
          isTaken={(name) => rows.some((other, j) => j !== i && other.name === name)}
          onChange={(next, typed) => onChange(rows.with(i, next), typed)}
          onRemove={() => {
            setFresh(undefined);
            onChange(rows.toSpliced(i, 1));
          }}
          onUp={i > 0 ? () => move(i, -1) : undefined}
          onDown={i < rows.length - 1 ? () => move(i, 1) : undefined}
        />
      ))}
      <Button size="sm" icon={Plus} onClick={add} className="self-start">
        Add field
      </Button>
    </div>
  );
}
