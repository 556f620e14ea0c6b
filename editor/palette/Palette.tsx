import { SearchX } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { addOperator } from '../commands/palette.ts';
import { searchOperators } from '../model/search.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { OperatorList } from './OperatorList.tsx';
import { searchPlace } from './search-place.ts';

/** All operators by group, with search. A click or Enter adds one next to the selection; a drag adds it where it is dropped. */
export function Palette() {
  const session = useSession();
  const catalog = useEditor((s) => s.catalog);
  const [query, setQuery] = useState('');
  const field = useFocusRequests();
  const list = useRef<HTMLDivElement>(null);
  const { editor } = session;
  const hits = useMemo(
    () => searchOperators(catalog, query, query === '' ? {} : searchPlace(editor.getState())),
    [catalog, query, editor],
  );
  const add = (type: string) => addOperator(session, type);
  const onKeyDown = (event: KeyboardEvent) => {
    const [first] = hits;
    if (event.key === 'Enter' && first && query !== '') {
      event.preventDefault();
      add(first.type);
      // The next typed text is a new search.
      (event.target as HTMLInputElement).select();
    }
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      list.current?.querySelector<HTMLElement>('[data-operator][tabindex="0"]')?.focus();
    }
    if (event.key === 'Escape' && query !== '') {
      event.preventDefault();
      event.stopPropagation();
      setQuery('');
    }
  };
  return (
    <section aria-label="Palette" className="flex h-full min-h-0 flex-col bg-surface">
      <div className="p-2">
        <SearchInput
          ref={field}
          label="Search nodes"
          value={query}
          onValueChange={setQuery}
          onKeyDown={onKeyDown}
        />
        <p aria-live="polite" className="sr-only">
          {query === '' ? '' : `${hits.length} found`}
        </p>
      </div>
      <div ref={list} className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {hits.length > 0 ? (
          <OperatorList operators={hits} isSearch={query !== ''} onAdd={add} />
        ) : (
          <NoHit query={query} onClear={() => setQuery('')} />
        )}
      </div>
    </section>
  );
}

function useFocusRequests() {
  const request = useUi((s) => s.paletteFocus);
  const field = useRef<HTMLInputElement>(null);
  const seen = useRef(request);
  useEffect(() => {
    if (request === seen.current) return;
    seen.current = request;
    field.current?.focus();
    field.current?.select();
  }, [request]);
  return field;
}

function NoHit({ query, onClear }: { query: string; onClear(): void }) {
  if (query === '') return null;
  return (
    <EmptyState
      icon={SearchX}
      title={`No node for “${query}”`}
      action={
        <Button size="sm" onClick={onClear}>
          Show all
        </Button>
      }
    >
      Names, other words for them, types and descriptions were searched.
    </EmptyState>
  );
}
