import { expect, test } from 'vitest';
import { fc } from '../../../../../../tests/support/property.ts';
import { URL as OurUrl, URLSearchParams as OurParams } from './url.js';

const PARTS =
  'http: https: file: foo: mailto: ws: // / \\ .. . %2e a b C: c| @ : 80 443 99999 ? # x=1 & [::1] [1::2:3] [::ffff:1.2.3.4] 1.2.3.4 0x7f.1 256 09 %41 %zz %00 ä münchen .de 日本 " < ^ | localhost example.com user pw \' { ` ~ 😀 ; = ß İ EXAMPLE - _ + * www.'
    .split(' ')
    .concat([' ', '\t', '\n']);
const BASES = [
  'http://h.test/a/b?q#f',
  'file:///C:/x/y',
  'foo://h/p/q',
  'foo:/p',
  'mailto:x',
  'file://host/x',
  'https://u:p@h:8080/',
];
const FIELDS = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 7 }).map((parts) => parts.join(''));

/** Every part of what is made, or that nothing is. */
function shown(make: () => URL | OurUrl): unknown {
  try {
    const url = make();
    return [...FIELDS.map((name) => url[name]), url.origin, [...url.searchParams]];
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return 'invalid';
  }
}

test('an address is read as Node reads it', () => {
  fc.assert(
    fc.property(texts, fc.option(fc.constantFrom(...BASES), { nil: undefined }), (text, base) => {
      expect(shown(() => new OurUrl(text, base))).toEqual(shown(() => new URL(text, base)));
    }),
    { numRuns: 3000 },
  );
});

test('a changed part gives the address that it gives in Node', () => {
  fc.assert(
    fc.property(fc.constantFrom(...BASES), fc.constantFrom(...FIELDS), texts, (base, field, text) => {
      const changed = (url: URL | OurUrl) => ((url[field] = text), url);
      expect(shown(() => changed(new OurUrl(base)))).toEqual(shown(() => changed(new URL(base))));
    }),
    { numRuns: 2000 },
  );
});

/** Without raw letters beyond ASCII, which Node breaks where a `%` is broken too. */
test('search parameters are read and written as Node does', () => {
  const queries = fc.array(fc.constantFrom('a', '=', '&', '+', '%20', '%zz', '?', '%C3%A4', ' ', '*', '~'));
  fc.assert(
    fc.property(queries, (parts) => {
      const text = parts.join('');
      const [ours, theirs] = [new OurParams(text), new URLSearchParams(text)];
      for (const params of [ours, theirs]) {
        params.append('b', '1 2');
        params.set('a', "x'");
        params.sort();
      }
      expect([String(ours), ours.size, [...ours.keys()]]).toEqual([
        String(theirs),
        theirs.size,
        [...theirs.keys()],
      ]);
    }),
    { numRuns: 500 },
  );
});
