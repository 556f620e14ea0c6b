import type { Flow } from '#shared/flow.ts';
import type { Session } from '../commands/command.ts';
import { NOTHING_STALE, type Stale } from '../model/drawing/marks.ts';
import { staleNodes } from '../model/drawing/stale.ts';
import { loadAsRan, type Versions } from '../state/as-ran.ts';
import { drawnPast } from '../state/drawn.ts';

/** Maintains the marks of outdated results: the flow that the run on the canvas executed is compared with the drawn one. */
export function watchStale(
  { editor, runs }: Pick<Session, 'editor' | 'runs'>,
  versions: Versions,
): () => void {
  /** The flow that runs of this version executed; undefined while that is not known. */
  let ran: { readonly version: string; readonly flow: Flow | undefined } | undefined;

  const mark = (): void => {
    const { doc, catalog } = editor.getState();
    const state = runs.getState();
    const isKnown = ran?.flow !== undefined && state.shown?.version === ran.version;
    const stale =
      isKnown && !drawnPast(state) ? staleNodes(ran?.flow as Flow, doc.flow, catalog) : NOTHING_STALE;
    if (!isSame(stale, state.stale)) runs.setState({ stale });
  };

  const look = async (): Promise<void> => {
    const { shown } = runs.getState();
    if (shown?.version === undefined || shown.version === ran?.version) return;
    const { version, id } = shown;
    ran = { version, flow: undefined };
    const today = editor.getState().doc;
    const found = await loadAsRan(versions, () => today, { id, version }).catch(() => null);
    if (ran.version !== version || found === null) return;
    ran = { version, flow: found === undefined ? today.flow : found.doc?.flow };
    mark();
  };

  const stops = [
    editor.subscribe((state, before) => {
      if (state.doc.flow !== before.doc.flow) mark();
    }),
    runs.subscribe((state, before) => {
      if (state.shown?.version !== before.shown?.version) void look();
      const isOther =
        state.shown?.id !== before.shown?.id ||
        state.asRan !== before.asRan ||
        state.version !== before.version ||
        state.follow !== before.follow;
      if (isOther) mark();
    }),
  ];
  void look();
  return () => {
    for (const stop of stops) stop();
  };
}

function isSame(a: Stale, b: Stale): boolean {
  const ids = Object.keys(a);
  return a === b || (ids.length === Object.keys(b).length && ids.every((id) => a[id] === b[id]));
}
