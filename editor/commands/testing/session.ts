import type { Doc } from '../../model/document/document.ts';
import { catalog } from '../../model/testing/catalog.ts';
import { createEditorStore } from '../../state/editor-store.ts';
import { createRunStore } from '../../state/run-store.ts';
import { createUiStore } from '../../state/ui-store.ts';
import type { Command, Session } from '../command.ts';

/** A session on real stores, without a server: commands that save or run do not work in it. */
export function sessionOf(doc: Doc): Session {
  let now = 0;
  const editor = createEditorStore(() => {
    now += 100;
    return now;
  });
  editor.getState().setCatalog(catalog, { routes: [], variables: undefined, secrets: undefined });
  editor.getState().load(doc, '1');
  const session: Pick<Session, 'editor' | 'runs' | 'ui'> = {
    editor,
    runs: createRunStore(),
    ui: createUiStore(undefined),
  };
  return session as Session;
}

export const steps = ({ editor }: Session): string[] =>
  editor.getState().history.past.map((step) => step.label);

export const selected = ({ editor }: Session): string[] => [...editor.getState().selectedNodes].sort();

/** Executes the command with this id, which must be one of these and enabled. */
export async function run(commands: readonly Command[], id: string, session: Session): Promise<void> {
  const command = commands.find((c) => c.id === id);
  if (!command) throw new Error(`There is no command ${id}.`);
  const enabled = command.enabled?.(session) ?? true;
  if (enabled !== true) throw new Error(enabled);
  await command.run(session);
}
