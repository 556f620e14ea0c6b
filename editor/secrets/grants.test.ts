import { describe, expect, it } from 'vitest';
import { grantsOf, grantWords, textsOf } from './grants.ts';

const none = { operators: '', hosts: '', flows: '' };

describe('grantsOf', () => {
  it('reads names with commas, spaces or lines between, each once', () => {
    expect(grantsOf({ ...none, hosts: ' api.example.com, *.a.org\n*.a.org ,' }, {})).toEqual({
      hosts: ['api.example.com', '*.a.org'],
    });
  });

  it('leaves out what is empty, which restricts nothing', () => {
    expect(grantsOf({ ...none, flows: 'a' }, { hosts: ['x'] })).toEqual({ flows: ['a'] });
  });

  it('widens nothing that nobody has touched', () => {
    const before = { operators: [], flows: ['a'] };
    expect(grantsOf(textsOf(before), before)).toEqual(before);
    expect(grantsOf({ ...textsOf(before), flows: 'b' }, before)).toEqual({ operators: [], flows: ['b'] });
  });
});

describe('grantWords', () => {
  it('names all that the use has to fit', () => {
    expect(grantWords({ hosts: ['a.org', 'b.org'], operators: ['http.request'] })).toBe(
      'nodes http.request; hosts a.org, b.org',
    );
  });

  it.each([[{}], [{ operators: [] }], [{ hosts: ['a.org'], flows: [] }]])('says nobody for %j', (grants) => {
    expect(grantWords(grants)).toBeUndefined();
  });
});
