import { Search } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { searchValue } from '../model/form/search-value.ts';
import { type Table, tableOf } from '../model/form/table.ts';
import type { Source } from '../model/expression/source.ts';
import type { JsonPath, JsonTreeProps } from '../ui/JsonTree.tsx';
import { JsonTree } from '../ui/JsonTree.tsx';
import { JsonView } from '../ui/JsonView.tsx';
import type { DraggedPath } from '../ui/path-drag.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { type TablePlace, TableView } from '../ui/TableView.tsx';
import { SchemaView } from './SchemaView.tsx';

interface ValueViewProps extends Pick<JsonTreeProps, 'onPick' | 'pickLabel' | 'entriesOf'> {
  /** The value, or the known facts about it. */
  source: Source;
  label: string;
  /** The expressions that read a part of the value and a column of a list of objects; with them, both can be dragged. */
  drags?: ValueDrags | undefined;
}

/** The expressions that can be dragged out of a value. */
export interface ValueDrags {
  /** For the part at this path. */
  dragOf(path: JsonPath): DraggedPath;
  /** For one field of all items of a list. */
  columnOf(name: string): DraggedPath;
}

type Mode = 'json' | 'table' | 'schema';

/** A value as a tree, a list of objects also as a table, and its schema; with a search in names and values. */
export function ValueView({ source, label, drags, ...pick }: ValueViewProps) {
  const { value } = source;
  const [chosen, setChosen] = useState<Mode>('json');
  const [query, setQuery] = useState<string>();
  const table = useMemo(() => tableOf(value), [value]);
  if (value === undefined)
    return <SchemaView source={source} label={label} dragOf={drags?.dragOf} {...schemaPick(pick)} />;
  if (typeof value !== 'object')
    return <JsonView value={value} label={label} dragOf={drags?.dragOf} {...pick} />;
  const mode = chosen === 'table' && !table ? 'json' : chosen;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex flex-wrap items-center gap-1">
        <Modes label={label} mode={mode} hasTable={table !== undefined} onChoose={setChosen} />
        <IconButton
          size="sm"
          icon={Search}
          label={`Search in ${label}`}
          pressed={query !== undefined}
          className="ml-auto"
          onClick={() => setQuery(query === undefined ? '' : undefined)}
        />
      </div>
      {query !== undefined && (
        <SearchInput
          autoFocus
          label={`Search names and values of ${label}`}
          value={query}
          onValueChange={setQuery}
        />
      )}
      {query ? (
        <Found value={value} label={label} query={query} dragOf={drags?.dragOf} {...pick} />
      ) : (
        <Shown {...{ source, label, drags, mode, table }} {...pick} />
      )}
    </div>
  );
}

/** Parts without a value have no menu of their own. */
function schemaPick({ onPick, pickLabel }: Pick<JsonTreeProps, 'onPick' | 'pickLabel'>) {
  return onPick ? { onPick, pickLabel } : {};
}

interface ModesProps {
  label: string;
  mode: Mode;
  hasTable: boolean;
  onChoose(mode: Mode): void;
}

function Modes({ label, mode, hasTable, onChoose }: ModesProps) {
  return (
    <SegmentedControl<Mode>
      label={`${label}: shown as`}
      value={mode}
      onValueChange={onChoose}
      options={[
        { value: 'json', label: 'JSON' },
        ...(hasTable ? [{ value: 'table' as const, label: 'Table' }] : []),
        { value: 'schema', label: 'Schema' },
      ]}
    />
  );
}

type ShownProps = ValueViewProps & { mode: Mode; table: Table | undefined };

function Shown({ source, label, drags, mode, table, ...pick }: ShownProps) {
  if (mode === 'schema')
    return <SchemaView source={source} label={label} dragOf={drags?.dragOf} {...schemaPick(pick)} />;
  if (mode === 'json' || !table)
    return <JsonView value={source.value} label={label} dragOf={drags?.dragOf} {...pick} />;
  const dragOf = drags && (({ row, column }: TablePlace) => placed(drags, row, column));
  return <TableView table={table} label={label} dragOf={dragOf} />;
}

/** A cell, a row, or a whole column. */
function placed(drags: ValueDrags, row: number | undefined, column = ''): DraggedPath {
  if (row === undefined) return drags.columnOf(column);
  return drags.dragOf(column === '' ? [row] : [row, column]);
}

type FoundProps = Omit<JsonTreeProps, 'shown'> & { query: string };

function Found({ value, query, label, ...how }: FoundProps) {
  const wanted = useDeferredValue(query);
  const hits = useMemo(() => searchValue(value, wanted), [value, wanted]);
  const count = `${hits.count.toLocaleString('en')}${hits.isCut ? ' or more' : ''}`;
  return (
    <>
      <p role="status" className="text-xs text-text-2">
        {hits.count === 0 ? (hits.isCut ? 'Nothing in its first part.' : 'Nothing found.') : `${count} found`}
      </p>
      {hits.count > 0 && <JsonTree key={wanted} value={value} label={label} shown={hits.shown} {...how} />}
    </>
  );
}
