import type { Session } from '../commands/command.ts';
import { type CheckWorker, openCheckWorker } from './check-in-worker.ts';

const PAUSE_MS = 150;
/** Up to this size a check takes a few milliseconds; larger flows are checked in a worker. */
const LARGE = 500;

/** Checks the flow after each change of the flow, the catalog or the world. Returns a function that ends it. */
export function watchProblems({ editor, sync }: Pick<Session, 'editor' | 'sync'>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let worker: CheckWorker | undefined;

  function checkNow(): void {
    const { doc, catalog, world, refreshProblems } = editor.getState();
    if (Object.keys(doc.flow.nodes).length <= LARGE) return refreshProblems();
    worker ??= openCheckWorker();
    worker.check({ flow: doc.flow, catalog, world }).then(
      (problems) => {
        // A newer change already has its own check.
        const now = editor.getState();
        if (now.doc.flow === doc.flow)
          editor.setState({ problems: [...problems, ...now.told], checked: doc.flow });
      },
      () => refreshProblems(),
    );
  }

  /** Problems that only the server can find, from the last save. */
  function takeTold(): void {
    const told = sync.getState().record.problems.filter(({ code }) => code === 'code-syntax');
    if (told.length === 0 && editor.getState().told.length === 0) return;
    editor.setState({ told });
    checkSoon();
  }

  function checkSoon(): void {
    clearTimeout(timer);
    timer = setTimeout(checkNow, PAUSE_MS);
  }

  takeTold();
  const stopSync = sync.subscribe(({ record }, before) => {
    if (record.problems !== before.record.problems) takeTold();
  });
  const stop = editor.subscribe((state, before) => {
    const isSame =
      state.doc.flow === before.doc.flow && state.catalog === before.catalog && state.world === before.world;
    if (!isSame) checkSoon();
  });
  return () => {
    stop();
    stopSync();
    clearTimeout(timer);
    worker?.close();
  };
}
