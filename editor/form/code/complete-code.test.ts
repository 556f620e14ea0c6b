import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import type { Source } from '../../model/expression/source.ts';
import type { ScopeSource } from '../form-model.ts';
import { codeSuggestions } from './complete-code.ts';

/** The labels that are suggested at the end of a text, and where they begin. */
function suggested(doc: string, isAsked = false) {
  const state = EditorState.create({ doc });
  const result = codeSuggestions(new CompletionContext(state, doc.length, isAsked));
  return result && { from: result.from, labels: result.options.map(({ label }) => label) };
}

test.each([
  ['return ctx.', 'newFile()', 11],
  ['return ctx.st', 'state', 11],
  ['await ctx.state.', 'add()', 16],
  ['await crypto.subtle.s', 'sign()', 20],
  ['Buffer.f', 'from()', 7],
  ['const u = new UR', 'URLSearchParams', 14],
])('%s suggests %s', (text, label, from) => {
  expect(suggested(text)).toMatchObject({ from, labels: expect.arrayContaining([label]) as unknown });
});

test('the fields that the input had in the last run are suggested, with their values', () => {
  const value = { customer: { name: 'Ada', 'odd name': 1 }, items: [{ price: 2 }] };
  const input = { value } as Source;
  const reads = { current: () => new Map([['input', input]]) } as unknown as ScopeSource;
  const at = (doc: string) => {
    const context = new CompletionContext(EditorState.create({ doc }), doc.length, false);
    const found = codeSuggestions(context, reads);
    return found && [found.from, ...found.options.map(({ label, detail }) => `${label} ${detail}`)];
  };
  expect(at('return input.')).toEqual([13, 'customer { name, odd name }', 'items [1]']);
  expect(at('x = 1;\nreturn input.customer?.na')).toEqual([30, 'name "Ada"']);
  expect(at('input.items[0].')).toEqual([15, 'price 2']);
  expect(at('my.input.')).toBeNull();
});

test('nothing is suggested for other objects, nor where nothing was begun', () => {
  expect(suggested('input.')).toBeNull();
  expect(suggested('a.ctx.')).toBeNull();
  expect(suggested('return ')).toBeNull();
  expect(suggested('return input')).toBeNull();
  expect(suggested('return ', true)?.labels).toContain('ctx');
});
