import { RoundPicker } from '../canvas/RoundPicker.tsx';
import { holderOf, nodeIn } from '../model/document/flat.ts';
import { useEditor, useRuns } from '../session/session.tsx';
import { hasRounds } from '../state/rounds.ts';

/** The round that a node shows, if it is run in rounds: those of its own body, or of the node around it. */
export function NodeRounds({ id }: { id: string }) {
  const holder = useEditor(({ doc }) => (nodeIn(doc.flow, id)?.body ? id : holderOf(doc.flow, id)));
  const isInRounds = useRuns(
    ({ shown }) => holder !== undefined && shown !== undefined && hasRounds(shown, holder),
  );
  return holder !== undefined && isInRounds && <RoundPicker id={holder} />;
}
