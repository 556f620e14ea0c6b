import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { addOperator } from '../commands/palette.ts';
import { operatorsFor } from '../model/document/fits.ts';
import { cornerAt } from '../model/document/insert.ts';
import { searchOperators } from '../model/search.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import type { Overlay } from '../state/ui-store.ts';
import { cx } from '../ui/cx.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { popupBox } from '../ui/styles.ts';
import { searchPlace } from './search-place.ts';
import { OperatorLine } from './OperatorLine.tsx';

type PickerRequest = Extract<Overlay, { kind: 'picker' }>;

const WIDTH = 320;
const HEIGHT = 380;
const MARGIN = 8;

/** The list of operators at a position of the canvas, in the canvas's pixels: render it inside `<Canvas>`. */
export function NodePicker() {
  const request = useUi((s) => (s.overlay?.kind === 'picker' ? s.overlay : undefined));
  return request ? <Picker key={`${request.at.x} ${request.at.y}`} request={request} /> : null;
}

function Picker({ request }: { request: PickerRequest }) {
  const session = useSession();
  const { ui } = session;
  const box = useRef<HTMLDivElement>(null);
  const close = (refocus = true) => {
    ui.setState({ overlay: undefined });
    if (refocus) box.current?.closest<HTMLElement>('[data-canvas]')?.focus({ preventScroll: true });
  };
  useOutsidePress(box, () => close(false));
  const choose = (info: OperatorInfo) => {
    const { at, wire, edge } = request;
    close();
    addOperator(session, info.type, {
      at: cornerAt(info, at, wire ? { wire } : {}),
      ...(wire && { wire }),
      ...(edge !== undefined && { edge }),
    });
  };
  return (
    <div
      ref={box}
      role="dialog"
      aria-label="Add a node"
      style={usePlace(request.at)}
      className={cx(popupBox, 'nowheel absolute z-30 flex w-80 flex-col overflow-hidden')}
    >
      <PickerList request={request} onChoose={choose} onClose={() => close()} />
    </div>
  );
}

/** At the pointer, but inside the canvas. */
function usePlace(at: { x: number; y: number }): { left: number; top: number; maxHeight: number } {
  const { ui } = useSession();
  const [place] = useState(() => {
    const { viewport, canvas } = ui.getState();
    const left = at.x * viewport.zoom + viewport.x;
    const top = at.y * viewport.zoom + viewport.y;
    return {
      left: Math.max(MARGIN, Math.min(left, canvas.width - WIDTH - MARGIN)),
      top: Math.max(MARGIN, Math.min(top, canvas.height - HEIGHT - MARGIN)),
      maxHeight: Math.max(160, Math.min(HEIGHT, canvas.height - 2 * MARGIN)),
    };
  });
  return place;
}

function useOutsidePress(box: RefObject<HTMLElement | null>, onPress: () => void): void {
  const latest = useRef(onPress);
  latest.current = onPress;
  useEffect(() => {
    const listener = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) latest.current();
    };
    document.addEventListener('pointerdown', listener, true);
    return () => document.removeEventListener('pointerdown', listener, true);
  }, [box]);
}

interface PickerListProps {
  request: PickerRequest;
  onChoose(info: OperatorInfo): void;
  onClose(): void;
}

function PickerList({ request, onChoose, onClose }: PickerListProps) {
  const list = useId();
  const [query, setQuery] = useState('');
  const [marked, setMarked] = useState(0);
  const offered = useOffered(request, query);
  const at = Math.min(marked, offered.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    const chosen = offered[at];
    event.stopPropagation();
    if (move !== undefined) setMarked((at + move + offered.length) % Math.max(1, offered.length));
    else if (event.key === 'Enter' && chosen) onChoose(chosen);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="border-b border-line p-2">
        <SearchInput
          autoFocus
          label={request.wire || request.edge !== undefined ? 'Search nodes that fit' : 'Search nodes'}
          value={query}
          onValueChange={(value) => {
            setQuery(value);
            setMarked(0);
          }}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={offered[at] ? `${list}-${at}` : undefined}
        />
      </div>
      <div id={list} role="listbox" aria-label="Nodes" className="min-h-0 flex-1 overflow-y-auto p-1">
        {offered.map((info, i) => (
          <Option key={info.type} id={`${list}-${i}`} info={info} marked={i === at} onChoose={onChoose} />
        ))}
      </div>
      {offered.length === 0 && <p className="px-3 pb-4 text-text-2">{emptyText(request, query)}</p>}
    </>
  );
}

function emptyText(request: PickerRequest, query: string): string {
  if (query !== '') return `No node for “${query}”.`;
  return request.edge === undefined ? 'No node fits this wire.' : 'No node fits into this edge.';
}

/** Matching operators, the last used ones first while nothing is searched. */
function useOffered(request: PickerRequest, query: string): readonly OperatorInfo[] {
  const { editor } = useSession();
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const recent = useUi((s) => s.recentOperators);
  const { wire, edge } = request;
  const fitting = useMemo(() => {
    const spot = { ...(wire && { wire }), ...(edge !== undefined && { edge }) };
    return new Set(operatorsFor(doc, catalog, spot).map((fit) => fit.type));
  }, [doc, catalog, wire, edge]);
  return useMemo(() => {
    const search = searchPlace(editor.getState());
    const hits = searchOperators(catalog, query, search).filter((info) => fitting.has(info.type));
    if (query !== '') return hits;
    const rank = (info: OperatorInfo) => {
      if (search.isEmpty && info.trigger) return -1;
      return recent.includes(info.type) ? recent.indexOf(info.type) : recent.length;
    };
    return hits.sort(
      (a, b) => rank(a) - rank(b) || Number(b.trigger) - Number(a.trigger) || a.title.localeCompare(b.title),
    );
  }, [catalog, query, fitting, recent, editor]);
}

interface OptionProps {
  id: string;
  info: OperatorInfo;
  marked: boolean;
  onChoose(info: OperatorInfo): void;
}

function Option({ id, info, marked, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked) element.current?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field has the focus and handles the keys
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={marked}
      data-operator={info.type}
      onClick={() => onChoose(info)}
      className={cx(
        'flex cursor-default items-center gap-2 rounded-md px-1.5 py-1',
        marked ? 'bg-surface-3' : 'hover:bg-surface-2',
      )}
    >
      <OperatorLine info={info} />
    </div>
  );
}
