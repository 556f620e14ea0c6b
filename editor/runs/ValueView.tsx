import { useMemo, useState } from 'react';
import { tableOf } from '../model/form/table.ts';
import type { JsonPath } from '../ui/JsonTree.tsx';
import { JsonView } from '../ui/JsonView.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { TableView } from '../ui/TableView.tsx';

interface ValueViewProps {
  value: unknown;
  label: string;
  onPick?: ((path: JsonPath) => void) | undefined;
  pickLabel?: string | undefined;
}

/** A value as JSON, and a list of objects also as a table. */
export function ValueView({ value, label, onPick, pickLabel }: ValueViewProps) {
  const table = useMemo(() => tableOf(value), [value]);
  const [mode, setMode] = useState<'json' | 'table'>('json');
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {table && (
        <div className="self-start">
          <SegmentedControl<'json' | 'table'>
            label={`${label}: shown as`}
            value={mode}
            onValueChange={setMode}
            options={[
              { value: 'json', label: 'JSON' },
              { value: 'table', label: 'Table' },
            ]}
          />
        </div>
      )}
      {table && mode === 'table' ? (
        <TableView table={table} label={label} />
      ) : (
        <JsonView value={value} label={label} onPick={onPick} pickLabel={pickLabel} />
      )}
    </div>
  );
}
