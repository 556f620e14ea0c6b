import { useQuery } from '@tanstack/react-query';
import { FileSearch, Search } from 'lucide-react';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import type { KnowledgeResult, KnowledgeSearch, KnowledgeSpace } from '#shared/knowledge.ts';
import { searchSpace } from '../api/knowledge.ts';
import { Loaded } from '../session/Loaded.tsx';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { HitCard } from './HitCard.tsx';
import { documentsQuery } from './queries.ts';
import { type Filters, NO_FILTERS, SearchFilters } from './SearchFilters.tsx';

const KeepCaseDialog = lazy(() =>
  import('../evaluations/KeepCaseDialog.tsx').then((file) => ({ default: file.KeepCaseDialog })),
);

/** The largest page of the API: documents that filters can name. */
const MOST = 1000;

/** A search as flows do it, with the reason for each hit. */
export function SearchPanel({ space }: { space: KnowledgeSpace }) {
  const [text, setText] = useState('');
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [query, setQuery] = useState('');
  const documents = useQuery(documentsQuery(space.id, MOST));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setQuery(text.trim());
  };
  return (
    <section aria-label="Search" className="flex flex-1 flex-col gap-3">
      <form onSubmit={submit} className="flex flex-wrap items-center gap-2">
        <SearchInput
          autoFocus
          className="min-w-60 flex-1"
          label="Ask something that the documents answer"
          value={text}
          onValueChange={setText}
        />
        <Button variant="primary" type="submit" icon={Search} disabled={text.trim() === ''}>
          Search
        </Button>
      </form>
      <SearchFilters documents={documents.data?.items ?? []} filters={filters} onChange={setFilters} />
      {query === '' ? (
        <EmptyState icon={FileSearch} title="Try a question">
          Each hit says where it is, which sentence fits best, and its place among the hits by words and by
          meaning.
        </EmptyState>
      ) : (
        <Hits space={space} asked={{ query, ...filters }} />
      )}
    </section>
  );
}

function Hits({ space, asked }: { space: KnowledgeSpace; asked: KnowledgeSearch }) {
  const result = useQuery({
    queryKey: ['knowledge-search', space.id, space.model, asked],
    queryFn: ({ signal }) => searchSpace(space.id, asked, signal),
    gcTime: 0,
    retry: false,
  });
  return (
    <Loaded query={result} what="the hits">
      {(found) => <Found result={found} query={asked.query} space={space} />}
    </Loaded>
  );
}

interface FoundProps {
  result: KnowledgeResult;
  query: string;
  space: KnowledgeSpace;
}

function Found({ result: { hits, ranking, note }, query, space }: FoundProps) {
  const [kept, setKept] = useState<string>();
  return (
    <>
      {note !== null && (
        <Banner tone="warn">
          {ranking === 'words' && 'Searched by words alone, though the space has an embedding model: '}
          {note}
        </Banner>
      )}
      <p role="status" className="text-xs text-text-2">
        {hits.length === 0
          ? `Nothing was found for “${query}”.`
          : `${countText(hits.length, 'hit')} by ${ranking === 'hybrid' ? 'words and meaning' : 'words'} for “${query}”`}
      </p>
      {hits.length === 0 ? (
        <EmptyState icon={FileSearch} title="Nothing was found">
          {space.model === null
            ? 'No chunk has any of these words. Ask in the words of the documents, or give the space an embedding model.'
            : 'No chunk fits. Perhaps a filter leaves too little.'}
        </EmptyState>
      ) : (
        <ol className="flex flex-col gap-2.5">
          {hits.map((hit, at) => (
            <HitCard
              key={hit.id}
              hit={hit}
              place={at + 1}
              ranking={ranking}
              onKeep={() => setKept(hit.document.name)}
            />
          ))}
        </ol>
      )}
      <Suspense fallback={null}>
        {kept !== undefined && (
          <KeepCaseDialog
            target={{ space: space.name, limit: 10 }}
            kept={{ question: query, documents: [kept] }}
            onClose={() => setKept(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}
