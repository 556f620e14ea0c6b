import { type EdgeId, edgeId } from '../model/document/document.ts';
import { edgeIn } from '../model/document/edit.ts';
import { flatFlow } from '../model/document/flat.ts';
import { setPick } from '../model/document/pick.ts';
import type { Session } from './command.ts';

/** A step that draws edges. */
interface EdgeStep {
  readonly label: string;
  /** Joins it with the choice of what the edges carry. */
  readonly key: symbol;
}

export function edgeStep(label: string): EdgeStep {
  return { label, key: Symbol(label) };
}

/** The edges of a flow, to find those that are new later. */
export function edgesNow({ editor }: Session): ReadonlySet<EdgeId> {
  return new Set(flatFlow(editor.getState().doc.flow).edges.map(edgeId));
}

/**
 * Lets edges that are new carry the field that their end takes, where the whole value does not fit and only one field does. It belongs
 * to the step that drew them.
 */
export async function carryLikelyFields(
  { editor, ui }: Session,
  before: ReadonlySet<EdgeId>,
  { label, key }: EdgeStep,
): Promise<void> {
  const { doc, catalog, world } = editor.getState();
  const added = flatFlow(doc.flow).edges.filter((edge) => !before.has(edgeId(edge)));
  if (added.length === 0) return;
  const { likelyField } = await import('../model/document/port-types.ts');
  // Somebody went on meanwhile; the problem of the edge offers the field.
  if (editor.getState().doc !== doc) return;
  for (const edge of added) {
    const field = likelyField({ flow: doc.flow, catalog, world }, edge);
    if (field === undefined || !edgeIn(doc.flow, edgeId(edge))) continue;
    editor.getState().commit(label, (draft) => setPick(draft, edgeId(edge), field), key);
    ui.setState(({ announcement }) => ({ announcement: `${announcement}, with the field ${field}` }));
  }
  editor.getState().refreshProblems();
}
