import { Download } from 'lucide-react';
import { Button } from '../ui/Button.tsx';
import { ChoiceMenu } from '../ui/ChoiceMenu.tsx';
import { counted } from '../ui/choices.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import type { Chosen, ListDefinition } from './list-model.ts';
import { SavedViews } from './SavedViews.tsx';
import { type Narrowed, nowOf } from './views.ts';

/** The typed words and the chosen values that narrow a list. */
export interface Narrowing {
  readonly query: string;
  readonly chosen: Chosen;
}

/** The words of the search, among the chips of a saved view. */
const WORDS = '';

interface ListFiltersProps<T> extends Narrowing {
  list: ListDefinition<T>;
  items: readonly T[];
  onNarrow(narrowing: Narrowing): void;
  /** Saves the rows as CSV. */
  onSave(): void;
}

/** A search, chips with the values of the rows, saved views, and the rows as a file. */
export function ListFilters<T>({ list, items, query, chosen, onNarrow, onSave }: ListFiltersProps<T>) {
  const open = ({ [WORDS]: words = '', ...values }: Narrowed): void =>
    onNarrow({ query: words, chosen: nowOf(values) });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <SearchInput
        className="w-64 max-w-full"
        label={`Search ${list.nouns ?? `${list.noun}s`}`}
        value={query}
        onValueChange={(words) => onNarrow({ query: words, chosen })}
      />
      {list.filters?.map((filter) => (
        <ChoiceMenu
          key={filter.name}
          name={filter.name}
          choices={counted(items.map(filter.of))}
          chosen={chosen[filter.name]}
          onChoose={(value) => onNarrow({ query, chosen: nowOf({ ...chosen, [filter.name]: value }) })}
        />
      ))}
      <SavedViews screen={list.reads} now={{ [WORDS]: query, ...chosen }} onOpen={open} />
      <Button size="sm" variant="ghost" icon={Download} className="ml-auto" onClick={onSave}>
        CSV
      </Button>
    </div>
  );
}
