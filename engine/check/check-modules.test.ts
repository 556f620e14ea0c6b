import { z } from 'zod';
import { expect, test } from 'vitest';
import { literal, output, defineOperator } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { check } from './check.ts';
import { importsOf } from './rules/modules.ts';

const names = (source: string): string[] => importsOf(source).map(({ name }) => name);

test.each<[string, string[]]>([
  ['import numpy', ['numpy']],
  ['import json, numpy as np, os.path', ['json', 'numpy', 'os.path']],
  ['from pandas import DataFrame', ['pandas']],
  ['from pandas.io import (\n  json,\n  sql\n)', ['pandas.io']],
  ['x = 1; import numpy; y = 2', ['numpy']],
  ['if x: import numpy', ['numpy']],
  ['def f():\n    import numpy\n    return 1', ['numpy']],
  ['import \\\n  numpy', ['numpy']],
  ['\timport numpy\r\nimport scipy\r\n', ['numpy', 'scipy']],
  ['from . import x\nfrom .a import b', []],
  ['# import numpy', []],
  ['x = """\nimport numpy\n"""', []],
  ["x = 'import numpy; import scipy'", []],
  ["x = 'it\\'s'; import numpy", ['numpy']],
  ["x = 'open\nimport numpy", ['numpy']],
  ['f(\nimport numpy\n)', []],
  ['important = 1\nimports = 2\nx.import_it()', []],
  ['yield from numpy', []],
  ['raise E from error', []],
  ['try:\n    import numpy\nexcept ImportError:\n    import json as numpy', ['json']],
  ['try: import numpy\nexcept ImportError: pass', []],
  ['try:\n    pass\nfinally:\n    pass\nimport numpy', ['numpy']],
  ['', []],
])('%j imports %j', (source, found) => {
  expect(names(source)).toEqual(found);
});

test('the place is that of the name', () => {
  const source = 'import json\nimport json2, numpy.linalg as la';
  expect(
    importsOf(source).map(({ name, offset }) => source.slice(offset, offset + name.length) === name),
  ).toEqual([true, true, true]);
});

test('a long text without statements is read at once', () => {
  expect(
    names(`x = [${'"a", '.repeat(100_000)}]\n${'('.repeat(50_000)}\n${'import '.repeat(50_000)}`),
  ).toEqual([]);
});

const python = defineOperator({
  title: 'Code',
  doc: 'Runs code.',
  icon: 'x',
  params: z.object({
    source: literal(z.string().meta({ widget: 'code', language: 'python', modules: ['json', 'os'] })),
  }),
  inputs: {},
  outputs: { out: output() },
  effects: 'read',
  trigger: true,
  examples: [],
});

test('check names what cannot be imported, with its line', () => {
  const { catalog } = makeRegistry(new Map([['code.try', python]]));
  const source =
    'import json, _thread\nimport os.path\nimport numpy.linalg\ndef f():\n    from pandas import x';
  const flow = {
    format: 1 as const,
    id: 'a',
    nodes: { a: { operator: 'code.try', params: { source } } },
    edges: [],
  };
  const problems = check(flow, catalog, { routes: [], variables: undefined, secrets: undefined });
  expect(problems.filter(({ code }) => code === 'unknown-module')).toMatchObject([
    {
      severity: 'error',
      node: 'a',
      field: 'params.source',
      message: expect.stringMatching(/`numpy` \(line 3\)/),
    },
    { severity: 'warning', message: expect.stringMatching(/`pandas` \(line 5\)/) },
  ]);
});

test('an operator of a package of ours that is not installed is told with its package', () => {
  const { catalog } = makeRegistry(new Map());
  const flow = { format: 1 as const, id: 'a', nodes: { a: { operator: 'code.python' } }, edges: [] };
  const problems = check(flow, catalog, { routes: [], variables: undefined, secrets: undefined });
  const problem = problems.find(({ node }) => node === 'a');
  expect(problem).toMatchObject({
    code: 'unknown-operator',
    message: expect.stringContaining('`weft add weft-python`'),
  });
});
