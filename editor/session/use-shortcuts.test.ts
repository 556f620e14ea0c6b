import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { commands } from '../commands/index.ts';
import { sessionOf } from '../commands/testing/session.ts';
import { docOf } from '../model/testing/docs.ts';
import { onEarlyKey } from './use-shortcuts.ts';

beforeEach(() => void vi.stubGlobal('Element', class {}));
afterEach(() => void vi.unstubAllGlobals());

const NOTHING_HELD = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
const keyOf = (key: string) =>
  ({
    ...NOTHING_HELD,
    key,
    code: '',
    target: null,
    preventDefault: () => undefined,
  }) as unknown as KeyboardEvent;

test('letters after the key that opens the picker are typed into it, not taken for commands', async () => {
  const session = sessionOf(docOf({ a: 'text.template', b: 'core.log' }));
  session.editor.getState().select(['a']);
  const { doc } = session.editor.getState();
  for (const key of ['n', 'd', 'x', 'Delete', 'Enter']) await onEarlyKey(session, commands, keyOf(key));
  expect(session.ui.getState().overlay).toMatchObject({ kind: 'picker', typed: 'dx', isEntered: true });
  expect(session.editor.getState().doc).toBe(doc);
});
