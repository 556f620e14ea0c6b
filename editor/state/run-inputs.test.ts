import { expect, test } from 'vitest';
import { readInputs, rememberInput, removeExample, saveExample } from './run-inputs.ts';

function storage(content: Record<string, string> = {}) {
  const items = new Map(Object.entries(content));
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

const example = { name: 'One', trigger: 'hook', method: 'POST', input: '{"a":1}', headers: '' };

test('the last input is kept by flow and trigger, with the trigger that was run last', () => {
  const kept = storage();
  rememberInput('a', 'hook', '{"x":1}', kept);
  rememberInput('a', 'start', '{}', kept);
  expect(readInputs('a', kept)).toEqual({
    inputs: { hook: '{"x":1}', start: '{}' },
    trigger: 'start',
    examples: [],
  });
  expect(readInputs('b', kept)).toEqual({ inputs: {}, examples: [] });
});

test('an example of the same name and trigger is replaced, and can be removed', () => {
  const kept = storage();
  rememberInput('a', 'hook', '{}', kept);
  saveExample('a', example, kept);
  saveExample('a', { ...example, trigger: 'other' }, kept);
  expect(saveExample('a', { ...example, input: '{"a":2}' }, kept).map(({ input }) => input)).toEqual([
    '{"a":2}',
    '{"a":1}',
  ]);
  expect(removeExample('a', example, kept).map(({ trigger }) => trigger)).toEqual(['other']);
  expect(readInputs('a', kept).inputs).toEqual({ hook: '{}' });
});

test('a broken or full storage costs the memory, nothing else', () => {
  expect(readInputs('a', storage({ 'weft.inputs.a': '{broken' }))).toEqual({ inputs: {}, examples: [] });
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  };
  expect(() => rememberInput('a', 'hook', '{}', full)).not.toThrow();
});

test('a very large input is not kept', () => {
  const kept = storage();
  rememberInput('a', 'hook', 'x'.repeat(300_000), kept);
  expect(readInputs('a', kept).inputs).toEqual({});
});
