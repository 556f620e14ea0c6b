import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { ApiError } from '../api/client.ts';
import type { Doc } from '../model/document/document.ts';
import { createEditorStore, type EditorStore } from './editor-store.ts';
import { createSaver, type Saver } from './save.ts';
import { docOf } from './saved-doc.ts';
import { createSyncStore, type SyncStore } from './sync-store.ts';
import { FlowServer } from './testing/flow-server.ts';

const flow = (name: string): Flow => ({
  format: 1,
  id: 'f',
  name,
  nodes: { a: { operator: 'x' } },
  edges: [],
});

let server: FlowServer;
let editor: EditorStore;
let sync: SyncStore;
let saver: Saver;
let told: string[];

beforeEach(() => {
  server = new FlowServer();
  server.put('f', flow('One'));
  editor = createEditorStore();
  editor.getState().load(docOf(server.detail('f')), '1');
  sync = createSyncStore(server.detail('f'));
  told = [];
  saver = createSaver({
    id: 'f',
    editor,
    sync,
    api: server.api,
    onError: (error) => told.push(error instanceof Error ? error.message : String(error)),
    onSaved: ({ revision }) => told.push(`saved ${revision}`),
    onConflict: () => told.push('conflict'),
    onMerged: () => told.push('merged'),
    onFollowed: () => told.push('followed'),
    onKept: (places) => told.push(`kept ${places.join()}`),
  });
});

const rename = (name: string): void =>
  editor.getState().commit('Rename', (draft) => {
    draft.flow.name = name;
  });
const move = (): void =>
  editor.getState().commit('Move', (draft) => {
    draft.layout.nodes['a'] = { x: 10, y: 20 };
  });
const nameOf = (doc: Doc): string | undefined => doc.flow.name;
const onServer = (id = 'f'): string | undefined => server.detail(id).flow?.name;

describe('saving', () => {
  test('an edit of the flow saves the flow alone', async () => {
    rename('Two');
    expect(await saver.save()).toBe(true);
    expect(server.calls).toEqual(['save f']);
    expect(editor.getState()).toMatchObject({ saveState: 'saved', revision: '2' });
    expect(sync.getState().record.revision).toBe('2');
  });

  test('a move saves the layout alone, and the revision stays', async () => {
    move();
    await saver.save();
    expect(server.calls).toEqual(['layout f']);
    expect(editor.getState()).toMatchObject({ saveState: 'saved', revision: '1' });
    expect(server.detail('f').layout?.nodes['a']).toEqual({ x: 10, y: 20 });
  });

  test('places that were changed elsewhere are kept, come here, and can be taken back', async () => {
    const file = server.files.get('f');
    if (file) file.layout = { format: 1, nodes: { a: { x: 0, y: 0 }, b: { x: 7, y: 7 } } };
    move();
    expect(await saver.save()).toBe(true);
    const both = { a: { x: 10, y: 20 }, b: { x: 7, y: 7 } };
    expect(server.detail('f').layout?.nodes).toEqual(both);
    expect(editor.getState().doc.layout.nodes).toEqual(both);
    expect(editor.getState().saveState).toBe('saved');
    expect(told).toEqual(['merged']);
    editor.getState().undo();
    expect(editor.getState().saveState).toBe('unsaved');
  });

  test('what is moved while places are brought together stays, unsaved', async () => {
    const file = server.files.get('f');
    if (file) file.layout = { format: 1, nodes: { b: { x: 7, y: 7 } } };
    move();
    server.meanwhile = () =>
      editor.getState().commit('Move', (draft) => {
        draft.layout.nodes['a'] = { x: 50, y: 60 };
      });
    await saver.save();
    expect(editor.getState().doc.layout.nodes).toMatchObject({ a: { x: 50, y: 60 }, b: { x: 7, y: 7 } });
    expect(editor.getState().saveState).toBe('unsaved');
  });

  test('an edit that was taken back is nothing to save', async () => {
    rename('Two');
    editor.getState().undo();
    await saver.save();
    expect(server.calls).toEqual([]);
    expect(editor.getState().saveState).toBe('saved');
  });

  test('edits made while a save is under way stay unsaved, and the next save takes them', async () => {
    rename('Two');
    server.meanwhile = () => rename('Three');
    await saver.save();
    server.meanwhile = undefined;
    expect(onServer()).toBe('Two');
    expect(editor.getState().saveState).toBe('unsaved');
    await saver.save();
    expect([onServer(), editor.getState().saveState]).toEqual(['Three', 'saved']);
  });

  test('two saves at once are made one after the other', async () => {
    rename('Two');
    await Promise.all([saver.save(), saver.save()]);
    expect(server.calls).toEqual(['save f']);
    expect(told).toEqual(['saved 2']);
  });

  test('a failed save keeps the edits and says so', async () => {
    rename('Two');
    server.fails = new ApiError('storage_failed', 'The disk is full.', 503);
    expect(await saver.save()).toBe(false);
    expect(told).toEqual(['The disk is full.']);
    expect([editor.getState().saveState, nameOf(editor.getState().doc)]).toEqual(['failed', 'Two']);
    server.fails = undefined;
    expect(await saver.save()).toBe(true);
    expect(onServer()).toBe('Two');
  });

  test('a failed save of a move keeps the move', async () => {
    move();
    server.fails = new ApiError('offline', 'away', 0);
    expect(await saver.save()).toBe(false);
    expect(editor.getState().saveState).toBe('failed');
  });

  test('publishing saves first', async () => {
    rename('Two');
    await saver.publish();
    expect(server.calls).toEqual(['save f', 'publish f']);
  });
});

describe('a flow that was changed elsewhere', () => {
  beforeEach(async () => {
    server.put('f', flow('Theirs'));
    rename('Mine');
    await saver.save();
  });

  test('is not written over: the save becomes a conflict', () => {
    expect(onServer()).toBe('Theirs');
    expect(editor.getState().saveState).toBe('conflict');
    expect(sync.getState().conflict?.flow?.name).toBe('Theirs');
    expect(told).toEqual(['conflict']);
  });

  test('choosing for each field settles it and saves', async () => {
    expect(await saver.merge(() => 'theirs')).toBe(true);
    expect([onServer(), nameOf(editor.getState().doc), editor.getState().saveState]).toEqual([
      'Theirs',
      'Theirs',
      'saved',
    ]);
  });

  test('keeping mine writes over it', async () => {
    expect(await saver.keepMine()).toBe(true);
    expect([onServer(), editor.getState().saveState]).toEqual(['Mine', 'saved']);
    expect(sync.getState().conflict).toBeUndefined();
  });

  test('taking theirs is a step that undo takes back', () => {
    saver.takeTheirs();
    expect([nameOf(editor.getState().doc), editor.getState().saveState]).toEqual(['Theirs', 'saved']);
    expect(editor.getState().revision).toBe('2');
    editor.getState().undo();
    expect([nameOf(editor.getState().doc), editor.getState().saveState]).toEqual(['Mine', 'unsaved']);
  });

  test('a third change after the choice is a conflict again', async () => {
    server.put('f', flow('Third'));
    expect(await saver.keepMine()).toBe(false);
    expect([onServer(), editor.getState().saveState]).toEqual(['Third', 'conflict']);
  });

  test('mine can be saved as a copy, and theirs stays', async () => {
    expect(await saver.saveAs('g')).toBe(true);
    expect([onServer('f'), onServer('g')]).toEqual(['Theirs', 'Mine']);
    expect(server.detail('g').flow?.id).toBe('g');
    expect(editor.getState().saveState).toBe('saved');
  });

  test('a copy whose id is taken is refused and changes nothing', async () => {
    server.put('g', { ...flow('Other'), id: 'g' });
    expect(await saver.saveAs('g')).toBe(false);
    expect(onServer('g')).toBe('Other');
    expect(nameOf(editor.getState().doc)).toBe('Mine');
  });
});

test('a save takes over what was changed elsewhere and touches nothing of it', async () => {
  server.put('f', { ...flow('One'), nodes: { a: { operator: 'x' }, b: { operator: 'y' } } });
  rename('Mine');
  expect(await saver.save()).toBe(true);
  expect(server.detail('f').flow).toMatchObject({ name: 'Mine', nodes: { b: { operator: 'y' } } });
  expect(told).toEqual(['followed', 'saved 3']);
});

describe('looking at the server', () => {
  test('without edits here a change of others is taken over, as a step', async () => {
    server.put('f', flow('Theirs'));
    await saver.look();
    expect([nameOf(editor.getState().doc), sync.getState().outside, told]).toEqual([
      'Theirs',
      undefined,
      ['followed'],
    ]);
    expect(editor.getState()).toMatchObject({ saveState: 'saved', revision: '2' });
    editor.getState().undo();
    expect([nameOf(editor.getState().doc), editor.getState().saveState]).toEqual(['One', 'unsaved']);
  });

  test('places that were changed elsewhere alone are taken over too', async () => {
    const file = server.files.get('f');
    if (file) file.layout = { format: 1, nodes: { a: { x: 70, y: 70 } } };
    await saver.look();
    expect(editor.getState().doc.layout.nodes['a']).toEqual({ x: 70, y: 70 });
    expect(editor.getState().saveState).toBe('saved');
  });

  test('edits here that touch nothing of it stay, unsaved, and are saved with it', async () => {
    server.put('f', { ...flow('One'), nodes: { a: { operator: 'x', name: 'Theirs' } } });
    rename('Mine');
    await saver.look();
    expect(editor.getState()).toMatchObject({ saveState: 'unsaved', revision: '2' });
    expect(sync.getState().outside).toBeUndefined();
    expect(await saver.save()).toBe(true);
    expect(server.detail('f').flow).toMatchObject({ name: 'Mine', nodes: { a: { name: 'Theirs' } } });
  });

  test('edits here that touch it are left as they are until somebody chooses, field by field', async () => {
    server.put('f', { ...flow('Theirs'), description: 'Theirs' });
    rename('Mine');
    await saver.look();
    expect(sync.getState().outside).toMatchObject({ revision: '2' });
    expect(editor.getState()).toMatchObject({ saveState: 'unsaved', revision: '1' });
    const asked: (string | undefined)[] = [];
    await saver.merge(({ field }) => {
      asked.push(field);
      return 'mine';
    });
    expect(asked).toEqual(['name']);
    expect(editor.getState().doc.flow).toMatchObject({ name: 'Mine', description: 'Theirs' });
    expect(editor.getState()).toMatchObject({ saveState: 'unsaved', revision: '2' });
    expect(sync.getState().outside).toBeUndefined();
  });

  test('a file that is no flow any more is told, and taken over by nobody', async () => {
    const { flow: _flow, ...broken } = server.detail('f');
    vi.spyOn(server.api, 'getFlow').mockResolvedValue({ ...broken, revision: '2' });
    await saver.look();
    expect([nameOf(editor.getState().doc), sync.getState().outside]).toMatchObject([
      'One',
      { revision: '2' },
    ]);
  });

  test('edits put back that were made on an older state are merged with nothing', async () => {
    server.put('f', { ...flow('One'), description: 'Theirs' });
    sync.setState({ knowsBase: false });
    rename('Mine');
    expect(await saver.save()).toBe(false);
    expect(editor.getState().saveState).toBe('conflict');
    expect(await saver.keepMine()).toBe(true);
    expect(sync.getState().knowsBase).toBe(true);
  });

  test('nothing new is nothing to tell', async () => {
    await saver.look();
    expect([sync.getState().outside, told]).toEqual([undefined, []]);
  });

  test('a removed flow can be saved again', async () => {
    server.files.delete('f');
    rename('Two');
    await saver.look();
    expect(sync.getState().outside).toBe('removed');
    expect(await saver.save()).toBe(false);
    expect(nameOf(editor.getState().doc)).toBe('Two');
    expect(await saver.saveAs('f')).toBe(true);
    expect([onServer(), sync.getState().outside, editor.getState().saveState]).toEqual([
      'Two',
      undefined,
      'saved',
    ]);
  });
});

describe('what is live', () => {
  const asDraft = (draft: Flow, live: Flow): void => {
    server.versions.set('v1', flow('One')).set('v2', live);
    server.live = 'v2';
    server.put('f', draft);
    const file = server.files.get('f');
    if (file) file.draft = 'v1';
  };

  test('a live version that came after the draft was begun is taken into it, node by node', async () => {
    asDraft({ ...flow('Mine') }, { ...flow('One'), nodes: { a: { operator: 'x', name: 'Theirs' } } });
    await saver.look();
    expect(editor.getState().doc.flow).toMatchObject({ name: 'Mine', nodes: { a: { name: 'Theirs' } } });
    expect(server.calls).toEqual(['save f on v2']);
    expect(told).toContain('followed');
    await saver.look();
    expect(server.calls).toHaveLength(1);
  });

  test('what both have changed stays as the draft has it, and is told', async () => {
    asDraft({ ...flow('Mine') }, { ...flow('Theirs'), description: 'new' });
    await saver.look();
    expect(editor.getState().doc.flow).toMatchObject({ name: 'Mine', description: 'new' });
    expect(told).toContain('kept f');
  });

  test('a version that is not stored any more is told', async () => {
    asDraft(flow('Mine'), flow('Theirs'));
    server.versions.delete('v1');
    await saver.look();
    expect(told).toContain('kept the flow');
    expect(onServer()).toBe('Mine');
  });

  test('a roll back makes the version live, and keeps the edits as the draft', async () => {
    server.versions.set('v1', flow('Old'));
    rename('Mine');
    expect(await saver.rollBack('v1')).toBe(true);
    expect(server.calls).toEqual(['save f', 'restore v1', 'save f on v1']);
    expect([onServer(), nameOf(editor.getState().doc), editor.getState().saveState]).toEqual([
      'Mine',
      'Mine',
      'saved',
    ]);
  });
});
