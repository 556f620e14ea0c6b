import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, SearchX, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { downloadText } from '../ui/download.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, listRow, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Tick } from '../ui/Tick.tsx';
import { toast } from '../ui/toast.ts';
import {
  type Chosen,
  csvOf,
  fitting,
  type Hands,
  type ListColumn,
  type ListDefinition,
  type Question,
} from './list-model.ts';
import { ListFilters, type Narrowing } from './ListFilters.tsx';
import { ShowMore, useShown } from './ShowMore.tsx';

interface ListScreenProps<T> {
  list: ListDefinition<T>;
  /** For a list without a row. */
  empty: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  /** The values that narrow it when it opens, by the names of its filters. */
  chosen?: Chosen;
  /** Above the list. */
  children?: ReactNode;
}

/** The screen of a list: searched, narrowed by chips, changed one by one or several at once, saved as CSV. */
export function ListScreen<T>({ list, empty, actions, chosen = {}, children }: ListScreenProps<T>) {
  const query = useInfiniteQuery({
    queryKey: [list.reads, list.title],
    queryFn: ({ pageParam }) => list.load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    ...(list.againMs !== undefined && { refetchInterval: againAfter(list.againMs) }),
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const more: More = {
    canLoad: hasNextPage && !isFetchingNextPage && !isFetchNextPageError,
    isAll: !hasNextPage,
    busy: isFetchingNextPage,
    load: () => void fetchNextPage(),
  };
  const count = items && `${countText(items.length, list.noun, list.nouns)}${hasNextPage ? ' or more' : ''}`;
  return (
    <HomePage title={list.title} count={count} actions={actions}>
      {children}
      <Loaded query={query} what={`the ${list.nouns ?? `${list.noun}s`}`}>
        {() => (items?.length ? <Rows list={list} items={items} first={chosen} more={more} /> : empty)}
      </Loaded>
    </HomePage>
  );
}

/** All loaded pages are asked for again, so a list of many pages is asked for less often: its requests stay as rare. */
const againAfter =
  (ms: number) =>
  ({ state }: { readonly state: { readonly data?: Pages | undefined } }): number =>
    ms * Math.max(1, state.data?.pages.length ?? 1);

interface Pages {
  readonly pages: readonly unknown[];
}

/** The pages that are not loaded yet. */
interface More {
  /** There is one, and it is not being loaded. */
  readonly canLoad: boolean;
  readonly isAll: boolean;
  readonly busy: boolean;
  load(): void;
}

/** A search loads further pages until it has found so many rows, or looked at so many. */
const ENOUGH = 200;
const MOST_SEARCHED = 20_000;

/** A search looks at all pages, not only at those that somebody has scrolled through. */
function useWholeSearch({ canLoad, load }: More, isNarrowed: boolean, found: number, of: number): void {
  const goesOn = canLoad && isNarrowed && found < ENOUGH && of < MOST_SEARCHED;
  useEffect(() => {
    if (goesOn) load();
  });
}

interface RowsProps<T> {
  list: ListDefinition<T>;
  items: readonly T[];
}

function Rows<T>({ list, items, first, more }: RowsProps<T> & { first: Chosen; more: More }) {
  const [{ query, chosen }, narrow] = useState<Narrowing>({ query: '', chosen: first });
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<string>();
  const [shown, showMore] = useShown();
  const clear = (): void => setTicked(new Set());
  const { hands, question } = useHands(list.reads, clear);
  const found = fitting(items, list, query, chosen);
  useWholeSearch(more, query.trim() !== '' || Object.keys(chosen).length > 0, found.length, items.length);
  const selected = items.filter((item) => ticked.has(list.idOf(item)));
  const beside = items.find((item) => list.idOf(item) === opened);
  return (
    <>
      <ListFilters
        list={list}
        items={items}
        query={query}
        chosen={chosen}
        onNarrow={narrow}
        onSave={() => downloadText(`${list.title.toLowerCase()}.csv`, csvOf(found, list.columns), 'text/csv')}
      />
      {selected.length > 0 && <Selected list={list} selected={selected} hands={hands} onClear={clear} />}
      <div className={cx('flex items-start gap-3', beside !== undefined && 'max-xl:pb-[60dvh]')}>
        <div className="min-w-0 flex-1">
          <Table
            list={list}
            items={found.slice(0, shown)}
            hands={hands}
            ticked={ticked}
            opened={opened}
            onTick={setTicked}
            onOpen={setOpened}
          />
          {found.length === 0 && (
            <EmptyState icon={SearchX} title="No match">
              {more.isAll
                ? `No ${list.noun} has these words and values.`
                : `None of the ${countText(items.length, list.noun, list.nouns)} searched so far has these words and values.`}
            </EmptyState>
          )}
          <MoreRows list={list} found={found.length} shown={shown} more={more} onShow={showMore} />
        </div>
        {list.details && beside !== undefined && (
          <Details name={list.nameOf(beside)} onClose={() => setOpened(undefined)}>
            {list.details(beside)}
          </Details>
        )}
      </div>
      {question}
    </>
  );
}

interface MoreRowsProps<T> {
  list: ListDefinition<T>;
  found: number;
  shown: number;
  more: More;
  onShow(): void;
}

/** Draws rows that are loaded, then loads the next page. */
function MoreRows<T>({ list, found, shown, more, onShow }: MoreRowsProps<T>) {
  if (found <= shown && more.isAll) return null;
  const load = (): void => {
    more.load();
    onShow();
  };
  if (found > shown)
    return <ShowMore all={countText(found, list.noun, list.nouns)} shown={shown} onShow={onShow} />;
  return (
    <div className="flex justify-center pt-3">
      <Button busy={more.busy} onClick={load}>
        Load more {list.nouns ?? `${list.noun}s`}
      </Button>
    </div>
  );
}

/** Beside the list, or above its end where that has no room: on a phone above the bar, which stays in reach. */
function Details({ name, onClose, children }: { name: string; onClose(): void; children: ReactNode }) {
  return (
    <aside
      aria-label="Details"
      className="sticky top-0 max-h-[calc(100vh-6rem)] w-96 shrink-0 overflow-y-auto rounded-lg border border-line bg-surface p-4 max-xl:fixed max-xl:inset-x-3 max-xl:top-auto max-xl:bottom-3 max-xl:z-20 max-xl:max-h-[60dvh] max-xl:w-auto max-xl:shadow-lg max-[600px]:bottom-17"
    >
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">
          <bdi>{name}</bdi>
        </h2>
        <IconButton size="sm" icon={X} label="Close the details" onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}

interface SelectedProps<T> {
  list: ListDefinition<T>;
  selected: readonly T[];
  hands: Hands;
  onClear(): void;
}

function Selected<T>({ list, selected, hands, onClear }: SelectedProps<T>) {
  return (
    <div
      role="group"
      aria-label="Selection"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft px-2 py-1"
    >
      <span className="px-1 font-medium" role="status">
        {countText(selected.length, list.noun, list.nouns)} selected
      </span>
      {list.bulk?.map(({ label, isDanger, run }) => (
        <Button
          key={label}
          size="sm"
          {...(isDanger && { variant: 'danger' as const })}
          onClick={() => run(selected, hands)}
        >
          {label}
        </Button>
      ))}
      <IconButton size="sm" icon={X} label="Clear the selection" className="ml-auto" onClick={onClear} />
    </div>
  );
}

interface TableProps<T> extends RowsProps<T> {
  hands: Hands;
  ticked: ReadonlySet<string>;
  opened: string | undefined;
  onTick(ticked: ReadonlySet<string>): void;
  onOpen(id: string | undefined): void;
}

function Table<T>(props: TableProps<T>) {
  const { list, items, ticked, onTick } = props;
  if (items.length === 0) return null;
  const ids = items.map(list.idOf);
  const isAll = ids.every((id) => ticked.has(id));
  const tickAll: Column = {
    name: 'Selected',
    className: 'w-10',
    head: (
      <Tick label="Select all" checked={isAll} onCheckedChange={() => onTick(new Set(isAll ? [] : ids))} />
    ),
  };
  return (
    <ListTable
      caption={list.title}
      columns={[
        ...(list.bulk ? [tickAll] : []),
        ...list.columns.map(({ name, className }): Column => ({ name, ...(className && { className }) })),
        ...(list.entries ? [{ name: 'Actions', className: 'w-12', hidden: true }] : []),
      ]}
    >
      <tbody>
        {items.map((item) => (
          <Row key={list.idOf(item)} {...props} item={item} />
        ))}
      </tbody>
    </ListTable>
  );
}

function Row<T>({ list, item, hands, ticked, opened, onTick, onOpen }: TableProps<T> & { item: T }) {
  const id = list.idOf(item);
  const name = list.nameOf(item);
  const entries = list.entries?.(item, hands);
  const tick = (isOn: boolean): void => {
    const next = new Set(ticked);
    if (isOn) next.add(id);
    else next.delete(id);
    onTick(next);
  };
  return (
    <tr className={listRow} data-opened={opened === id}>
      {list.bulk && (
        <td className="!py-1.5">
          <Tick label={`Select ${name}`} checked={ticked.has(id)} onCheckedChange={tick} />
        </td>
      )}
      {list.columns.map((column, at) => (
        <td key={column.name} className={column.className}>
          {at === 0 && list.details ? (
            <button
              type="button"
              aria-expanded={opened === id}
              className={cx('max-w-full truncate text-left font-semibold hover:underline', tapLine)}
              onClick={() => onOpen(opened === id ? undefined : id)}
            >
              <Cell column={column} item={item} />
            </button>
          ) : (
            <Cell column={column} item={item} />
          )}
        </td>
      ))}
      {list.entries && (
        <td className="!py-1.5">
          {entries && entries.length > 0 && (
            <Menu
              trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
              entries={entries}
            />
          )}
        </td>
      )}
    </tr>
  );
}

function Cell<T>({ column, item }: { column: ListColumn<T>; item: T }): ReactNode {
  if (column.cell) return column.cell(item);
  const text = column.text(item);
  return (
    <span className="block truncate" title={text}>
      <bdi>{text}</bdi>
    </span>
  );
}

/** The functions that change rows, and the question before a change. */
export function useHands(reads: string, onDone: () => void): { hands: Hands; question: ReactNode } {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Question>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const act: Hands['act'] = (work, done) => {
    void work()
      .then(
        () => {
          if (done !== undefined) toast(done, { kind: 'success' });
          onDone();
        },
        (reason: unknown) => toast(messageOf(reason), { kind: 'error' }),
      )
      .then(() => queries.invalidateQueries({ queryKey: [reads] }));
  };
  const confirm = async ({ work }: Question): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      setAsked(undefined);
      onDone();
    } catch (reason) {
      setError(messageOf(reason));
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: [reads] });
  };
  const ask: Hands['ask'] = (question) => {
    setError(undefined);
    setAsked(question);
  };
  const question = asked && (
    <ConfirmDialog
      {...asked}
      busy={busy}
      error={error}
      onConfirm={() => void confirm(asked)}
      onClose={() => setAsked(undefined)}
    />
  );
  return { hands: { act, ask }, question };
}

const messageOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
