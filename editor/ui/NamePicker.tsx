import { Combobox as Base } from '@base-ui/react/combobox';
import { ChevronsUpDown, CircleAlert, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { cx } from './cx.ts';
import { fieldBox, listItem, popupBox } from './styles.ts';

/** Something that can be named. */
export interface Named {
  /** The id that is written. */
  readonly id: string;
  /** The name that people see. */
  readonly title: string;
  /** A description in a few words. */
  readonly hint?: string | undefined;
}

interface NamePickerProps {
  /** For the trigger: `aria-describedby` and the like. */
  id?: string | undefined;
  describedBy?: string | undefined;
  label: string;
  /** The noun for it, without an article: `connection`. */
  noun: string;
  value: string | undefined;
  names: readonly Named[];
  isLoading?: boolean;
  /** Any other name may be written too. */
  isFree?: boolean;
  invalid?: boolean;
  placeholder?: string | undefined;
  /** How to get one, if there is none yet. */
  firstOne?: string | undefined;
  onChange(id: string): void;
  /** Makes one in place; `wanted` is what somebody has searched for. */
  onNew?: ((wanted: string) => void) | undefined;
  className?: string;
}

interface Entry extends Named {
  readonly does: 'choose' | 'write' | 'make';
}

/** One of the things that have a name, found by its title or id. What a field names although it is not there stays visible. */
export function NamePicker(props: NamePickerProps) {
  const { value, names, firstOne, onChange, onNew, isLoading = false } = props;
  const [query, setQuery] = useState('');
  const entries = useEntries(props, query);
  const chosen = names.find(({ id }) => id === value);
  const take = (entry: Entry | null): void => {
    if (entry?.does === 'make') onNew?.(query.trim());
    else if (entry) onChange(entry.id);
  };
  return (
    <Base.Root
      items={entries}
      filter={null}
      autoHighlight
      value={
        value === undefined ? null : ({ ...(chosen ?? { id: value, title: value }), does: 'choose' } as Entry)
      }
      onValueChange={take}
      isItemEqualToValue={(a, b) => a.does === b.does && a.id === b.id}
      itemToStringLabel={({ title }) => title}
      inputValue={query}
      // What was chosen is not what is searched for.
      onInputValueChange={(text, { reason }) => reason.startsWith('input-') && setQuery(text)}
      onOpenChange={(isOpen) => isOpen && setQuery('')}
    >
      <Trigger {...props} chosen={chosen} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} className="z-50 outline-hidden">
          <Base.Popup
            aria-label={`Choose ${articled(props.noun)}`}
            className={cx(
              popupBox,
              'flex max-h-[min(22rem,var(--available-height))] w-[max(var(--anchor-width),16rem)] flex-col',
            )}
          >
            <div className="p-1.5">
              <Base.Input
                aria-label={`Search ${props.noun}`}
                placeholder={`Search ${props.noun}`}
                className={cx(fieldBox, 'h-7')}
              />
            </div>
            <Base.Status className="px-3 pb-2 text-xs text-text-2 empty:hidden">
              {isLoading && 'Loading…'}
              {!isLoading &&
                !entries.some(({ does }) => does === 'choose') &&
                noneText(query, names.length === 0 ? firstOne : undefined)}
            </Base.Status>
            <Base.List className="min-h-0 overflow-y-auto p-1 pt-0 empty:hidden">
              {(entry: Entry) => (
                <Base.Item key={`${entry.does} ${entry.id}`} value={entry} className={listItem}>
                  <Line entry={entry} />
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function noneText(query: string, firstOne: string | undefined): string {
  const none = query.trim() === '' ? 'There is none yet.' : 'Nothing has this name.';
  return firstOne === undefined ? none : `${none} ${firstOne}`;
}

/** More at once help nobody; the search finds the others. */
const MOST = 200;

function useEntries(
  { names, noun, isFree = false, onNew }: NamePickerProps,
  query: string,
): readonly Entry[] {
  const canMake = onNew !== undefined;
  return useMemo(() => {
    const words = query.trim().toLowerCase();
    const fitting = names.filter(({ id, title, hint = '' }) =>
      `${title} ${id} ${hint}`.toLowerCase().includes(words),
    );
    const found = fitting.slice(0, MOST).map((one): Entry => ({ ...one, does: 'choose' }));
    const isExact = names.some(({ id }) => id === query.trim());
    if (isFree && words !== '' && !isExact)
      found.push({ id: query.trim(), title: `Use “${query.trim()}”`, does: 'write' });
    if (canMake) found.push({ id: '', title: `New ${noun}…`, does: 'make' });
    return found;
  }, [names, noun, isFree, canMake, query]);
}

function Line({ entry: { id, title, hint, does } }: { entry: Entry }) {
  if (does === 'make')
    return (
      <>
        <Plus aria-hidden className="size-3.5 shrink-0 text-accent" />
        <span className="text-accent">{title}</span>
      </>
    );
  return (
    <span className="min-w-0 flex-1">
      <span className="flex min-w-0 items-baseline gap-2">
        <bdi className="min-w-0 truncate">{withoutDirectionMarks(title)}</bdi>
        {does === 'choose' && id !== title && (
          <code className="min-w-0 shrink truncate font-mono text-[11px] text-text-2">{id}</code>
        )}
      </span>
      {hint && <span className="block truncate text-xs text-text-2">{hint}</span>}
    </span>
  );
}

function Trigger(props: NamePickerProps & { chosen: Named | undefined }) {
  const { id, describedBy, label, invalid, className } = props;
  return (
    <Base.Trigger
      id={id}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      data-invalid={invalid ? '' : undefined}
      className={cx(fieldBox, 'flex h-7 min-w-0 items-center gap-1.5 text-left', className)}
    >
      <Chosen {...props} />
      <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-text-2" />
    </Base.Trigger>
  );
}

function Chosen({ value, chosen, noun, placeholder, isFree, isLoading }: Parameters<typeof Trigger>[0]) {
  if (value === undefined)
    return (
      <span className="min-w-0 flex-1 truncate text-text-2">
        {placeholder ?? `Choose ${articled(noun)}…`}
      </span>
    );
  if (!chosen)
    return (
      <>
        {!isFree && !isLoading && (
          <CircleAlert aria-label="Not there" className="size-3.5 shrink-0 text-warn" />
        )}
        <bdi className="min-w-0 flex-1 truncate">{withoutDirectionMarks(value)}</bdi>
      </>
    );
  return (
    <span className="flex min-w-0 flex-1 items-baseline gap-2">
      <bdi className="min-w-0 truncate">{withoutDirectionMarks(chosen.title)}</bdi>
      {chosen.title !== chosen.id && (
        <code className="min-w-0 shrink-[2] truncate font-mono text-[11px] text-text-2">{chosen.id}</code>
      )}
    </span>
  );
}

function articled(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
