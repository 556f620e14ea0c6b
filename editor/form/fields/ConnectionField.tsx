import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type ConnectionTable, type ConnectionTables, databaseKinds } from '#shared/connection.ts';
import { connectionKinds } from '#shared/connection-kinds.ts';
import { listFolders, listTables } from '../../api/connections.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Spinner } from '../../ui/Spinner.tsx';
import { TextField } from './TextField.tsx';
import type { FieldProps } from '../FieldFrame.tsx';
import { insertName } from '../last-editor.ts';
import { sqlName } from '../../model/form/sql-name.ts';
import { useForm, useSetter, useValue } from '../form-context.tsx';
import { NewButton } from './NewButton.tsx';
import { SelectField } from './SelectField.tsx';

/** Kinds with tables, and those of a field that names none. */
const DATABASES: readonly unknown[] = databaseKinds;

/** A connection by its name, and the tables behind it if it leads to a database. */
export function ConnectionField(props: FieldProps) {
  const { field, path } = props;
  const { connections } = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const { kinds = DATABASES } = field.schema as { kinds?: readonly unknown[] };
  const names = useMemo(
    () =>
      Object.entries(connections ?? {}).flatMap(([name, { kind }]) =>
        kind === undefined || kinds.includes(kind) ? [name] : [],
      ),
    [connections, kinds],
  );
  const choice = useMemo(() => {
    const options = names.map((name) => ({ value: name, label: name }));
    return { ...field, shape: { kind: 'select' as const, options } };
  }, [field, names]);
  if (!connections) return <TextField {...props} />;
  return (
    <div className="flex flex-col gap-1">
      <SelectField {...props} field={choice} />
      <NewButton kind="connection" onMade={set} />
      {kinds === DATABASES && typeof value === 'string' && names.includes(value) && (
        <Tables key={value} connection={value} />
      )}
    </div>
  );
}

/** A folder of the server or a connection to files, by its name. */
export function StoreField(props: FieldProps) {
  const { field } = props;
  const { connections } = useForm();
  const found = useQuery({ queryKey: ['folders'], queryFn: listFolders, enabled: connections !== undefined });
  const choice = useMemo(() => {
    const options = (found.data ?? []).map(({ name, kind }) => ({
      value: name,
      label: kind === 'folder' ? name : `${name} (${connectionKinds[kind].title})`,
    }));
    return { ...field, shape: { kind: 'select' as const, options } };
  }, [field, found.data]);
  if (found.data === undefined && !found.isError) return <SelectField {...props} field={choice} />;
  return (
    <div className="flex flex-col gap-1">
      <SelectField {...props} field={choice} />
      {found.isError && (
        <p role="alert" className="text-xs text-bad">
          {found.error.message}
        </p>
      )}
      {found.data?.length === 0 && (
        <p className="text-xs text-text-2">
          None yet: an administrator names folders in WEFT_FOLDERS, or makes an S3 connection.
        </p>
      )}
    </div>
  );
}

/** They are read when somebody wants to see them. */
function Tables({ connection }: { connection: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className="rounded-md border border-line text-xs"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="min-h-6 cursor-pointer px-2 py-1 font-medium">Tables of {connection}</summary>
      {open && <TableList connection={connection} />}
    </details>
  );
}

function TableList({ connection }: { connection: string }) {
  const found = useQuery({ queryKey: ['tables', connection], queryFn: () => listTables(connection) });
  if (found.isError)
    return (
      <p role="alert" className="px-2 pb-2 text-bad">
        {found.error.message}
      </p>
    );
  if (!found.data)
    return (
      <div className="px-2 pb-2">
        <Spinner label="Loading the tables" className="size-4" />
      </div>
    );
  const { tables, more, quote } = found.data;
  return (
    <div className="max-h-72 overflow-y-auto px-2 pb-2" tabIndex={0} role="region" aria-label="Tables">
      {tables.length === 0 && <p className="text-text-2">There are none.</p>}
      {tables.map((table) => (
        <TableEntry key={`${table.schema ?? ''}.${table.name}`} table={table} quote={quote} />
      ))}
      {more && <p className="text-text-2">There are more.</p>}
    </div>
  );
}

function TableEntry({
  table: { schema, name, view, columns },
  quote,
}: { table: ConnectionTable } & Pick<ConnectionTables, 'quote'>) {
  const path = schema === undefined || schema === 'public' ? [name] : [schema, name];
  const shown = path.join('.');
  const written = path.map((part) => sqlName(part, quote)).join('.');
  return (
    <details>
      <summary className="min-h-6 cursor-pointer py-1 font-mono">
        {shown}
        {view && <span className="ml-2 font-sans text-text-2">view</span>}
      </summary>
      <InsertName name={written} shown={`Insert ${shown}`} />
      <ul className="mb-1 ml-4">
        {columns.map((column) => (
          <li key={column.name} className="flex gap-2 py-px">
            <InsertName name={sqlName(column.name, quote)} shown={column.name} />
            <span className="text-text-2">
              {column.type}
              {column.key && ', key'}
              {!column.nullable && !column.key && ', required'}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Writes a name into the statement of the node. */
function InsertName({ name, shown }: { name: string; shown: string }) {
  return (
    <button
      type="button"
      title={`Insert ${name} into the statement`}
      className="min-h-6 rounded-sm px-1 font-mono text-accent hover:underline"
      onClick={() => {
        if (!insertName(name)) copyText(name).catch(() => {});
      }}
    >
      {shown}
    </button>
  );
}
