import { expect, test } from 'vitest';
import { check } from '#engine/check';
import { builtIns, flowOf } from '../../../engine/testing/play.ts';
import { fixedDoc, isSafeFix } from './fixes.ts';

const world = { routes: [], variables: undefined, secrets: undefined };

const doc = {
  flow: flowOf(
    {
      start: { operator: 'trigger.http', params: { path: '/a' } },
      a: 'core.map',
      b: 'core.map',
      end: 'core.map',
    },
    ['start > a', 'start > b', 'a > end', 'b > end', 'end > ghost'],
  ),
  layout: { format: 1 as const, nodes: { end: { x: 600, y: 40 } } },
};
const problems = check(doc.flow, builtIns.catalog, world);
const problem = (code: string) => {
  const found = problems.find((p) => p.code === code);
  if (!found?.fix) throw new Error(`no fix for ${code}`);
  return { ...found, fix: found.fix };
};

test('a merge that a fix inserts stands before the node that it feeds', () => {
  const fixed = fixedDoc(doc, problem('too-many-edges').fix);
  expect(fixed.flow.nodes['merge']).toMatchObject({ operator: 'core.merge' });
  expect(fixed.layout.nodes['merge']?.x).toBeLessThan(600);
  expect(check(fixed.flow, builtIns.catalog, world).map((p) => p.code)).not.toContain('too-many-edges');
});

test('a fix that does not apply any more leaves the document what it is', () => {
  const { fix } = problem('dangling-edge');
  const once = fixedDoc(doc, fix);
  expect(once.flow.edges).toHaveLength(4);
  expect(fixedDoc(once, fix)).toBe(once);
});

test('removing an edge to nowhere is safe, taking another operator is a guess', () => {
  expect(isSafeFix(problem('dangling-edge'))).toBe(true);
  const typo = check(flowOf({ a: 'text.templte' }, []), builtIns.catalog, world);
  expect(typo.filter((p) => p.fix).map(isSafeFix)).toEqual([false]);
});
