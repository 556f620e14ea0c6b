import { expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { cleanName } from './file-name.ts';

test.each([
  ['report.csv', 'report.csv'],
  ['Rechnung Müller (2).pdf', 'Rechnung Müller (2).pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Windows\\system32\\cmd.exe', 'cmd.exe'],
  ['..', 'file.txt'],
  ['.htaccess', 'htaccess'],
  ['a/../', 'file.txt'],
  ['con', '_con'],
  ['NUL.txt', '_NUL.txt'],
  ['COM1.tar.gz', '_COM1.tar.gz'],
  ['console.txt', 'console.txt'],
  // Shown as `invoiceexe.pdf` where text directions are obeyed.
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['a\u0000b\r\nc.txt', 'abc.txt'],
  ['zero\u200Bwidth\uFEFF.txt', 'zerowidth.txt'],
  ['a<b>:"|?*.txt', 'a_b______.txt'],
  ['dots. . .', 'dots'],
  ['  a   b.txt ', 'a b.txt'],
  ['\uD800x.txt', '\uFFFDx.txt'],
  ['', 'file.txt'],
  [undefined, 'file.txt'],
])('%j becomes %j', (given, name) => {
  expect(cleanName(given, 'text/plain')).toBe(name);
});

test('a long name keeps its ending', () => {
  const name = cleanName(`${'ü'.repeat(300)}.tar.gz`, 'application/gzip');
  expect(name).toMatch(/^ü+\.gz$/);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
});

test('any name becomes one that stays as it is, is one segment and has nothing invisible', () => {
  const given = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom('.', '/', '\\', ' ', 'a', '\u202e', '\0', 'con', 'Ä', '😀'),
      maxLength: 80,
    }),
  );
  fc.assert(
    fc.property(given, (text) => {
      const name = cleanName(text, 'x/y');
      expect(cleanName(name, 'x/y')).toBe(name);
      expect(name).not.toMatch(/[/\\<>:"|?*\p{Cc}\p{Cf}]|^[.\s]|[.\s]$|^$/u);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(201);
    }),
    { numRuns: 300 },
  );
});
