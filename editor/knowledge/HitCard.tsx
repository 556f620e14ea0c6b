import { Link } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import { documentPlace } from '#shared/document-address.ts';
import type { KnowledgeHit, KnowledgeResult } from '#shared/knowledge.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { marksOf } from './marks.ts';

interface HitCardProps {
  hit: KnowledgeHit;
  /** From 1. */
  place: number;
  ranking: KnowledgeResult['ranking'];
  /** Keeps it as an evaluation case. */
  onKeep(): void;
}

/** A hit: where it is, its text with the quote marked, and why it was found. */
export function HitCard({ hit, place, ranking, onKeep }: HitCardProps) {
  const { document, n, heading, page, context, quote, score, why } = hit;
  return (
    <li className="rounded-lg border border-line bg-surface px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="text-xs text-text-2 tabular-nums">{place}</span>
        <h2 className="min-w-0 font-semibold wrap-anywhere">
          <Link
            to="/knowledge/documents/$document"
            params={{ document: document.id }}
            search={documentPlace(n, quote)}
            className="rounded underline-offset-2 hover:underline"
          >
            {document.name}
          </Link>
        </h2>
        {page !== null && <span className="text-xs text-text-2">page {page}</span>}
        {heading !== '' && <span className="min-w-0 text-xs wrap-anywhere text-text-2">{heading}</span>}
        <Score score={score} />
      </div>
      <p className="mt-1.5 max-h-72 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
        {marksOf(context, quote, why.words?.matched ?? []).map(({ text, isQuote, isWord, at }) => {
          const said = isWord ? <strong key={at}>{text}</strong> : text;
          return isQuote ? (
            <mark key={at} className="bg-accent-soft text-text">
              {said}
            </mark>
          ) : (
            <span key={at}>{said}</span>
          );
        })}
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-2 text-xs text-text-2">
        <Place name="By words" rank={why.words} told={`BM25 ${Number(why.words?.score.toPrecision(3))}`} />
        {ranking === 'hybrid' && (
          <Place name="By meaning" rank={why.meaning} told={`cosine ${why.meaning?.score.toFixed(3)}`} />
        )}
        <Button
          size="sm"
          variant="ghost"
          icon={Gauge}
          className="order-last ml-auto"
          aria-label={`Add to evaluation…: hit ${place}, ${document.name}`}
          onClick={onKeep}
        >
          Add to evaluation…
        </Button>
        {why.words && why.words.matched.length > 0 && (
          <span className="wrap-anywhere">
            Matched: <span className="font-medium text-text">{why.words.matched.join(', ')}</span>
          </span>
        )}
      </div>
    </li>
  );
}

function Score({ score }: { score: number }) {
  return (
    <span className="ml-auto flex items-center gap-2 text-xs text-text-2 tabular-nums">
      <span aria-hidden className="h-1.5 w-16 overflow-hidden rounded-full bg-surface-3">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.round(score * 100)}%` }}
        />
      </span>
      score {score.toFixed(2)}
    </span>
  );
}

interface PlaceProps {
  name: string;
  rank: { readonly rank: number } | null;
  told: string;
}

function Place({ name, rank, told }: PlaceProps) {
  return (
    <Badge tone={rank === null ? 'neutral' : 'accent'}>
      {rank === null ? `${name}: not found` : `${name}: place ${rank.rank}, ${told}`}
    </Badge>
  );
}
