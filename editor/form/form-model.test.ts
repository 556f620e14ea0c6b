import { expect, test, vi } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { type FormModel, indexProblems, valueAt, withDefault, withValueAt } from './form-model.ts';
import { jsonText, parsedJson } from './json-text.ts';
import { shownDefault } from './shown-value.ts';

const problem = (field: string): Problem => ({ code: 'bad-param', severity: 'error', message: field, field });

test('problems are found at their field, and from a field that they lie in', () => {
  const index = indexProblems(
    ['params.request', 'params.request.properties.a', 'params.requests'].map(problem),
  );
  expect(index.at('params.request', false).map((p) => p.field)).toEqual(['params.request']);
  expect(index.at('params.request', true).map((p) => p.field)).toEqual([
    'params.request',
    'params.request.properties.a',
  ]);
  expect(index.at('params.other', true)).toEqual([]);
});

test('the same question gives the same list, so that nothing is drawn again', () => {
  const index = indexProblems([problem('a.b')]);
  expect(index.at('a', true)).toBe(index.at('a', true));
  expect(index.at('x', false)).toBe(index.at('y', true));
});

test('a value is read and replaced at a path, and its neighbours keep their place', () => {
  const data = { a: [{ b: 1 }, { b: 2 }], c: 3 };
  expect(valueAt(data, ['a', 1, 'b'])).toBe(2);
  expect(valueAt(data, ['a', 5, 'b'])).toBeUndefined();
  expect(valueAt(data, ['constructor'])).toBeUndefined();
  expect(JSON.stringify(withValueAt(data, ['a', 0, 'b'], 9))).toBe('{"a":[{"b":9},{"b":2}],"c":3}');
  expect(withValueAt(data, ['a', 0], undefined)).toEqual({ a: [{ b: 2 }], c: 3 });
  expect(withValueAt(undefined, ['x', 0], 1)).toEqual({ x: [1] });
});

function formOf(data: Record<string, unknown>) {
  const set = vi.fn<FormModel['set']>();
  const form: FormModel = {
    get: (path) => valueAt(data, path),
    subscribe: () => () => undefined,
    set,
    problemsAt: () => [],
    drafts: new Map(),
  };
  return { form, set };
}

test('a list without a value shows its default, and a change of one element writes the whole of it', () => {
  const { form, set } = formOf({});
  const inside = withDefault(form, ['inputs'], [{ name: 'a' }, { name: 'b' }]);
  expect(inside.get(['inputs', 1, 'name'])).toBe('b');
  inside.set(['inputs', 0, 'required'], false, 'Change');
  expect(set).toHaveBeenCalledWith(
    ['inputs'],
    [{ name: 'a', required: false }, { name: 'b' }],
    'Change',
    undefined,
  );
});

test('a list with a value hides its default, also where it has less', () => {
  const { form } = formOf({ inputs: [] });
  expect(withDefault(form, ['inputs'], [{ name: 'a' }]).get(['inputs', 0, 'name'])).toBeUndefined();
});

test('a JSON text is a value, nothing, or says where it breaks', () => {
  expect(parsedJson(jsonText({ a: [1] }))).toEqual({ value: { a: [1] } });
  expect(parsedJson('  ')).toEqual({ value: undefined });
  expect(parsedJson('{"a": }')).toMatchObject({ fault: expect.stringContaining('not valid JSON') });
});

test('defaults that could not be seen are made visible', () => {
  expect([undefined, '', '\n', 'GET', ['GET'], 5].map(shownDefault)).toEqual([
    '',
    '(empty)',
    '↵',
    'GET',
    '["GET"]',
    '5',
  ]);
});
