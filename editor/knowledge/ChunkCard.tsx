import type { ReactNode, Ref } from 'react';
import type { KnowledgeChunk } from '#shared/knowledge.ts';
import { cx } from '../ui/cx.ts';

interface ChunkCardProps {
  chunk: KnowledgeChunk;
  /** The one that a citation leads to. */
  isCited?: boolean;
  /** Its text if it is not shown as it is. */
  children?: ReactNode;
  ref?: Ref<HTMLLIElement>;
}

/** A chunk of a document, in a list: its place, its text. */
export function ChunkCard({ chunk, isCited = false, children, ref }: ChunkCardProps) {
  const { n, page, heading, start, end, text } = chunk;
  return (
    <li
      ref={ref}
      {...(isCited && { tabIndex: -1, 'aria-current': 'location' as const })}
      className={cx('rounded-md border bg-surface px-3 py-2', isCited ? 'border-accent' : 'border-line')}
    >
      <p className="flex flex-wrap gap-x-3 text-xs text-text-2">
        <span className="font-semibold text-text tabular-nums">{n + 1}</span>
        {page !== null && <span>page {page}</span>}
        {heading !== '' && <span className="min-w-0 wrap-anywhere">{heading}</span>}
        <span className="ml-auto tabular-nums">
          characters {start.toLocaleString('en')} to {end.toLocaleString('en')}
        </span>
      </p>
      <p className="mt-1 wrap-anywhere whitespace-pre-wrap">{children ?? text}</p>
    </li>
  );
}
