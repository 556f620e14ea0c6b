import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionTable, ConnectionTables } from '#shared/connection.ts';
import { listTables } from '../../api/connections.ts';
import { sqlName } from '../../model/form/sql-name.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Spinner } from '../../ui/Spinner.tsx';
import { insertName } from '../last-editor.ts';

/** The tables of a connection with their columns; read when somebody wants to see them. */
export function Tables({ connection }: { connection: string }) {
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
