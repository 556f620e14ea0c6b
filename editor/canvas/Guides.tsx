import { ViewportPortal } from '@xyflow/react';
import { useUi } from '../session/session.tsx';
import { useCanvas } from './canvas-store.ts';

/** Lines along which what is dragged lies level with other nodes. */
export function Guides() {
  const guides = useCanvas((s) => s.guides);
  const width = useUi((s) => 1 / s.viewport.zoom);
  if (guides.length === 0) return null;
  return (
    <ViewportPortal>
      {guides.map(({ axis, at, from, to }) => (
        <span
          key={`${axis} ${at}`}
          aria-hidden
          data-guide={axis}
          style={
            axis === 'x'
              ? { left: at - width / 2, top: from, width, height: to - from }
              : { left: from, top: at - width / 2, width: to - from, height: width }
          }
          className="pointer-events-none absolute bg-accent"
        />
      ))}
    </ViewportPortal>
  );
}
