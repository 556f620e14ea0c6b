import { describe, expect, it } from 'vitest';
import { normalisePath, pathFault, routeKey } from '../check/index.ts';

describe('normalisePath', () => {
  it.each([
    ['hello', '/hello'],
    ['/hello/', '/hello'],
    ['//a///b', '/a/b'],
    [' /a ', '/a'],
    ['/items/{id}/:part', '/items/:id/:part'],
    ['/a{b}', '/a{b}'],
    ['/', '/'],
  ])('writes %s as %s', (path, expected) => {
    expect(normalisePath(path)).toBe(expected);
    expect(normalisePath(expected)).toBe(expected);
  });
});

describe('routeKey', () => {
  it('is the same for paths that differ in the names of their params only', () => {
    expect(routeKey('/a/:x/b/:y')).toBe(routeKey('/a/:other/b/:z'));
    expect(routeKey('/a/:x')).not.toBe(routeKey('/a/x'));
  });
});

describe('pathFault', () => {
  it.each([
    '/hello',
    'hello',
    '/examples/hello/',
    '/v1.0/~me/a_b-c',
    '/items/:id',
    '/items/{item_id}/x',
    '/...',
  ])('takes %s', (path) => {
    expect(pathFault(path)).toBeUndefined();
  });

  it.each([
    undefined,
    7,
    '',
    '/',
    '//',
    '/a//b',
    '/a/./b',
    '../a',
    '/a b',
    '/ä',
    '/a?b',
    '/a#b',
    '/a/%2e',
    '/a\n',
    '/:',
    '/:1',
    '/{}',
    '/a:b',
    '/:id/{id}',
    '/*',
  ])('refuses %j', (path) => {
    expect(pathFault(path)).toBeTypeOf('string');
  });
});
