import { fc } from '../../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import type { TriggerRoute } from '../../flows/service/trigger-table.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { createTriggerTable } from './table.ts';
import { route } from './testing/live-flow.ts';

function serve(...routes: TriggerRoute[]) {
  const table = createTriggerTable();
  for (const one of routes) table.replace(one.flow.id, [one]);
  return table;
}

describe('finding a trigger', () => {
  it.each(['/a/b', 'a/b', '/a/b/', '//a//b//', '/%61/b', '/a/%62'])('reads %s as /a/b', (path) => {
    expect(serve(route('f', '/a/b')).find('GET', path)?.route.flow.id).toBe('f');
  });

  it.each(['/A/b', '/a', '/a/b/c', '/a%2Fb', '/ab', '/', ''])('does not take %s as /a/b', (path) => {
    expect(serve(route('f', '/a/b')).find('GET', path)).toBeUndefined();
  });

  it('prefers fixed text to a param, and falls back to the param where the method differs', () => {
    const table = serve(route('fixed', '/users/me', ['POST']), route('param', '/users/:id', ['GET', 'POST']));
    expect(table.find('POST', '/users/me')?.route.flow.id).toBe('fixed');
    expect(table.find('GET', '/users/me')?.route.flow.id).toBe('param');
    expect(table.methodsAt('/users/me')).toEqual(['GET', 'POST']);
  });

  it.each([
    ['/items/42', { id: '42' }],
    ['/items/a%20b', { id: 'a b' }],
    ['/items/a%2Fb', { id: 'a/b' }],
    ['/items/100%25', { id: '100%' }],
    ['/items/%2541', { id: '%41' }],
    ['/items/%3Fx%23y%3A', { id: '?x#y:' }],
    ['/items/h%C3%A9llo', { id: 'héllo' }],
    ['/items/a+b;c*', { id: 'a+b;c*' }],
    [`/items/${'x'.repeat(5000)}`, { id: 'x'.repeat(5000) }],
  ])('decodes the param of %s once', (path, params) => {
    expect(serve(route('f', '/items/{id}')).find('GET', path)?.params).toEqual(params);
  });

  it('matches encoded and plain spelling of a declared path alike', () => {
    const table = serve(route('f', '/café/menü :x'));
    expect(table.find('GET', '/caf%C3%A9/men%C3%BC%20:x')?.route.flow.id).toBe('f');
    expect(table.find('GET', '/café/menü%20%3Ax')?.route.flow.id).toBe('f');
  });

  it.each(['/items/%', '/items/%zz', '/items/%ff', '/%C3%28'])(
    'refuses the broken encoding of %s',
    (path) => {
      const table = serve(route('f', '/items/:id'));
      expect(() => table.find('GET', path)).toThrow(ServiceError);
    },
  );

  it('survives names that mean something to JavaScript', () => {
    const table = serve(route('f', '/constructor/:id'));
    expect(table.find('GET', '/__proto__/x')).toBeUndefined();
    expect(table.find('constructor', '/constructor/x')).toBeUndefined();
    expect(table.find('GET', '/constructor/__proto__')?.params).toEqual({ id: '__proto__' });
  });
});

describe('changing the table', () => {
  it('names both flows in a conflict, whatever the params are called, and changes nothing', () => {
    const table = serve(route('first', '/a/:x', ['GET', 'POST']));
    const wanted = [route('second', '/new'), route('second', '/a/{y}', ['POST'])];
    expect(table.conflict('second', wanted)).toEqual({ flow: 'first', path: '/a/:y', method: 'POST' });
    expect(() => table.replace('second', wanted)).toThrow(/second.*POST \/a\/:y.*first/);
    expect(table.find('GET', '/new')).toBeUndefined();
    expect(table.all()).toHaveLength(1);
  });

  it('refuses a flow that declares one path and method twice', () => {
    const table = createTriggerTable();
    expect(() => table.replace('f', [route('f', '/a'), route('f', '/a/')])).toThrow(/twice/);
    expect(table.all()).toEqual([]);
  });

  it('lets flows share a path with different methods', () => {
    const table = serve(route('reads', '/a/:x', ['GET']), route('writes', '/a/:y', ['PUT']));
    expect(table.find('GET', '/a/1')).toMatchObject({ route: { flow: { id: 'reads' } }, params: { x: '1' } });
    expect(table.find('PUT', '/a/1')).toMatchObject({
      route: { flow: { id: 'writes' } },
      params: { y: '1' },
    });
  });

  it('refuses methods that no trigger can serve before it changes anything', () => {
    const table = serve(route('f', '/a'));
    expect(() => table.replace('f', [route('f', '/b'), route('f', '/:c', ['BREW'])])).toThrow(/BREW/);
    expect(table.find('GET', '/a')).toBeDefined();
  });

  it('shows what a removed path with params had hidden', () => {
    const table = serve(route('narrow', '/a/:x'), route('wide', '/:y/b'));
    expect(table.find('GET', '/a/b')?.route.flow.id).toBe('narrow');
    table.replace('narrow', []);
    expect(table.find('GET', '/a/b')).toMatchObject({ route: { flow: { id: 'wide' } }, params: { y: 'a' } });
    expect(table.methodsAt('/a/c')).toEqual([]);
  });
});

// ------------------------------------------------------------------------------------------ against a simple matcher

type Op = { kind: 'set' | 'remove'; flow: string; path: string; method: string } | { kind: 'work' };

const segment = fc.constantFrom('a', 'b', 'ab', 'a-b', 'é', ':x', ':y', '{z}', '*', '(x)', 'a.b', '~');
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((s) => `/${s.join('/')}`);
const method = fc.constantFrom('GET', 'POST');
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('set'), flow: fc.stringMatching(/^f[0-9]$/), path, method }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove'), flow: fc.stringMatching(/^f[0-9]$/), path, method }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'work' } as const) },
) as fc.Arbitrary<Op>;
const asked = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'a-b', 'é', '*', '(x)', 'a.b', '~', ':x', 'q', '%2F', '?'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((s) => `/${s.map((part) => (part === '?' ? '%3F' : part)).join('/')}`);

/** Segment by segment, fixed text before params, by trying everything. */
function reference(routes: readonly TriggerRoute[], wanted: string, url: string): TriggerRoute | undefined {
  const parts = url.slice(1).split('/').map(decodeURIComponent);
  const rank = (r: TriggerRoute): string | undefined => {
    const own = r.path.slice(1).split('/');
    const fits = own.length === parts.length && own.every((s, i) => s.startsWith(':') || s === parts[i]);
    return fits && r.methods.includes(wanted)
      ? own.map((s) => (s.startsWith(':') ? '1' : '0')).join('')
      : undefined;
  };
  const matching = routes.filter((r) => rank(r) !== undefined);
  return matching.sort((a, b) => String(rank(a)).localeCompare(String(rank(b))))[0];
}

describe('the table', () => {
  it('finds what a simple matcher finds, at every moment of a random history', () => {
    fc.assert(
      fc.property(
        fc.array(op, { maxLength: 30 }),
        fc.array(fc.tuple(method, asked), { maxLength: 20 }),
        (ops, requests) => {
          const work: (() => void)[] = [];
          const table = createTriggerTable((fn) => work.push(fn));
          const live = new Map<string, TriggerRoute>();
          for (const o of ops) {
            if (o.kind === 'work') work.shift()?.();
            else if (o.kind === 'remove') {
              table.replace(o.flow, []);
              live.delete(o.flow);
            } else {
              const wanted = route(o.flow, o.path, [o.method]);
              if (table.conflict(o.flow, [wanted])) continue;
              table.replace(o.flow, [wanted]);
              live.set(o.flow, wanted);
            }
            for (const [m, url] of requests) {
              expect(table.find(m, url)?.route).toBe(reference([...live.values()], m, url));
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('forgets removed paths in the background, in slices, while it changes further', () => {
    const work: (() => void)[] = [];
    const table = createTriggerTable((fn) => work.push(fn));
    for (let i = 0; i < 1000; i++) table.replace(`f${i}`, [route(`f${i}`, `/f${i}/:x`)]);
    for (let i = 0; i < 900; i++) table.replace(`f${i}`, []);
    expect(work).toHaveLength(1);
    work.shift()?.();
    table.replace('f1', [route('f1', '/f1/:x')]);
    table.replace('late', [route('late', '/late/:x')]);
    table.replace('f950', []);
    while (work.length > 0) work.shift()?.();
    expect(table.find('GET', '/f1/7')?.params).toEqual({ x: '7' });
    expect(table.find('GET', '/late/7')?.route.flow.id).toBe('late');
    expect(table.find('GET', '/f950/7')).toBeUndefined();
    expect(table.find('GET', '/f0/7')).toBeUndefined();
    expect(table.all()).toHaveLength(101);
    expect(work).toEqual([]);
  });
});
