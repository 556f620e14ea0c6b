import { expect, test } from 'vitest';
import type * as Index from '../commands/index.ts';
import type { Session } from '../commands/command.ts';
import { sessionOf } from '../commands/testing/session.ts';
import { docOf } from '../model/testing/docs.ts';
import { createEarlyKeys } from './early-keys.ts';
import { eventually } from '../../tests/support/eventually.ts';

const keyOf = (key: string) => ({ key, target: null }) as unknown as KeyboardEvent;

function stage() {
  const toasts: string[] = [];
  const actions = { toast: (text: string) => toasts.push(text) } as unknown as Session['actions'];
  const session = { ...sessionOf(docOf({ a: 'text.template', b: 'core.log' })), actions };
  const { editor } = session;
  const pressed: string[] = [];
  const slow = Promise.withResolvers<void>();
  const index = Promise.withResolvers<typeof Index>();
  const keys = createEarlyKeys(session, {
    onKey: async (_, __, { key }) => {
      pressed.push(`${key} ${[...editor.getState().selectedNodes].join()}`);
      if (key === 'all') editor.getState().select(['a', 'b']);
      if (key === 'slow') await slow.promise;
      if (key === 'away') throw new Error('away');
    },
    isAsked: () => true,
    load: () => index.promise,
  });
  const { select } = editor.getState();
  return { toasts, keys, pressed, index, slow, select, selected: () => [...editor.getState().selectedNodes] };
}

test('a key that waits for the commands acts on what was selected when it was pressed', async () => {
  const { keys, pressed, index, select, selected } = stage();
  select(['a']);
  keys.press(keyOf('Delete'));
  select(['b']);
  keys.press(keyOf('d'));
  keys.press(keyOf('all'));
  keys.press(keyOf('x'));
  index.resolve({ commands: [] } as unknown as typeof Index);
  await eventually(() => expect(pressed).toEqual(['Delete a', 'd b', 'all b', 'x a,b']));
  expect(selected()).toEqual(['a', 'b']);
});

test('what was selected after the last key stays selected', async () => {
  const { keys, pressed, index, select, selected } = stage();
  select(['a']);
  keys.press(keyOf('all'));
  select(['b']);
  index.resolve({ commands: [] } as unknown as typeof Index);
  await eventually(() => expect(pressed).toEqual(['all a']));
  await eventually(() => expect(selected()).toEqual(['b']));
});

test('keys whose commands could not be loaded have no effect later, and that is said', async () => {
  const { toasts, keys, pressed, index, select } = stage();
  select(['a']);
  keys.press(keyOf('Delete'));
  index.reject(new Error('away'));
  await eventually(() => expect(toasts).toHaveLength(1));
  expect(pressed).toEqual([]);
});

test('a click while a slow command is carried out ends the keys before it, and its selection stays', async () => {
  const { keys, pressed, index, slow, select, selected } = stage();
  select(['a']);
  keys.press(keyOf('slow'));
  keys.click();
  select(['b']);
  keys.press(keyOf('d'));
  index.resolve({ commands: [] } as unknown as typeof Index);
  await eventually(() => expect(pressed).toEqual(['slow a']));
  keys.click();
  select([]);
  slow.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  expect(pressed).toEqual(['slow a']);
  expect(selected()).toEqual([]);
});

test('a key whose own code could not be loaded leaves the others', async () => {
  const { toasts, keys, pressed, index } = stage();
  for (const key of ['away', 'd']) keys.press(keyOf(key));
  index.resolve({ commands: [] } as unknown as typeof Index);
  await eventually(() => expect(pressed).toEqual(['away ', 'd ']));
  expect(toasts).toHaveLength(1);
});

test('keys of a screen that was left have no effect', async () => {
  const { keys, pressed, index, slow } = stage();
  for (const key of ['slow', 'd']) keys.press(keyOf(key));
  index.resolve({ commands: [] } as unknown as typeof Index);
  await eventually(() => expect(pressed).toEqual(['slow ']));
  keys.stop();
  slow.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  expect(pressed).toEqual(['slow ']);
});
