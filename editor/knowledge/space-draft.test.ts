import { expect, test } from 'vitest';
import type { KnowledgeSpace } from '#shared/knowledge.ts';
import { bodyOf, draftOf, faultsOf, splitsAnew } from './space-draft.ts';

const space = {
  id: '1',
  name: 'Tea',
  description: 'All about it',
  model: null,
  split: { by: 'separator', size: 500, overlap: 0, separator: '\n\t\\n' },
} as KnowledgeSpace;

test('the settings of a space are the same after they were shown', () => {
  const { name, description, model, split } = space;
  const body = bodyOf(draftOf(space, 'p/other'));
  expect(body).toEqual({ name, description, model, split });
  expect(splitsAnew(space, body)).toBe(false);
  expect(splitsAnew(space, bodyOf({ ...draftOf(space, ''), size: '400' }))).toBe(true);
});

test('a new space takes the default model', () => {
  expect(bodyOf(draftOf(undefined, 'p/embed'))).toMatchObject({
    model: 'p/embed',
    split: { by: 'headings' },
  });
  expect(bodyOf({ ...draftOf(undefined, 'p/embed'), model: '' }).model).toBeNull();
});

test('sizes that the server would refuse are named', () => {
  const draft = draftOf(undefined, '');
  expect(faultsOf(draft)).toEqual({});
  expect(Object.keys(faultsOf({ ...draft, size: '10' }))).toEqual(['size']);
  expect(Object.keys(faultsOf({ ...draft, size: '200', overlap: '101' }))).toEqual(['overlap']);
  expect(Object.keys(faultsOf({ ...draft, size: '1e3', overlap: '-1' }))).toEqual(['size', 'overlap']);
  expect(faultsOf({ ...draft, separator: '' })).toEqual({});
  expect(Object.keys(faultsOf({ ...draft, by: 'separator', separator: '' }))).toEqual(['separator']);
});
