import { Folder, Star, Tag } from 'lucide-react';
import { useMemo } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { useAppUi } from '../session/app-context.tsx';
import { chip, ChoiceMenu } from '../ui/ChoiceMenu.tsx';
import { type FlowFilter, foldersOf, tagsOf } from './flow-list.ts';

interface FlowFiltersProps {
  flows: readonly FlowSummary[];
  filter: FlowFilter;
  onFilter(filter: FlowFilter): void;
}

/** Which flows are listed: all, favourites, those of a folder, those with a tag. */
export function FlowFilters({ flows, filter, onFilter }: FlowFiltersProps) {
  const folders = useMemo(() => foldersOf(flows), [flows]);
  const tags = useMemo(() => tagsOf(flows), [flows]);
  const marked = useAppUi((state) => state.favourites);
  const { folder, tag, favourites = false } = filter;
  const narrow = (key: keyof FlowFilter, value: string | boolean | undefined): void => {
    const { [key]: _old, ...others } = filter;
    onFilter(value ? { ...others, [key]: value } : others);
  };
  const count = flows.filter(({ id }) => marked.includes(id)).length;
  if (folders.length + tags.length + count === 0 && Object.keys(filter).length === 0) return null;
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <button
        type="button"
        aria-pressed={Object.keys(filter).length === 0}
        data-on={Object.keys(filter).length === 0}
        className={chip}
        onClick={() => onFilter({})}
      >
        All
      </button>
      <button
        type="button"
        aria-pressed={favourites}
        data-on={favourites}
        className={chip}
        onClick={() => narrow('favourites', !favourites)}
      >
        <Star aria-hidden className="size-3.5" /> Favourites {count}
      </button>
      <ChoiceMenu
        name="Folder"
        icon={Folder}
        choices={folders}
        chosen={folder}
        indent
        onChoose={(next) => narrow('folder', next)}
      />
      <ChoiceMenu
        name="Tag"
        icon={Tag}
        choices={tags}
        chosen={tag}
        onChoose={(next) => narrow('tag', next)}
      />
    </div>
  );
}
