import { lazy, Suspense, useMemo, useState } from 'react';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { addressOf, cellText, type ShownRows, type Source } from './blocks.ts';
import { chartShape } from './chart-shape.ts';

const Chart = lazy(() => import('./Chart.tsx'));

const VIEWS = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
] as const;

/** The passages that an answer rests on: document, place, quote; the name leads to where to read on. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  if (sources.length === 0) return null;
  return (
    <section aria-label="Sources" className="rounded-md border border-line px-3 py-2 text-xs">
      <h3 className="mb-1 font-semibold">Sources</h3>
      <ol className="flex flex-col gap-1.5">
        {sources.map(({ n, name, page, heading, quote, href }) => (
          <li key={n} className="flex gap-2">
            <span className="shrink-0 font-mono text-text-2">[{n}]</span>
            <span className="min-w-0">
              <a
                href={addressOf(href)}
                target="_blank"
                rel="noreferrer"
                className="font-medium text-accent underline-offset-2 hover:underline"
              >
                {name}
              </a>
              <span className="text-text-2">
                {page !== null && `, page ${page}`}
                {heading !== '' && `, ${heading}`}
              </span>
              <Quote text={quote} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Characters of a quote that are shown before it is opened. */
const SHORT = 240;

function Quote({ text }: { text: string }) {
  if (text.length <= SHORT * 1.2) return <q className="block break-words text-text-2">{text}</q>;
  const cut = text.lastIndexOf(' ', SHORT);
  const begins = text.slice(0, cut > SHORT / 2 ? cut : SHORT);
  return (
    <details className="group text-text-2">
      <summary className="cursor-pointer rounded break-words">
        <q className="group-open:hidden">{begins}…</q>
        <span className="hidden group-open:inline">Show less</span>
      </summary>
      <q className="block break-words">{text}</q>
    </details>
  );
}

/** Rows of a database as a chart if they are to be one, and as a table, with the statement that has read them. */
export function Rows({ type, title, sql, rows, problem }: ShownRows) {
  const shape = useMemo(() => chartShape(type, rows), [type, rows]);
  const [view, setView] = useState<(typeof VIEWS)[number]['value']>('chart');
  return (
    <section aria-label="Rows" className="flex flex-col gap-1.5">
      {(title !== '' || shape) && (
        <div className="flex flex-wrap items-center gap-2">
          {title !== '' && <h3 className="min-w-0 text-xs font-semibold wrap-anywhere">{title}</h3>}
          {shape && (
            <span className="ml-auto">
              <SegmentedControl label="Shown as" value={view} onValueChange={setView} options={VIEWS} />
            </span>
          )}
        </div>
      )}
      {problem !== '' && <p className="wrap-anywhere text-bad">{problem}</p>}
      {shape && view === 'chart' ? (
        <Suspense fallback={<div className="h-70" />}>
          <Chart shape={shape} />
        </Suspense>
      ) : (
        <Table rows={rows} />
      )}
      {sql !== '' && (
        <details className="text-xs text-text-2">
          <summary className="w-fit rounded font-medium">Statement</summary>
          <pre className="mt-1 overflow-x-auto rounded-md bg-surface-2 px-2.5 py-1.5 font-mono">{sql}</pre>
        </details>
      )}
    </section>
  );
}

function Table({ rows }: Pick<ShownRows, 'rows'>) {
  const columns = Object.keys(rows[0] ?? {});
  if (rows.length === 0) return <p className="text-text-2">No rows.</p>;
  return (
    <div
      // It scrolls by itself, so it must be reachable by keys.
      tabIndex={0}
      role="region"
      aria-label="Table"
      className="max-h-96 overflow-auto rounded-md border border-line"
    >
      <table className="w-full border-collapse text-xs">
        <thead className="sticky top-0 bg-surface-2 text-left">
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-2.5 py-1.5 font-semibold whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} className="border-t border-line">
              {columns.map((name) => (
                <td
                  key={name}
                  className={`px-2.5 py-1 align-top ${typeof row[name] === 'number' ? 'text-right font-mono' : ''}`}
                >
                  {cellText(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
