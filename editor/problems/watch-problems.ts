import type { Session } from '../commands/command.ts';
import { type CheckWorker, openCheckWorker } from './check-in-worker.ts';

const PAUSE_MS = 150;
/** Up to here a check takes a few milliseconds; larger flows are checked in a worker. */
const LARGE = 500;

/** Checks the flow after each change of it, of the catalog or of the world. Gives a function that ends it. */
export function watchProblems({ editor }: Pick<Session, 'editor'>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let worker: CheckWorker | undefined;

  function checkNow(): void {
    const { doc, catalog, world, refreshProblems } = editor.getState();
    if (Object.keys(doc.flow.nodes).length <= LARGE) return refreshProblems();
    worker ??= openCheckWorker();
    worker.check({ flow: doc.flow, catalog, world }).then(
      (problems) => {
        // What has changed meanwhile has its own check under way.
        if (editor.getState().doc.flow === doc.flow) editor.setState({ problems });
      },
      () => refreshProblems(),
    );
  }

  const stop = editor.subscribe((state, before) => {
    const isSame =
      state.doc.flow === before.doc.flow && state.catalog === before.catalog && state.world === before.world;
    if (isSame) return;
    clearTimeout(timer);
    timer = setTimeout(checkNow, PAUSE_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
    worker?.close();
  };
}
