import { expect, test, vi } from 'vitest';
import { sessionOf } from '../commands/testing/session.ts';
import { docOf } from '../model/testing/docs.ts';
import type { SaverDeps } from '../state/save.ts';
import { laterSaver } from './later-saver.ts';

test('without its code nothing is saved, which somebody who saves is told, not whoever only looks on', async () => {
  const { editor } = sessionOf(docOf({ a: 'core.log' }));
  const onError = vi.fn();
  const saver = laterSaver({ editor, onError } as unknown as SaverDeps, () =>
    Promise.reject(new Error('The network is away.')),
  );
  editor.getState().commit('Rename', (draft) => void (draft.flow.name = 'Mine'));
  await saver.look();
  expect(onError).not.toHaveBeenCalled();
  expect(editor.getState().saveState).toBe('unsaved');
  expect(await saver.save()).toBe(false);
  expect(onError).toHaveBeenCalledTimes(1);
  expect(editor.getState().saveState).toBe('failed');
  expect(editor.getState().doc.flow.name).toBe('Mine');
});
