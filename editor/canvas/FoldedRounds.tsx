import { CircleX } from 'lucide-react';
import { revealNodes } from '../commands/view.ts';
import { isCollapsed } from '../model/document/frames.ts';
import { useIsPast, useRuns, useSession } from '../session/session.tsx';
import { countOf, firstFailed, pickRound } from '../state/rounds.ts';
import { countText } from '../ui/format.ts';
import { useCanvas } from './canvas-store.ts';

/** How many rounds a container had that is drawn as a card, and how many of them failed: a click leads to the first of these. */
export function FoldedRounds({ id }: { id: string }) {
  const session = useSession();
  const isPast = useIsPast();
  const isStop = useCanvas((s) => s.focusedNode === id);
  const rounds = useRuns((s) => s.shown && countOf(s.shown, id));
  if (!rounds || (rounds.count < 2 && rounds.failed === 0)) return null;
  const { count, failed } = rounds;
  const lead = (): void => {
    const { editor, runs, ui } = session;
    const { shown } = runs.getState();
    const found = shown && firstFailed(shown, id);
    if (shown && found) runs.setState({ shown: pickRound(shown, found.round) });
    const { doc, commit, select } = editor.getState();
    // A past state of the flow stays as it was drawn; its panel shows the round.
    if (!isPast && isCollapsed(doc.layout, id))
      commit('Expand', (draft) => {
        delete draft.layout.nodes[id]?.collapsed;
      });
    const to = isPast ? id : (found?.node ?? id);
    select([to]);
    ui.setState({ inspectorTab: 'output' });
    revealNodes(session, [to]);
  };
  return (
    <span className="flex min-w-0 items-center gap-1 text-text-2 tabular-nums">
      <span className="weft-word truncate">{countText(count, 'round')}</span>
      {failed > 0 && (
        <button
          type="button"
          tabIndex={isStop ? 0 : -1}
          title="Show the first failed round"
          aria-label={`${failed.toLocaleString('en')} failed: show the first failed round`}
          onClick={(event) => {
            // The click selects the failed node, not the one that it is on.
            event.stopPropagation();
            lead();
          }}
          // Also seen from farther away, where other words are gone.
          className="weft-counter nodrag flex h-6 min-w-6 shrink-0 items-center gap-1 font-medium text-bad hover:underline"
        >
          <CircleX aria-hidden className="size-3.5" />
          {failed.toLocaleString('en')} failed
        </button>
      )}
    </span>
  );
}
