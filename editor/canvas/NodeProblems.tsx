import { CircleX, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { useEditor, useSession } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { countText } from '../ui/format.ts';
import { useCanvas } from './canvas-store.ts';
import { problemsOf } from './problems-of.ts';

/** How many problems a node has; a click shows them in the panel. */
export const NodeProblems = memo(function NodeProblems({ id }: { id: string }) {
  const { editor, ui } = useSession();
  const isStop = useCanvas((s) => s.focusedNode === id);
  const found = useEditor((s) => problemsOf(s.problems, id));
  if (!found) return null;
  const { errors, warnings, text } = found;
  const words = [
    errors > 0 && `${errors} ${errors === 1 ? 'error' : 'errors'}`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
  ].filter(Boolean);
  return (
    <button
      type="button"
      tabIndex={isStop ? 0 : -1}
      title={text}
      aria-label={`${countText(errors + warnings, 'problem')} (${words.join(', ')}): show`}
      onClick={() => {
        editor.getState().select([id]);
        ui.setState({ dockOpen: true, dockTab: 'problems' });
      }}
      className="nodrag absolute -top-3.5 left-2 z-1 rounded bg-surface after:absolute after:-inset-0.5"
    >
      <Badge tone={errors > 0 ? 'bad' : 'warn'} icon={errors > 0 ? CircleX : TriangleAlert}>
        {errors + warnings}
      </Badge>
    </button>
  );
});
