import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
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

test('nothing is suggested for other objects, nor where nothing was begun', () => {
  expect(suggested('input.')).toBeNull();
  expect(suggested('a.ctx.')).toBeNull();
  expect(suggested('return ')).toBeNull();
  expect(suggested('return input')).toBeNull();
  expect(suggested('return ', true)?.labels).toContain('ctx');
});
