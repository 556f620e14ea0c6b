import { type RefObject, useEffect, useRef, useState } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { addOperator, writeFirst } from '../commands/palette.ts';
import { swapNode } from '../commands/swap.ts';
import { cornerAt } from '../model/document/insert.ts';
import { useSession, useUi } from '../session/session.tsx';
import type { PickerRequest } from '../state/ui-store.ts';
import { cx } from '../ui/cx.ts';
import { popupBox } from '../ui/styles.ts';
import { PickerList } from './PickerList.tsx';

const WIDTH = 560;
/** Below this width the purposes stand above the nodes. */
const TWO_COLUMNS = 440;
const HEIGHT = 460;
const MARGIN = 8;

/** The palette: all nodes that can be added at a position of the canvas, in the canvas's pixels. Render it inside `<Canvas>`. */
export function NodePicker() {
  const request = useUi((s) => (s.overlay?.kind === 'picker' ? s.overlay : undefined));
  return request ? <Picker key={`${request.at.x} ${request.at.y}`} request={request} /> : null;
}

function Picker({ request }: { request: PickerRequest }) {
  const session = useSession();
  const { ui } = session;
  const box = useRef<HTMLDivElement>(null);
  const [isDragging, setDragging] = useState(false);
  const place = usePlace(request.at);
  const close = (refocus = true) => {
    ui.setState({ overlay: undefined });
    if (refocus) box.current?.closest<HTMLElement>('[data-canvas]')?.focus({ preventScroll: true });
  };
  useOutsidePress(box, () => close(false));
  useEscape(() => close());
  const choose = (info: OperatorInfo, byMouse = false) => {
    const { at, wire, edge, isBeside, swaps } = request;
    close();
    if (swaps !== undefined) void swapNode(session, swaps, info);
    else if (isBeside) addOperator(session, info.type);
    else
      addOperator(session, info.type, {
        at: cornerAt(info, at, wire ? { wire } : {}),
        ...(wire && { wire }),
        ...(edge !== undefined && { edge }),
      });
    if (byMouse && swaps === undefined) writeFirst(session, info.type);
  };
  return (
    <div
      ref={box}
      role="dialog"
      aria-label={request.swaps === undefined ? 'Add a node' : 'Swap for another node'}
      style={place}
      className={cx(
        popupBox,
        'nowheel absolute z-30 flex flex-col overflow-hidden',
        // Removed, it would end the drag.
        isDragging && 'pointer-events-none opacity-0',
      )}
      // After the browser has taken the picture that follows the pointer.
      onDragStart={() => setTimeout(() => setDragging(true))}
      onDragEnd={() => close(false)}
    >
      <PickerList
        request={request}
        isNarrow={place.width < TWO_COLUMNS}
        onChoose={choose}
        onClose={() => close()}
      />
    </div>
  );
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** At the pointer, but inside the canvas. */
function usePlace(at: { x: number; y: number }): Place {
  const { ui } = useSession();
  const [place] = useState(() => {
    const { viewport, canvas } = ui.getState();
    const width = Math.min(WIDTH, canvas.width - 2 * MARGIN);
    const height = Math.max(160, Math.min(HEIGHT, canvas.height - 2 * MARGIN));
    const left = at.x * viewport.zoom + viewport.x;
    const top = at.y * viewport.zoom + viewport.y;
    return {
      left: Math.max(MARGIN, Math.min(left, canvas.width - width - MARGIN)),
      top: Math.max(MARGIN, Math.min(top, canvas.height - height - MARGIN)),
      width,
      height,
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

/** Its field takes all keys, unless something else has taken the focus: a panel that a narrower window has moved, say. */
function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const listener = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented) latest.current();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
