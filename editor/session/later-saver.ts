import { onceLoaded } from '../model/when-loaded.ts';
import type * as Save from '../state/save.ts';
import type { Saver, SaverDeps } from '../state/save.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';

async function loadSave(): Promise<typeof Save> {
  await afterFirstPicture();
  return import('../state/save.ts');
}

/**
 * The saver of a flow, whose code is loaded after the first picture: nothing is edited before. Calls keep their order. Without the
 * code, away like the server, nothing is saved, and the edits stay.
 */
export function laterSaver(
  deps: SaverDeps,
  loadCode: () => Promise<Pick<typeof Save, 'createSaver'>> = loadSave,
): Saver {
  const load = onceLoaded(async () => {
    const { createSaver } = await loadCode();
    return createSaver(deps);
  });
  const ask = async <T>(work: (saver: Saver) => Promise<T>, otherwise: T): Promise<T> => {
    let saver: Saver;
    try {
      saver = await load();
    } catch (error) {
      const { saveState, setSaveState } = deps.editor.getState();
      if (saveState === 'unsaved') setSaveState('failed');
      deps.onError(error);
      return otherwise;
    }
    return work(saver);
  };
  load().catch(() => undefined);
  return {
    save: () => ask((saver) => saver.save(), false),
    publish: () => ask((saver) => saver.publish(), false),
    rollBack: (version) => ask((saver) => saver.rollBack(version), false),
    discardDraft: () => ask((saver) => saver.discardDraft(), undefined),
    // It looks by itself, time and again, and nobody waits for it.
    look: async () => {
      const saver = await load().catch(() => undefined);
      await saver?.look();
    },
    merge: (choose) => ask((saver) => saver.merge(choose), false),
    keepMine: () => ask((saver) => saver.keepMine(), false),
    takeTheirs: () => void ask(async (saver) => saver.takeTheirs(), undefined),
    saveAs: (id) => ask((saver) => saver.saveAs(id), false),
  };
}
