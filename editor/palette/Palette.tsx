import { SearchX } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { addOperator } from '../commands/palette.ts';
import { groupOperators, groupTitle, searchOperators } from '../model/search.ts';
import { useEditor, useSession, useUi } from '../shell/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { PaletteItem } from './PaletteItem.tsx';

/** All operators by group, with search. A click or Enter adds beside the selection; a drag adds where it is dropped. */
export function Palette() {
  const session = useSession();
  const catalog = useEditor((s) => s.catalog);
  const [query, setQuery] = useState('');
  const field = useFocusRequests();
  const hits = useMemo(() => searchOperators(catalog, query), [catalog, query]);
  const add = (type: string) => addOperator(session, type);
  const onKeyDown = (event: KeyboardEvent) => {
    const [first] = hits;
    if (event.key === 'Enter' && first && query !== '') {
      event.preventDefault();
      add(first.type);
      // What is typed next is another search.
      (event.target as HTMLInputElement).select();
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
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {query === '' ? (
          <Groups operators={hits} onAdd={add} />
        ) : (
          <Hits operators={hits} query={query} onAdd={add} onClear={() => setQuery('')} />
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

interface ListProps {
  operators: readonly OperatorInfo[];
  onAdd(type: string): void;
}

function Groups({ operators, onAdd }: ListProps) {
  const catalog = useEditor((s) => s.catalog);
  const recentTypes = useUi((s) => s.recentOperators);
  const recent = recentTypes.flatMap((type) => catalog.operators[type] ?? []);
  return (
    <>
      {recent.length > 0 && <Group title="Recent" operators={recent} onAdd={onAdd} />}
      {groupOperators(operators).map((group) => (
        <Group key={group.name} title={groupTitle(group.name)} operators={group.operators} onAdd={onAdd} />
      ))}
    </>
  );
}

function Group({ title, operators, onAdd }: ListProps & { title: string }) {
  return (
    <section aria-label={title} className="mb-2">
      <h2 className={`${sectionTitle} px-1.5 pt-2 pb-1`}>{title}</h2>
      <ul>
        {operators.map((info) => (
          <li key={info.type}>
            <PaletteItem info={info} onAdd={onAdd} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Hits({ operators, query, onAdd, onClear }: ListProps & { query: string; onClear(): void }) {
  if (operators.length === 0) {
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
        Titles, types and descriptions were searched.
      </EmptyState>
    );
  }
  return (
    <ul>
      {operators.map((info, i) => (
        <li key={info.type}>
          <PaletteItem info={info} onAdd={onAdd} first={i === 0} />
        </li>
      ))}
    </ul>
  );
}
