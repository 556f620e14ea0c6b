import type { Bounds } from '../model/document/geometry.ts';
import { FRAME_MAX, FRAME_MIN, frameFor, resizeFrame } from '../model/document/frames.ts';
import { useSession } from '../session/session.tsx';
import { nothingMoved, useCanvasStore } from './canvas-store.ts';
import { NodeResizer } from './NodeResizer.tsx';

/** The handles of a selected frame. What is in it stays where it is, and the frame never gets smaller than that; a drag is one step. */
export function FrameResizer({ id }: { id: string }) {
  const { editor } = useSession();
  const canvas = useCanvasStore();
  const show = (wanted: Bounds): void => {
    const { doc, catalog } = editor.getState();
    const { x, y, width, height } = frameFor(doc, catalog, id, wanted);
    const { moved, sized } = canvas.getState();
    canvas.setState({
      moved: new Map([...moved, [id, { x, y }]]),
      sized: new Map([...sized, [id, { width, height }]]),
    });
  };
  const end = (): void => {
    const { moved, sized } = canvas.getState();
    const [at, size] = [moved.get(id), sized.get(id)];
    canvas.setState(nothingMoved);
    if (at && size)
      editor.getState().commit('Resize frame', (draft) => resizeFrame(draft, id, { ...at, ...size }));
  };
  return (
    <NodeResizer
      minWidth={FRAME_MIN.width}
      minHeight={FRAME_MIN.height}
      maxWidth={FRAME_MAX.width}
      maxHeight={FRAME_MAX.height}
      onResize={(_event, wanted) => show(wanted)}
      onResizeEnd={end}
    />
  );
}
