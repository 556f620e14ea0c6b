import { useMemo, useState } from 'react';
import type { functionDocs } from '#engine/check';
import { insertCall } from '../../form/last-editor.ts';
import { usePreview } from '../../form/use-preview.ts';
import type { ScopeSource } from '../../form/form-model.ts';
import { exampleOf, findFunctions } from '../../model/expression/function-examples.ts';
import { briefly } from '../../model/expression/source-members.ts';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { ProseText } from '../../ui/ProseText.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';

type FunctionDoc = (typeof functionDocs)[number];

const HEADINGS: Readonly<Record<string, string>> = {
  '': 'Functions',
  string: 'Methods of texts',
  array: 'Methods of lists',
  number: 'Methods of numbers',
  object: 'Methods of objects',
};

/** Functions and methods with what they do; one that is chosen shows an example and its result. */
export function FunctionsPane() {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<FunctionDoc>();
  const groups = useMemo(() => Map.groupBy(findFunctions(query), ({ receiver = '' }) => receiver), [query]);
  return (
    <>
      <SearchInput label="Search functions" value={query} onValueChange={setQuery} />
      <div className="min-h-0 flex-1 overflow-y-auto rounded-md border border-line">
        {groups.size === 0 && <p className="px-3 py-2 text-xs text-text-2">No function does this.</p>}
        {[...groups].map(([receiver, docs]) => (
          <div key={receiver} role="group" aria-label={HEADINGS[receiver]}>
            <h4 className="sticky top-0 border-b border-line bg-surface-2 px-2 py-1 text-xs font-medium text-text-2">
              {HEADINGS[receiver]}
            </h4>
            {docs.map((doc) => (
              <Line key={doc.name} doc={doc} isOpen={doc === chosen} onChoose={setChosen} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

interface LineProps {
  doc: FunctionDoc;
  isOpen: boolean;
  onChoose(doc: FunctionDoc | undefined): void;
}

function Line({ doc, isOpen, onChoose }: LineProps) {
  const { name, signature, receiver } = doc;
  return (
    <div className={cx('border-b border-line/60', isOpen && 'bg-surface-2')}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onChoose(isOpen ? undefined : doc)}
        className="flex min-h-7 w-full min-w-0 cursor-default items-center rounded-sm px-2 text-left font-mono text-xs hover:bg-surface-3"
      >
        <span className="truncate">
          <span className="font-semibold">{name}</span>
          <span className="text-text-2">{signature.slice(name.length)}</span>
        </span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-1.5 px-2 pb-2 text-xs">
          <p className="text-text-2">
            <ProseText text={doc.doc} />
          </p>
          <Example doc={doc} />
          <div>
            <Button
              size="sm"
              aria-label={`Insert ${name}`}
              onClick={() => insertCall(receiver === undefined ? name : `.${name}`)?.focus()}
            >
              Insert
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Examples read no values, only the time. */
const NO_VALUES: ScopeSource = {
  current: () => STILL,
  subscribe: () => () => undefined,
  timezone: () => 'UTC',
  version: () => 0,
};
const STILL = new Map([['run', { value: { startedAt: Date.now() } }]]);

function Example({ doc }: { doc: FunctionDoc }) {
  const example = exampleOf(doc) ?? '';
  const preview = usePreview(`{{ ${example} }}`, NO_VALUES);
  if (example === '') return null;
  return (
    <pre className="rounded bg-surface px-2 py-1 font-mono break-words whitespace-pre-wrap ring-1 ring-line">
      {example}
      {preview.kind === 'value' && <span className="block text-text-2">= {shownValue(preview.value)}</span>}
    </pre>
  );
}

function shownValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : briefly(value, 80);
}
