import { ChevronDown, type LucideIcon } from 'lucide-react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import type { Choice } from './choices.ts';
import { cx } from './cx.ts';
import { Menu } from './Menu.tsx';
import type { MenuEntry } from './menu-entry.ts';

/** A filter as a chip: `data-on` while it narrows the list. */
export const chip =
  'inline-flex h-7 max-w-full cursor-default items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 text-xs hover:border-line-strong ' +
  'data-[on=true]:border-accent data-[on=true]:bg-accent-soft data-[on=true]:text-accent data-popup-open:border-accent';

/** More would not be looked through in a menu; the search finds them. */
const MOST = 100;

const rest = (n: number): MenuEntry => ({
  id: 'rest',
  label: `${n.toLocaleString('en')} more`,
  disabled: 'Search for one of them.',
  onSelect: () => undefined,
});

interface ChoiceMenuProps {
  name: string;
  icon?: LucideIcon;
  choices: readonly Choice[];
  chosen: string | undefined;
  /** Folders stand below the one that they are in. */
  indent?: boolean;
  onChoose(value: string | undefined): void;
}

/** A chip with the values that the rows of a list have, each with its number of rows. */
export function ChoiceMenu({ name, icon: Icon, choices, chosen, indent, onChoose }: ChoiceMenuProps) {
  if (choices.length === 0 && chosen === undefined) return null;
  const labelOf = ({ value, label = value, count }: Choice): string => {
    const shown = withoutDirectionMarks(label);
    const names = shown.split('/');
    const name = indent ? `${'\u2003'.repeat(names.length - 1)}${names.at(-1)}` : shown;
    return count === undefined ? name : `${name} (${count})`;
  };
  const label = choices.find(({ value }) => value === chosen)?.label ?? chosen;
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" data-on={chosen !== undefined} className={cx(chip, 'min-w-0')}>
          {Icon && <Icon aria-hidden className="size-3.5 shrink-0" />}
          <span className="min-w-0 truncate">
            {name}
            {label !== undefined && (
              <>
                : <bdi>{withoutDirectionMarks(label)}</bdi>
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
        ...choices.slice(0, MOST).map((choice) => ({
          id: `of ${choice.value}`,
          label: labelOf(choice),
          checked: choice.value === chosen,
          onSelect: () => onChoose(choice.value),
        })),
        ...(choices.length > MOST ? [rest(choices.length - MOST)] : []),
      ]}
    />
  );
}
