import { describe, expect, test } from 'vitest';
import type { Command } from './command.ts';
import { commands } from './index.ts';
import { ariaKeys, type KeyPress, keyNames, matchesKeys } from '../ui/keys.ts';
import { commandForKeys } from './shortcuts.ts';

function press(key: string, held: Partial<KeyPress> = {}): KeyPress {
  return { key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held };
}

describe('matching keys', () => {
  test('Mod is Control on a PC and Command on a Mac', () => {
    expect(matchesKeys('Mod+S', press('s', { ctrlKey: true }), false)).toBe(true);
    expect(matchesKeys('Mod+S', press('s', { metaKey: true }), false)).toBe(false);
    expect(matchesKeys('Mod+S', press('s', { metaKey: true }), true)).toBe(true);
    expect(matchesKeys('Mod+S', press('s', { ctrlKey: true }), true)).toBe(false);
  });

  test('a further modifier makes it another combination', () => {
    expect(matchesKeys('Mod+Z', press('Z', { ctrlKey: true, shiftKey: true }), false)).toBe(false);
    expect(matchesKeys('Mod+Shift+Z', press('Z', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(matchesKeys('N', press('n', { altKey: true }), false)).toBe(false);
    expect(matchesKeys('N', press('N', { shiftKey: true }), false)).toBe(false);
  });

  test('signs are matched whether or not the keyboard needs Shift for them', () => {
    expect(matchesKeys('?', press('?', { shiftKey: true }), false)).toBe(true);
    expect(matchesKeys('?', press('?'), false)).toBe(true);
    expect(matchesKeys('+', press('+', { shiftKey: true }), false)).toBe(true);
    expect(matchesKeys('1', press('1', { shiftKey: true }), false)).toBe(false);
  });

  test('the space bar has a name', () => {
    expect(matchesKeys('Space', press(' '), false)).toBe(true);
  });
});

describe('naming keys', () => {
  test('they are named as on the keyboard in use', () => {
    expect(keyNames('Mod+Shift+Z', false)).toEqual(['Ctrl', 'Shift', 'Z']);
    expect(keyNames('Mod+Shift+Z', true)).toEqual(['⌘', '⇧', 'Z']);
    expect(keyNames('Alt+ArrowLeft', false)).toEqual(['Alt', '←']);
    expect(keyNames('+', false)).toEqual(['+']);
  });

  test('assistive technology gets the names of its standard', () => {
    expect(ariaKeys(['Mod+Z', 'Ctrl+Y'], false)).toBe('Control+Z Control+Y');
    expect(ariaKeys(['Mod+K'], true)).toBe('Meta+K');
    expect(ariaKeys(undefined)).toBeUndefined();
  });
});

describe('finding the command', () => {
  const command = (id: string, keys: string[]): Command => ({
    id,
    label: id,
    group: 'Edit',
    keys,
    run: () => undefined,
  });
  const some = [
    command('save', ['Mod+S']),
    command('delete', ['Delete']),
    command('picker', ['N']),
    command('copy', ['Mod+C']),
  ];

  test('on the canvas every key counts', () => {
    expect(commandForKeys(some, press('n'), 'canvas', false)?.id).toBe('picker');
    expect(commandForKeys(some, press('Delete'), 'canvas', false)?.id).toBe('delete');
  });

  test('a focused button keeps the keys by which it is worked', () => {
    expect(commandForKeys(some, press('Delete'), 'control', false)).toBeUndefined();
    expect(commandForKeys(some, press('n'), 'control', false)?.id).toBe('picker');
  });

  test('a field into which nothing was typed yet leaves undo to the flow', () => {
    const undo = command('undo', ['Mod+Z']);
    expect(commandForKeys([undo], press('z', { ctrlKey: true }), 'untouched', false)?.id).toBe('undo');
    expect(commandForKeys([undo], press('z', { ctrlKey: true }), 'field', false)).toBeUndefined();
    expect(commandForKeys(some, press('n'), 'untouched', false)).toBeUndefined();
  });

  test('a text field keeps everything but saving', () => {
    expect(commandForKeys(some, press('n'), 'taken', false)).toBeUndefined();
    expect(commandForKeys(some, press('c', { ctrlKey: true }), 'taken', false)).toBeUndefined();
    expect(commandForKeys(some, press('s', { ctrlKey: true }), 'taken', false)?.id).toBe('save');
  });

  test('the flow runs from a field too, but not from behind a dialog', () => {
    const keys = press('Enter', { ctrlKey: true });
    expect(commandForKeys(commands, keys, 'field', false)?.id).toBe('run');
    expect(commandForKeys(commands, keys, 'taken', false)).toBeUndefined();
  });
});

describe('the commands of the editor', () => {
  test('each has an id of its own', () => {
    const ids = commands.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  test.each([true, false])('no two share a combination of keys (on a Mac: %s)', (mac) => {
    const spelled = (keys: string): string =>
      keys
        .replace('Mod', mac ? 'Meta' : 'Ctrl')
        .split('+')
        .sort()
        .join('+')
        .toLowerCase();
    const all = commands.flatMap(({ id, keys = [] }) => keys.map((k) => ({ id, keys: spelled(k) })));
    const clashes = all.filter((a, i) => all.some((b, j) => j < i && a.keys === b.keys && a.id !== b.id));
    expect(clashes).toEqual([]);
  });

  test('none takes a combination that browsers do not give away', () => {
    const reserved = ['Mod+T', 'Mod+W', 'Mod+N', 'Mod+Shift+N', 'Mod+Shift+T', 'Mod+Q'];
    expect(commands.flatMap(({ keys = [] }) => keys).filter((keys) => reserved.includes(keys))).toEqual([]);
  });
});
