import { useState } from 'react';
import type { CallerAnswer } from '#shared/api.ts';
import { tableOf } from '../model/form/table.ts';
import { countText } from '../ui/format.ts';
import { JsonView } from '../ui/JsonView.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import { TableView } from '../ui/TableView.tsx';
import { FileCards } from './FileCards.tsx';

type Headers = Extract<CallerAnswer, { kind: 'value' }>['headers'];

interface AnswerBodyProps {
  value?: unknown;
  /** The run that its files belong to. */
  run: string | undefined;
  headers?: Headers;
  /** The value is the items so far of a stream. */
  isStream?: boolean;
  /** The word for the value: the answer, or the input of a run. */
  label?: string;
}

/** The answer of a flow for its caller: a text as text, a page as a page, a list of objects as a table, files to look at. */
export function AnswerBody({ value, run, headers, isStream = false, label = 'Answer' }: AnswerBodyProps) {
  const items = isStream && Array.isArray(value) ? value : undefined;
  const isText = items?.every((item) => typeof item === 'string');
  const shown: unknown = items && isText ? items.join('') : value;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <FileCards value={value} run={run} />
      <Value value={shown} headers={headers} label={label} />
      {items && (
        <p role="status" className="text-xs text-text-2">
          A stream of {countText(items.length, 'item')}
        </p>
      )}
      {headers && Object.keys(headers).length > 0 && <HeaderList headers={Object.entries(headers)} />}
    </div>
  );
}

const VIEWS = {
  text: 'Text',
  page: 'Page',
  table: 'Table',
  json: 'JSON',
} as const;
type View = keyof typeof VIEWS;

interface ValueProps {
  value: unknown;
  headers: Headers;
  label: string;
}

function Value({ value, headers, label }: ValueProps) {
  const table = tableOf(value);
  const views = viewsOf(value, table !== undefined, headers);
  const [chosen, setChosen] = useState<View>();
  const view = views.find((one) => one === chosen) ?? views[0] ?? 'json';
  return (
    <>
      {views.length > 1 && (
        <div className="self-start">
          <SegmentedControl<View>
            label={`${label} as`}
            value={view}
            onValueChange={setChosen}
            options={views.map((one) => ({ value: one, label: VIEWS[one] }))}
          />
        </div>
      )}
      {view === 'table' && table ? (
        <TableView table={table} label={label} />
      ) : view === 'page' ? (
        <Page html={String(value)} />
      ) : view === 'text' ? (
        <Text text={String(value)} label={label} />
      ) : (
        <JsonView value={value} label={label} />
      )}
    </>
  );
}

/** How a value can be shown, the best first. */
function viewsOf(value: unknown, isTable: boolean, headers: Headers): readonly View[] {
  if (isTable) return ['table', 'json'];
  if (typeof value !== 'string') return ['json'];
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return type?.includes('html') ? ['page', 'text'] : ['text', 'json'];
}

/** Without its scripts, and without the rights of this page. */
function Page({ html }: { html: string }) {
  return (
    <iframe
      title="The page that the flow answers"
      sandbox=""
      srcDoc={html}
      className="h-80 w-full rounded-md border border-line bg-white"
    />
  );
}

/** Characters that are shown of a text as text; JsonView shows longer ones in parts. */
const PLAIN = 20_000;

function Text({ text, label }: { text: string; label: string }) {
  if (text.length > PLAIN) return <JsonView value={text} asText label={label} />;
  if (text === '') return <p className="text-text-2">The text is empty.</p>;
  return (
    <p className="rounded-md border border-line bg-surface-2 px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap">
      {text}
    </p>
  );
}

export function HeaderList({ headers }: { headers: readonly (readonly [name: string, value: string])[] }) {
  return (
    <details className="text-xs">
      <summary className="h-6 cursor-default rounded-sm leading-6 text-text-2 hover:text-text">
        {countText(headers.length, 'header')}
      </summary>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-3 font-mono">
        {headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-text-2">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
