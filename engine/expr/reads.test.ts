import { describe, expect, test } from 'vitest';
import { parseExpression, readsOf, renameNodeInTemplate } from './index.ts';

/** Reads as `root.path`, with `?` behind tolerant ones. */
function reads(source: string): string[] {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.error;
  return readsOf(parsed.ast).map(
    ({ root, path, tolerant }) => [root, ...path].join('.') + (tolerant ? '?' : ''),
  );
}

describe('the paths that an expression reads', () => {
  test.each<[string, string[]]>([
    ['1 + 2', []],
    ['input', ['input']],
    ['input.a.b', ['input.a.b']],
    ['input["a"].b', ['input.a.b']],
    ['input.items[0].price', ['input.items.*.price']],
    ['input[vars.key].b', ['vars.key', 'input.*.b']],
    ['nodes.a.out + nodes["b"]', ['nodes.a.out', 'nodes.b']],
    ['input?.a.b', ['input.a.b?']],
    ['input.a?.b', ['input.a.b?']],
    ['input.a.b ?? input.c', ['input.a.b?', 'input.c']],
    ['input.a ?? input.b ?? 1', ['input.a?', 'input.b?']],
    ['(input.a + 1) ?? 1', ['input.a']],
    ['input.name.trim()', ['input.name']],
    ['input.name?.trim()', ['input.name?']],
    ['input.name.length', ['input.name.length']],
    ['input.items.map(i => i.price)', ['input.items', 'input.items.*.price']],
    ['input.items.map(i => i)', ['input.items', 'input.items.*']],
    ['input.items.map(i => i?.price)', ['input.items', 'input.items.*.price?']],
    ['input.items.map((i, n) => i.price * n)', ['input.items', 'input.items.*.price']],
    [
      'input.items.filter(i => i.ok).map(i => i.price)',
      ['input.items', 'input.items.*.ok', 'input.items.*.price'],
    ],
    ['input.items.filter(i => i.ok)[0].price', ['input.items', 'input.items.*.ok', 'input.items.*.price']],
    [
      'input.items.find(i => i.id == vars.id).name',
      ['input.items', 'input.items.*.id', 'vars.id', 'input.items.*.name'],
    ],
    ['input.items.sort((a, b) => a.n - b.m)', ['input.items', 'input.items.*.n', 'input.items.*.m']],
    ['input.items.reduce((sum, i) => sum + i.n, 0)', ['input.items', 'input.items.*.n']],
    [
      'input.rows.map(r => r.tags.map(t => t.name))',
      ['input.rows', 'input.rows.*.tags', 'input.rows.*.tags.*.name'],
    ],
    ['input.items.map(i => ({ a: i })).map(x => x.a)', ['input.items', 'input.items.*']],
    ['(input.items ?? []).map(i => i.price)', ['input.items?', 'input.items.*.price']],
    ['first(input.items).name', ['input.items', 'input.items.*.name']],
    ['unique(input.items).map(i => i.n)', ['input.items', 'input.items.*.n']],
    ['values(input.map).map(v => v.n)', ['input.map', 'input.map.*.n']],
    ['[1].map(input => input.a)', []],
    ['[input.a, ...input.b]', ['input.a', 'input.b']],
    ['{ a: input.a, ...input.b, vars }', ['input.a', 'input.b', 'vars']],
    ['`${input.a}${vars.b}`', ['input.a', 'vars.b']],
    ['input.a ? !input.b : -input.c', ['input.a', 'input.b', 'input.c']],
    ['max(input.a, input.b.c)', ['input.a', 'input.b.c']],
    ['(input.a).b.c', ['input.a.b.c']],
    ['(input?.a).b', ['input.a?', 'input.a.b']],
  ])('%s', (source, paths) => {
    expect(reads(source)).toEqual(paths);
  });

  test('each has its place', () => {
    const source = '1 + input.items.map(i => i.price)';
    const parsed = parseExpression(source);
    if (!parsed.ok) throw parsed.error;
    const places = readsOf(parsed.ast).map(({ start, end }) => source.slice(start, end));
    expect(places).toEqual(['input.items', 'i.price']);
    expect(readsOf(parsed.ast)[0]).toEqual({
      root: 'input',
      path: ['items'],
      tolerant: false,
      start: 4,
      end: 15,
    });
  });
});

describe('renaming a node', () => {
  test.each<[string, string]>([
    ['{{ nodes.old.x }}', '{{ nodes.brand_new.x }}'],
    [
      'a {{nodes.old}} {{ nodes.old?.x + nodes?.old }}',
      'a {{nodes.brand_new}} {{ nodes.brand_new?.x + nodes?.brand_new }}',
    ],
    [`{{ nodes["old"] + nodes['old'] }}`, `{{ nodes["brand_new"] + nodes['brand_new'] }}`],
    ['{{ nodes . old . x }}', '{{ nodes . brand_new . x }}'],
    ['{{ [1].map(x => nodes.old + x) }}', '{{ [1].map(x => nodes.brand_new + x) }}'],
    [
      '{{ nodes.old.items.map(i => i.old).filter(i => nodes.old) }}',
      '{{ nodes.brand_new.items.map(i => i.old).filter(i => nodes.brand_new) }}',
    ],
    ['{{ broken + }} {{ nodes.old }}', '{{ broken + }} {{ nodes.brand_new }}'],
  ])('%s', (text, renamed) => {
    expect(renameNodeInTemplate(text, 'old', 'brand_new')).toBe(renamed);
  });

  test.each([
    'nodes.old',
    '\\{{ nodes.old }}',
    '{{ "nodes.old" }}',
    '{{ nodes.older + nodes.x.old + input.old + old }}',
    '{{ [1].map(nodes => nodes.old) }}',
    '{{ input.nodes.old }}',
    '{{ { old: 1 } }}',
    '{{ nodes.old',
  ])('%s stays as it is', (text) => {
    expect(renameNodeInTemplate(text, 'old', 'brand_new')).toBe(text);
  });

  test('a name that can not stand behind a dot goes into brackets', () => {
    expect(renameNodeInTemplate('{{ nodes.old?.x + nodes?.old }}', 'old', 'a-b')).toBe(
      '{{ nodes["a-b"]?.x + nodes?.["a-b"] }}',
    );
  });
});
