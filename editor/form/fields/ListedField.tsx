import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';
import type { ServiceChoices } from '#shared/service-api.ts';
import type { FormField } from '../../model/form/schema-form.ts';
import { listChoices } from '../../api/services.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { cx } from '../../ui/cx.ts';
import { listItem } from '../../ui/styles.ts';
import type { NestedProps } from '../FieldFrame.tsx';
import { useForm, useSetter, useValue } from '../form-context.tsx';
import { TemplateField } from './TemplateField.tsx';

const FIRST = 200;
const MOST = 5000;
const KEPT_MS = 60_000;

/** A text that may be chosen from what the service of the node lists, such as its channels. */
export function ListedField(props: NestedProps) {
  const { place } = useForm();
  const text = { ...props.field, shape: TEXT };
  return (
    <div className="flex flex-col gap-1">
      <TemplateField {...props} field={text} />
      {place !== undefined && !props.bare && <Listed {...props} flow={place.flow} />}
    </div>
  );
}

const TEXT = { kind: 'text', multiline: false, portName: false } as const satisfies FormField['shape'];

/** It asks the service once it is opened. */
function Listed({ field, path, flow }: NestedProps & { readonly flow: string }) {
  const [open, setOpen] = useState(false);
  const name = String(path.at(-1));
  const what = (field.title || name).toLowerCase();
  return (
    <details
      className="rounded-md border border-line text-xs"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="min-h-6 cursor-pointer px-2 py-1 font-medium">Choose {what} from a list</summary>
      {open && <Choices field={field} path={path} flow={flow} name={name} />}
    </details>
  );
}

type Place = Pick<NestedProps, 'field' | 'path'> & { readonly flow: string; readonly name: string };

function useChoices({ path, flow, name }: Place, search: string, limit: number) {
  const form = useForm();
  const params = useValue(path.slice(0, -1)) as Readonly<Record<string, unknown>> | undefined;
  const operator = form.get(['operator']) as string;
  const isFresh = useRef(false);
  const found = useQuery({
    queryKey: ['choices', flow, operator, name, { ...params, [name]: undefined }, search, limit],
    queryFn: () => {
      const fresh = isFresh.current;
      isFresh.current = false;
      const given = { ...params, [name]: undefined };
      return listChoices({ flow, operator, param: name, params: given, search, limit, fresh });
    },
    staleTime: KEPT_MS,
    retry: false,
    placeholderData: (before) => before,
  });
  const refresh = (): void => {
    isFresh.current = true;
    void found.refetch();
  };
  return { found, refresh };
}

function fitting(items: ServiceChoices['items'], search: string): ServiceChoices['items'] {
  const words = search.toLowerCase();
  return items.filter(({ value, label }) => `${label} ${value}`.toLowerCase().includes(words));
}

function Choices(place: Place) {
  const { field, path } = place;
  const [typed, setTyped] = useState('');
  const [limit, setLimit] = useState(FIRST);
  const search = useDeferredValue(typed.trim());
  const [searches, setSearches] = useState(true);
  // Where the form searches, the service is asked for the same list again and again.
  const { found, refresh } = useChoices(place, searches ? search : '', limit);
  if (found.data && found.data.searches !== searches) setSearches(found.data.searches);
  const value = useValue(path);
  const set = useSetter(field, path);
  const shown = fitting(found.data?.items ?? [], searches ? '' : search);
  return (
    <div className="flex flex-col gap-1 px-2 pb-2">
      <div className="flex items-center gap-1">
        <SearchInput className="min-w-0 flex-1" label="Search" value={typed} onValueChange={setTyped} />
        <IconButton icon={RotateCw} label="Ask the service again" onClick={refresh} />
      </div>
      {found.isError && (
        <p role="alert" className="wrap-anywhere text-bad">
          {found.error.message}
        </p>
      )}
      {found.isFetching && <Spinner label="Loading the choices" className="size-4" />}
      {found.data && (
        <List
          items={shown}
          value={value}
          choose={set}
          {...(found.data.more && limit < MOST && { onMore: () => setLimit(MOST) })}
        />
      )}
    </div>
  );
}

interface ListProps {
  readonly items: ServiceChoices['items'];
  readonly value: unknown;
  choose(value: unknown): void;
  /** Absent where there are no more. */
  onMore?(): void;
}

function List({ items, value, choose, onMore }: ListProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus */}
      <div role="group" aria-label="Choices" tabIndex={0} className="max-h-60 overflow-y-auto">
        {items.map((choice) => (
          <button
            key={choice.value}
            type="button"
            aria-pressed={choice.value === value}
            className={cx(listItem, 'flex w-full gap-2 text-left aria-pressed:font-medium')}
            onClick={() => choose(choice.value)}
          >
            <span className="min-w-0 flex-1 truncate">{choice.label}</span>
            {choice.label !== String(choice.value) && (
              <code className="max-w-1/2 truncate font-mono text-text-2">{choice.value}</code>
            )}
          </button>
        ))}
        {items.length === 0 && <p className="py-1 text-text-2">Nothing fits.</p>}
      </div>
      {onMore && (
        <Button size="sm" variant="ghost" className="self-start" onClick={onMore}>
          Show more
        </Button>
      )}
    </>
  );
}
