import { beforeEach, expect, test } from 'vitest';
import { type DraftStorage, createDraftKeeper, readDraft, writeDraft } from './drafts.ts';
import { createEditorStore, type EditorStore } from './editor-store.ts';

function memory(): DraftStorage & { size(): number } {
  const map = new Map<string, string>();
  return {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
    size: () => map.size,
  };
}

const doc = {
  flow: { format: 1 as const, id: 'f', nodes: {}, edges: [] },
  layout: { format: 1 as const, nodes: {} },
};
let editor: EditorStore;

beforeEach(() => {
  editor = createEditorStore();
  editor.getState().load(doc, '7');
});

const rename = (name: string): void =>
  editor.getState().commit('Rename', (draft) => {
    draft.flow.name = name;
  });

test('unsaved edits are kept with what they are based on, and come back', () => {
  const storage = memory();
  const { keep } = createDraftKeeper({ flow: 'f', tab: 't', editor, storage, now: () => 42 });
  rename('Two');
  keep();
  expect(readDraft(storage, 'f')).toEqual({
    at: 42,
    tab: 't',
    revision: '7',
    doc: { ...doc, flow: { ...doc.flow, name: 'Two' } },
  });
});

test('saving removes them', () => {
  const storage = memory();
  const { keep } = createDraftKeeper({ flow: 'f', tab: 't', editor, storage });
  rename('Two');
  keep();
  editor.getState().markSaved(editor.getState().doc, '8');
  rename('Three');
  editor.getState().undo();
  keep();
  expect(storage.size()).toBe(0);
});

test('an edit that was taken back counts as saved again', () => {
  const { keep } = createDraftKeeper({ flow: 'f', tab: 't', editor, storage: memory() });
  rename('Two');
  editor.getState().undo();
  expect(editor.getState().saveState).toBe('unsaved');
  keep();
  expect(editor.getState().saveState).toBe('saved');
});

test('what another tab has written stays', () => {
  const storage = memory();
  writeDraft(storage, 'f', { at: 1, tab: 'other', doc });
  createDraftKeeper({ flow: 'f', tab: 't', editor, storage }).keep();
  expect(readDraft(storage, 'f')?.tab).toBe('other');
});

test('a full storage, and a browser without one, keep nothing and break nothing', () => {
  const full: DraftStorage = {
    ...memory(),
    setItem: () => {
      throw new Error('quota');
    },
  };
  expect(writeDraft(full, 'f', { at: 1, tab: 't', doc })).toBe(false);
  expect(writeDraft(undefined, 'f', { at: 1, tab: 't', doc })).toBe(false);
  expect(readDraft(undefined, 'f')).toBeUndefined();
});

test.each([
  '',
  '{',
  '{"at":1}',
  JSON.stringify({ at: 1, tab: 't', doc: { ...doc, flow: { ...doc.flow, id: 'g' } } }),
])('what is no draft of this flow is none: %s', (text) => {
  const storage = memory();
  storage.setItem('weft.draft.f', text);
  expect(readDraft(storage, 'f')).toBeUndefined();
});
