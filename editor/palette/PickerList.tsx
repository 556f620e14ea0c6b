import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { OperatorInfo, Purpose } from '#shared/catalog.ts';
import { type Offer, PURPOSES } from '../model/offers.ts';
import { packageFor } from '#shared/own-packages.ts';
import { weftCommand } from '../session/commands-to-type.ts';
import { useEditor } from '../session/session.tsx';
import type { PickerRequest } from '../state/ui-store.ts';
import { cx } from '../ui/cx.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { PickerOption } from './PickerOption.tsx';
import { PurposeList } from './PurposeList.tsx';
import { useOffers } from './use-offers.ts';

interface PickerListProps {
  request: PickerRequest;
  isNarrow: boolean;
  onChoose(info: OperatorInfo, byMouse?: boolean): void;
  onClose(): void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
const CHOICES: readonly (Purpose | undefined)[] = [undefined, ...(Object.keys(PURPOSES) as Purpose[])];

/** A search field, purposes beside nodes, and what the marked node is for. The field keeps the focus and takes all keys. */
export function PickerList({ request, isNarrow, onChoose, onClose }: PickerListProps) {
  const id = useId();
  const { query, purpose, offers, listed, at, find, look, onKeyDown } = useWalk({
    request,
    onChoose,
    onClose,
  });
  const isBound = request.wire !== undefined || request.edge !== undefined;
  return (
    <>
      <div className="border-b border-line p-2">
        <SearchInput
          autoFocus
          label={isBound ? 'Search nodes that fit' : 'Search nodes'}
          value={query}
          onValueChange={find}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={listed[at] ? `${id}-${at}` : undefined}
        />
      </div>
      <div className={cx('flex min-h-0 flex-1', isNarrow && 'flex-col')}>
        <PurposeList isRow={isNarrow} chosen={purpose} onChoose={look} />
        <div
          id={id}
          role="listbox"
          aria-label="Nodes"
          className="min-h-0 min-w-0 flex-1 overflow-y-auto p-1.5"
        >
          {withPlaces(offers).map((group) => (
            <Group key={group.title} id={id} group={group} at={at} onChoose={onChoose} />
          ))}
          {listed.length === 0 && <p className="p-3 text-text-2">{emptyText(request, query)}</p>}
        </div>
      </div>
      <MissingPackage query={query} />
      {listed[at] && <About info={listed[at]} />}
    </>
  );
}

/** The listed operators, and the marked place among them, which keys move. */
function useWalk({ request, onChoose, onClose }: Omit<PickerListProps, 'isNarrow'>) {
  const [query, setQuery] = useState(request.typed ?? '');
  const [typed, setTyped] = useState(request.typed);
  // Letters from before the commands were there may come after the picker.
  if (request.typed !== typed) {
    setTyped(request.typed);
    setQuery(request.typed ?? '');
  }
  const [purpose, setPurpose] = useState<Purpose>();
  const [marked, setMarked] = useState(0);
  const offers = useOffers(request, { query, purpose });
  const listed = offers.flatMap(({ operators }) => operators);
  const at = Math.min(marked, listed.length - 1);
  const first = listed[0];
  useEffect(() => {
    if (request.isEntered && first) onChoose(first);
    // Once, for the key that was pressed before.
  }, [request.isEntered]);
  const find = (text: string): void => {
    setQuery(text);
    setMarked(0);
  };
  const look = (next: Purpose | undefined): void => {
    setPurpose(next);
    setMarked(0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const turn = query === '' ? TURNS[event.key] : undefined;
    const chosen = listed[at];
    event.stopPropagation();
    if (step !== undefined) setMarked(stepped(at, step, listed.length));
    else if (turn !== undefined) look(CHOICES.at((CHOICES.indexOf(purpose) + turn) % CHOICES.length));
    else if (event.key === 'Enter' && chosen) onChoose(chosen);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  return { query, purpose, offers, listed, at, find, look, onKeyDown };
}

/** With an empty search field, the arrows to the sides go through the purposes. */
const TURNS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

interface GroupProps {
  /** Of the list, before the places of its options. */
  id: string;
  group: Placed;
  /** Place of the marked operator in the whole list. */
  at: number;
  onChoose(info: OperatorInfo, byMouse?: boolean): void;
}

function Group({ id, group: { title, operators, first }, at, onChoose }: GroupProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options
    <div role="group" aria-label={title || 'Found'}>
      {title !== '' && <p className="px-1.5 pt-2 pb-1 text-xs font-semibold text-text-2">{title}</p>}
      {operators.map((info, i) => (
        <PickerOption
          key={info.type}
          id={`${id}-${first + i}`}
          info={info}
          marked={first + i === at}
          onChoose={onChoose}
        />
      ))}
    </div>
  );
}

/** One step wraps around, a page stops at the ends. */
function stepped(at: number, step: number, count: number): number {
  if (count === 0) return 0;
  if (Math.abs(step) === 1) return (at + step + count) % count;
  return Math.max(0, Math.min(count - 1, at + step));
}

/** A group with the place of its first operator in the whole list. */
type Placed = Offer & { readonly first: number };

function withPlaces(offers: readonly Offer[]): readonly Placed[] {
  let first = 0;
  return offers.map((offer) => {
    const placed = { ...offer, first };
    first += offer.operators.length;
    return placed;
  });
}

function emptyText(request: PickerRequest, query: string): string {
  if (query !== '') return `No node for “${query}”.`;
  if (request.wire) return 'No node fits this wire.';
  return request.edge === undefined ? 'There are none.' : 'No node fits into this edge.';
}

/** How the node that people look for is added to the server, if it comes with a package of ours that is not there. */
function MissingPackage({ query }: { query: string }) {
  const { operators } = useEditor((s) => s.catalog);
  const found = packageFor(query);
  if (found === undefined || Object.hasOwn(operators, found.operator)) return null;
  return (
    <p role="status" className="shrink-0 border-t border-line px-3 py-1.5 text-xs text-text-2">
      <code>{found.operator}</code> comes with a package: <code>{`${weftCommand()} add ${found.name}`}</code>
    </p>
  );
}

/** The description of the marked node in full; a screen reader has it from the option. */
function About({ info }: { info: OperatorInfo }) {
  return (
    <div aria-hidden className="h-11 shrink-0 border-t border-line px-3 py-1.5 text-xs text-text-2">
      <p className="line-clamp-2">{info.doc.replaceAll('`', '')}</p>
    </div>
  );
}
