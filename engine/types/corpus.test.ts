import { describe, expect, test } from 'vitest';
import { builtIns } from '../testing/play.ts';
import { check, type World } from '../check/index.ts';
import { applyFix } from '../check/edit.ts';
import { rightFlows } from './corpus/right-flows.ts';
import { rightOperators } from './corpus/right-operators.ts';
import { rightValues } from './corpus/right-values.ts';
import { wrongEdges } from './corpus/wrong-edges.ts';
import { wrongOperatorReads } from './corpus/wrong-operator-reads.ts';
import { wrongOperatorValues } from './corpus/wrong-operator-values.ts';
import { wrongReads } from './corpus/wrong-reads.ts';
import { wrongValues } from './corpus/wrong-values.ts';

const { catalog } = builtIns;
const world: World = { routes: [], variables: ['greeting'], secrets: [] };
const wrong = [...wrongReads, ...wrongValues, ...wrongEdges, ...wrongOperatorReads, ...wrongOperatorValues];
const right = [...rightValues, ...rightFlows, ...rightOperators];

test('the corpus is as large as was promised', () => {
  expect(wrong.length).toBeGreaterThanOrEqual(60);
  expect(right.length).toBeGreaterThanOrEqual(60);
  expect(new Set([...wrong, ...right].map(({ title }) => title)).size).toBeGreaterThan(120);
});

describe('one planted mismatch is found, at its place, and nothing else', () => {
  test.each(wrong.map((flow) => [flow.title, flow] as const))(
    '%s',
    (_, { flow, code, severity, node, field }) => {
      const found = check(flow, catalog, world).map((p) => [p.code, p.severity, p.node, p.field]);
      expect(found).toEqual([[code, severity, node, field]]);
    },
  );
});

describe('what is right, or not known, is no problem', () => {
  test.each(right.map((flow) => [flow.title, flow.flow] as const))('%s', (_, flow) => {
    const problems = check(flow, catalog, world).filter((p) => p.code !== 'maybe-skipped');
    expect(problems.map((p) => [p.code, p.message])).toEqual([]);
  });
});

describe('a fix', () => {
  const fixable = wrong.filter(({ flow }) => check(flow, catalog, world)[0]?.fix);

  test('is offered for misspelt fields and for text and JSON', () => {
    expect(fixable.length).toBeGreaterThanOrEqual(15);
  });

  test.each(fixable.map((flow) => [flow.title, flow.flow] as const))('repairs: %s', (_, flow) => {
    const [problem] = check(flow, catalog, world);
    const fixed = problem?.fix ? applyFix(flow, problem.fix) : flow;
    const left = check(fixed, catalog, world).filter((p) => p.code !== 'maybe-skipped');
    expect(left.map((p) => [p.code, p.message])).toEqual([]);
  });
});
