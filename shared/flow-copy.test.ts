import { describe, expect, test } from 'vitest';
import { copyOf, freeId, idFrom } from './flow-copy.ts';

describe('ids', () => {
  test.each([
    ['Order triage', 'order_triage'],
    ['  Größe & Übermaß (2) ', 'gro_e_uberma_2'],
    ['42 answers', 'answers'],
    ['日本', ''],
    ['', ''],
  ])('%j becomes %j', (name, id) => {
    expect(idFrom(name)).toBe(id);
  });

  test('a taken id gets the first number that is free', () => {
    expect(freeId('a', new Set(['b']))).toBe('a');
    expect(freeId('a', new Set(['a', 'a_2']))).toBe('a_3');
  });
});

describe('copies', () => {
  const original = {
    format: 1 as const,
    id: 'a',
    name: 'A',
    nodes: {
      in: { operator: 'trigger.http', params: { path: '/shop/orders/{id}', methods: ['POST'] } },
      say: { operator: 'text.template', params: { path: '/shop/orders/{id}' } },
    },
    edges: [],
  };

  test('a copy has its own id, name and trigger path', () => {
    const copy = copyOf(original, 'b', 'B', new Set(['/shop/orders/{id}']));
    expect(copy).toMatchObject({ id: 'b', name: 'B' });
    expect(copy.nodes['in']?.params).toEqual({ path: '/shop/b/{id}', methods: ['POST'] });
    expect(copy.nodes['say']).toEqual(original.nodes.say);
  });

  test('a path that nobody serves is kept, and a path of parameters alone gets the id in front', () => {
    expect(copyOf(original, 'b', undefined, new Set()).nodes['in']?.params?.['path']).toBe(
      '/shop/orders/{id}',
    );
    expect(copyOf(original, 'b', undefined, new Set())).not.toHaveProperty('name');
    const bare = { ...original, nodes: { in: { operator: 'trigger.http', params: { path: '/{id}' } } } };
    expect(copyOf(bare, 'b', undefined, new Set(['/{id}'])).nodes['in']?.params?.['path']).toBe('/b/{id}');
  });
});
