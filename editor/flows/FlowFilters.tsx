import { ChevronDown, Folder, type LucideIcon, Star, Tag } from 'lucide-react';
import { useMemo } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { useAppUi } from '../session/app-context.tsx';
import { cx } from '../ui/cx.ts';
import { Menu } from '../ui/Menu.tsx';
import { type Choice, type FlowFilter, foldersOf, tagsOf } from './flow-list.ts';

interface FlowFiltersProps {
  flows: readonly FlowSummary[];
  filter: FlowFilter;
  onFilter(filter: FlowFilter): void;
}

const chip =
  'inline-flex h-7 max-w-full cursor-default items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 text-xs hover:border-line-strong ' +
  'data-[on=true]:border-accent data-[on=true]:bg-accent-soft data-[on=true]:text-accent data-popup-open:border-accent';

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

interface ChoiceMenuProps {
  name: string;
  icon: LucideIcon;
  choices: readonly Choice[];
  chosen: string | undefined;
  /** Folders stand below the one that they are in. */
  indent?: boolean;
  onChoose(value: string | undefined): void;
}

function ChoiceMenu({ name, icon: Icon, choices, chosen, indent, onChoose }: ChoiceMenuProps) {
  if (choices.length === 0 && chosen === undefined) return null;
  const labelOf = (value: string): string => {
    const names = withoutDirectionMarks(value).split('/');
    return indent ? `${'\u2003'.repeat(names.length - 1)}${names.at(-1)}` : names.join('/');
  };
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" data-on={chosen !== undefined} className={cx(chip, 'min-w-0')}>
          <Icon aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0 truncate">
            {name}
            {chosen !== undefined && (
              <>
                : <bdi>{withoutDirectionMarks(chosen)}</bdi>
              </>
            )}
          </span>
          <ChevronDown aria-hidden className="size-3.5 shrink-0" />
        </button>
      }
      entries={[
        {
          id: 'all',
          label: `Any ${name.toLowerCase()}`,
          checked: chosen === undefined,
          onSelect: () => onChoose(undefined),
        },
        ...choices.map(({ value, count }) => ({
          id: `of ${value}`,
          label: `${labelOf(value)} (${count})`,
          checked: value === chosen,
          onSelect: () => onChoose(value),
        })),
      ]}
    />
  );
}
