import { diffFlows } from '#engine/edit';
import type { Flow } from '#shared/flow.ts';
import { getVersionText } from '../api/flows.ts';
import type { Session } from '../commands/command.ts';
import { pastDoc } from '../model/drawing/as-ran.ts';
import { versionOf } from '../state/drawn.ts';
import type { ShownVersion } from '../state/run-store.ts';
import { drawnTogether } from '../model/drawing/version-marks.ts';

/** Stands for the flow as edited here, as one side of a comparison. No version has this name. */
export const NOW = 'now';

/** The edited flow, whatever the canvas shows. */
const editedFlow = ({ today, editor }: Session): { flow: Flow; layout: Parameters<typeof pastDoc>[1] } =>
  (today?.editor ?? editor).getState().doc;

async function flowAt(session: Session, version: string): Promise<Flow> {
  const { flow } = editedFlow(session);
  if (version === NOW) return flow;
  // The server only stores texts that it has parsed as flows.
  return JSON.parse(await getVersionText(flow.id, version)) as Flow;
}

/** The last request of a session is drawn, whichever answer comes last. */
const asked = new WeakMap<Session['runs'], symbol>();

function ask({ runs }: Session): () => boolean {
  const mine = Symbol('what was asked for');
  asked.set(runs, mine);
  return () => asked.get(runs) === mine;
}

/** Shows a version in place of the flow, read-only. Throws `ApiError`. */
export async function showVersion(session: Session, version: string): Promise<void> {
  const isWanted = ask(session);
  const flow = await flowAt(session, version);
  if (!isWanted()) return;
  const doc = pastDoc(flow, editedFlow(session).layout, session.editor.getState().catalog);
  draw(session, { from: undefined, to: version, doc, changes: [], marks: undefined });
}

/** Draws two versions in one, with marks on the differences. Throws `ApiError`. */
export async function compareVersions(session: Session, from: string, to: string): Promise<void> {
  const isWanted = ask(session);
  const [before, after] = await Promise.all([flowAt(session, from), flowAt(session, to)]);
  if (!isWanted()) return;
  const changes = diffFlows(before, after);
  const { flow, marks } = drawnTogether(before, after, changes);
  const doc = pastDoc(flow, editedFlow(session).layout, session.editor.getState().catalog);
  draw(session, { from, to, doc, changes, marks });
}

/** A run belongs to one version only, so none is shown meanwhile. */
function draw({ runs }: Session, version: ShownVersion): void {
  runs.setState({ version, follow: false, shown: undefined });
}

/** Back to the current flow, and to its runs. */
export function leaveVersion({ runs }: Session): void {
  asked.delete(runs);
  if (versionOf(runs.getState())) runs.setState({ version: undefined, follow: true });
}

/**
 * Restores a version as the live flow, as a step that can be undone. Resolves to a function that undoes it and makes the
 * earlier version live again, or to undefined if the version could not go live, which is reported. What was only a draft
 * before becomes a draft again.
 */
export async function restoreVersion(
  session: Session,
  version: string,
  name: string,
): Promise<(() => Promise<void>) | undefined> {
  const { editor, sync, saver } = session.today ?? session;
  const wasLive = editor.getState().saveState === 'saved' && !sync.getState().record.hasDraft;
  const flow = await flowAt(session, version);
  const { layout } = pastDoc(flow, editedFlow(session).layout, session.editor.getState().catalog);
  leaveVersion(session);
  const goLive = async (): Promise<void> => {
    if ((await saver.save()) && sync.getState().record.hasDraft) await saver.publish();
  };
  editor.getState().commit(`Restore ${name}`, (draft) => {
    draft.flow = flow;
    draft.layout = layout;
  });
  await goLive();
  if (editor.getState().saveState !== 'saved' || sync.getState().record.hasDraft) return undefined;
  return async () => {
    editor.getState().undo();
    await (wasLive ? goLive() : saver.save());
  };
}
