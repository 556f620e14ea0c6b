import { beforeEach, expect, test } from 'vitest';
import type { FlowDetail } from '#shared/api.ts';
import { autosave } from './autosave.ts';
import { createEditorStore, type EditorStore } from './editor-store.ts';
import { createSyncStore, type SyncStore } from './sync-store.ts';

let editor: EditorStore;
let sync: SyncStore;
let saves: number;
let isOn: boolean;
/** Timers run only when a test says so. */
let timers: (() => void)[];
let stop: () => void;

beforeEach(() => {
  editor = createEditorStore();
  editor
    .getState()
    .load({ flow: { format: 1, id: 'f', nodes: {}, edges: [] }, layout: { format: 1, nodes: {} } }, '1');
  sync = createSyncStore({ readOnly: false } as FlowDetail);
  saves = 0;
  isOn = true;
  timers = [];
  stop = autosave({
    editor,
    sync,
    isOn: () => isOn,
    save: () => {
      saves++;
      editor.getState().markSaved(editor.getState().doc, '2');
    },
    later(_ms, work) {
      timers.push(work);
      return () => void timers.splice(timers.indexOf(work), 1);
    },
  });
});

const edit = (name: string): void =>
  editor.getState().commit('Rename', (draft) => {
    draft.flow.name = name;
  });
const pause = (): void => {
  for (const work of timers.splice(0)) work();
};

test('edits are saved once, when somebody pauses', () => {
  edit('One');
  edit('Two');
  expect([saves, timers.length]).toEqual([0, 1]);
  pause();
  expect([saves, editor.getState().saveState]).toEqual([1, 'saved']);
  pause();
  expect(saves).toBe(1);
});

test.each([
  ['a conflict', { conflict: {} as FlowDetail }, { conflict: undefined }],
  ['a change from elsewhere', { outside: {} as FlowDetail }, { outside: undefined }],
  ['restored edits', { restoredFrom: 1 }, { restoredFrom: undefined }],
])('nothing is saved before somebody has decided about %s', (_, open, decided) => {
  sync.setState(open);
  edit('One');
  pause();
  expect(saves).toBe(0);
  sync.setState(decided);
  pause();
  expect(saves).toBe(1);
});

test('nothing is saved once somebody has turned it off', () => {
  isOn = false;
  edit('One');
  pause();
  expect([saves, editor.getState().saveState]).toEqual([0, 'unsaved']);
});

test('nothing is saved where flows cannot be changed, nor after it was stopped', () => {
  sync.setState({ record: { readOnly: true } as FlowDetail });
  edit('One');
  pause();
  sync.setState({ record: { readOnly: false } as FlowDetail });
  stop();
  edit('Two');
  pause();
  expect(saves).toBe(0);
});
