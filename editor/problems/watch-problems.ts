import type { Session } from '../commands/command.ts';

const PAUSE_MS = 150;

/** Checks the flow after each change of the flow, the catalog or the world. Returns a function that ends it. */
export function watchProblems({ editor, sync }: Pick<Session, 'editor' | 'sync'>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Problems that only the server can find, from the last save. */
  function takeTold(): void {
    const told = sync.getState().record.problems.filter(({ code }) => code === 'code-syntax');
    if (told.length === 0 && editor.getState().told.length === 0) return;
    editor.setState({ told });
    checkSoon();
  }

  function checkSoon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => editor.getState().refreshProblems(), PAUSE_MS);
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
  };
}
