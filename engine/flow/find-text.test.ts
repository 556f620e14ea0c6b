import { describe, expect, test } from 'vitest';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { testTools } from '../expr/testing/test-tools.ts';
import { formatPath } from './field-path.ts';
import { replaced, textFinder, textsOf, withTexts } from './find-text.ts';

const catalog = {
  operators: {
    'x.code': { params: { properties: { source: { widget: 'code' }, pin: { format: 'password' } } } },
  },
} as unknown as Catalog;

const flow = {
  format: 2,
  id: 'x',
  name: 'Shop',
  description: 'About pens',
  nodes: {
    a: {
      operator: 'x.code',
      name: 'Pens',
      description: 'a note',
      params: {
        source: 'return pens',
        pin: 'pens',
        token: 'pens',
        apiKey: 'pens',
        key: { $secret: 'pens' },
        headers: [{ name: 'Authorization', value: 'Bearer pens' }],
        plain: 'pens',
        'strange "key"': ['{{ input.pens }}'],
        more: 5,
      },
      body: { nodes: { b: { operator: 'x.code', params: { plain: 'inner pens' } } }, edges: [] },
    },
  },
  edges: [],
} as unknown as Flow;

const texts = [...textsOf(flow, catalog)].map(({ path, kind, text }) => [formatPath(path), kind, text]);

describe('the texts of a flow', () => {
  test('are those of names, notes, code, settings and expressions, also in bodies', () => {
    expect(texts).toEqual([
      ['name', 'names', 'Shop'],
      ['description', 'notes', 'About pens'],
      ['nodes.a.name', 'names', 'Pens'],
      ['nodes.a.description', 'notes', 'a note'],
      ['nodes.a.params.source', 'code', 'return pens'],
      ['nodes.a.params.plain', 'settings', 'pens'],
      ['nodes.a.params["strange \\"key\\""][0]', 'expressions', '{{ input.pens }}'],
      ['nodes.a.body.nodes.b.params.plain', 'settings', 'inner pens'],
    ]);
  });
});

const found = (find: string, text: string, by = '', isPattern = false, isCaseSensitive = false) => {
  const finder = textFinder({ find, isPattern, isCaseSensitive }, testTools.regex);
  return replaced(text, finder(text, by));
};

describe('a replacement', () => {
  test('of a text is literal', () => {
    expect(found('a.b', 'a.b axb A.B', '$1')).toBe('$1 axb $1');
    expect(found('a.b', 'a.b A.B', 'x', false, true)).toBe('x A.B');
  });

  test('of a pattern has the groups', () => {
    expect(found('(\\w+)@(?P<host>\\w+)', 'ada@x bob@y', '${host}:$1 $0 $$ $9 ${no}', true)).toBe(
      'x:ada ada@x $ $9 ${no} y:bob bob@y $ $9 ${no}',
    );
    expect(found('x*', 'axa', '-', true)).toBe('a-a');
  });

  test('changes what was found, and leaves what has changed since', () => {
    const one = { path: 'nodes.a.params["strange \\"key\\""][0]', before: '{{ input.pens }}', after: 'new' };
    const other = { path: 'nodes.a.params.plain', before: 'something else', after: 'new' };
    const inner = { path: 'nodes.a.body.nodes.b.params.plain', before: 'inner pens', after: 'new' };
    const result = withTexts(flow, [one, other, inner]);
    expect(result.left).toEqual([other]);
    expect(result.flow.nodes['a']?.params).toMatchObject({ 'strange "key"': ['new'], plain: 'pens' });
    expect(result.flow.nodes['a']?.body?.nodes['b']?.params).toEqual({ plain: 'new' });
  });
});
