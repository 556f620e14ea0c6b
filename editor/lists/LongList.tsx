import { SearchX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { isSearched } from './list-model.ts';
import { ShowMore, useShown } from './ShowMore.tsx';

interface LongListProps<T> {
  items: readonly T[];
  /** One row: `connection`. */
  noun: string;
  /** The text that the search looks at. */
  textOf(item: T): string;
  /** Draws the rows that fit. */
  children(shown: readonly T[]): ReactNode;
}

/** A list with a table of its own, as long as it may be: searched, and drawn in parts. */
export function LongList<T>({ items, noun, textOf, children }: LongListProps<T>) {
  const [query, setQuery] = useState('');
  const [shown, showMore] = useShown();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found =
    words.length === 0
      ? items
      : items.filter((item) => {
          const text = textOf(item).toLowerCase();
          return words.every((word) => text.includes(word));
        });
  return (
    <>
      {isSearched(items.length, query) && (
        <SearchInput
          className="w-64 max-w-full"
          label={`Search ${noun}s`}
          value={query}
          onValueChange={setQuery}
        />
      )}
      {found.length > 0 && children(found.slice(0, shown))}
      {found.length === 0 && items.length > 0 && (
        <EmptyState icon={SearchX} title="No match">
          No {noun} has these words.
        </EmptyState>
      )}
      {found.length > shown && (
        <ShowMore all={countText(found.length, noun)} shown={shown} onShow={showMore} />
      )}
    </>
  );
}
