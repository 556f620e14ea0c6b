import type { Session } from '../commands/command.ts';
import type { EdgeId, Point } from '../model/document/document.ts';
import type { DraggedPath } from '../ui/path-drag.ts';
import type { CanvasStore } from './canvas-store.ts';
import { refuse } from './wire.ts';

interface ValueDrop {
  readonly dragged: DraggedPath;
  readonly onto: { readonly input: string } | { readonly edge: EdgeId };
  /** Where a refusal is told, in pixels from the canvas's corner. */
  readonly at: Point;
}

/** Makes an edge carry a value that was dropped onto it or onto its input, or says there why not. */
export function dropValue(session: Session, canvas: CanvasStore, { dragged, onto, at }: ValueDrop): void {
  // Loaded when it is needed: the canvas works without it.
  import('../commands/map-value.ts').then(
    ({ mapValue }) => {
      const text = mapValue(session, dragged, onto);
      if (text !== undefined) refuse(session, canvas, { at, text });
    },
    () => refuse(session, canvas, { at, text: 'The server cannot be reached. Try again.' }),
  );
}
