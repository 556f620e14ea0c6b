import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type DocumentPlace, quoteIn } from '#shared/document-address.ts';
import type { KnowledgeChunk, KnowledgeDocument } from '#shared/knowledge.ts';
import { listChunks, readDocument } from '../api/knowledge.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { ChunkCard } from './ChunkCard.tsx';
import { marksOf } from './marks.ts';

/** Chunks before the cited one, chunks at once, and the largest page of the API. */
const BEFORE = 5;
const PAGE = 30;
const MOST = 1000;

/** A document at the passage that somebody cites, with the quote marked. */
export function DocumentScreen() {
  const { document: id } = useParams({ from: '/knowledge/documents/$document' });
  const place = useSearch({ from: '/knowledge/documents/$document' });
  const document = useQuery({ queryKey: ['knowledge-document', id], queryFn: () => readDocument(id) });
  return (
    <HomePage title={<Title document={document.data} />}>
      <Loaded query={document} what="the document">
        {(found) => <Chunks key={`${id} ${place.chunk}`} document={found} place={place} />}
      </Loaded>
    </HomePage>
  );
}

function Title({ document }: { document: KnowledgeDocument | undefined }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {document && (
        <Link
          to="/knowledge/$space"
          params={{ space: document.space }}
          aria-label="All documents of the space"
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-text-2 hover:bg-surface-3 hover:text-text"
        >
          <ArrowLeft aria-hidden className="size-4.5" />
        </Link>
      )}
      <span className="min-w-0 wrap-anywhere">{document?.name ?? 'Document'}</span>
    </span>
  );
}

interface ChunksProps {
  document: KnowledgeDocument;
  place: DocumentPlace;
}

function Chunks({ document, place }: ChunksProps) {
  const cited = place.chunk ?? 0;
  const [from, setFrom] = useState(Math.max(0, cited - BEFORE));
  const [to, setTo] = useState(from + PAGE);
  const chunks = useQuery({
    queryKey: ['knowledge-chunks', document.id, from, to],
    queryFn: () => listChunks(document.id, to - from, from),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  return (
    <Loaded query={chunks} what="the text of the document">
      {({ items, total }) => {
        const at = citedChunk(items, place);
        const first = items[0]?.n ?? 0;
        const last = items.at(-1)?.n ?? 0;
        return (
          <div className="mx-auto flex w-full max-w-220 flex-col gap-2">
            <About document={document} />
            {place.quote !== undefined && at === undefined && (
              <Banner tone="warn">
                The quoted text is not at this place any more. The document has been changed since.
              </Banner>
            )}
            {first > 0 && (
              <More
                isFull={to - from >= MOST}
                onMore={() => setFrom(Math.max(0, to - MOST, from - 2 * PAGE))}
              >
                Show what comes before
              </More>
            )}
            <ol className="flex flex-col gap-2">
              {items.map((chunk) => (
                <Passage key={chunk.id} chunk={chunk} place={chunk === at ? place : undefined} />
              ))}
            </ol>
            {last < total - 1 && (
              <More isFull={to - from >= MOST} onMore={() => setTo(Math.min(from + MOST, to + 2 * PAGE))}>
                Show what follows
              </More>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** The chunk with this number if it has the quote, else the one that has it now. */
function citedChunk(items: readonly KnowledgeChunk[], place: DocumentPlace): KnowledgeChunk | undefined {
  const named = items.find(({ n }) => n === place.chunk);
  if (place.quote === undefined) return named;
  if (named && quoteIn(named.text, place) !== undefined) return named;
  return items.find(({ text }) => quoteIn(text, place) !== undefined);
}

function About({ document: { pages, chunks, type, url } }: { document: KnowledgeDocument }) {
  return (
    <p className="text-xs wrap-anywhere text-text-2">
      {pages !== null && `${countText(pages, 'page')}, `}
      {countText(chunks, 'chunk')}, {type}
      {url !== null && (
        <>
          {', from '}
          <a
            href={url}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline-offset-2 hover:underline"
          >
            {url}
          </a>
        </>
      )}
    </p>
  );
}

interface MoreProps {
  isFull: boolean;
  onMore(): void;
  children: ReactNode;
}

function More({ isFull, onMore, children }: MoreProps) {
  if (isFull) return null;
  return (
    <p className="flex justify-center">
      <Button size="sm" onClick={onMore}>
        {children}
      </Button>
    </p>
  );
}

/** A chunk; the cited one comes into view, and readers of the screen begin there. */
function Passage({ chunk, place }: { chunk: KnowledgeChunk; place: DocumentPlace | undefined }) {
  const item = useRef<HTMLLIElement>(null);
  const isCited = place !== undefined;
  useEffect(() => {
    if (!isCited) return;
    item.current?.focus({ preventScroll: true });
    const mark = item.current?.querySelector('mark') ?? item.current;
    mark?.scrollIntoView({ block: 'center' });
  }, [isCited]);
  if (place === undefined) return <ChunkCard chunk={chunk} />;
  const quote = quoteIn(chunk.text, place) ?? '';
  return (
    <ChunkCard chunk={chunk} isCited ref={item}>
      {marksOf(chunk.text, quote, []).map(({ text, isQuote, at }) =>
        isQuote ? (
          <mark key={at} className="bg-accent-soft text-text">
            {text}
          </mark>
        ) : (
          <span key={at}>{text}</span>
        ),
      )}
    </ChunkCard>
  );
}
