import { expect, test } from 'vitest';
import { type EncodingHints, charsetOf, encodingOf } from './text-encoding.ts';

const html = { declares: 'html' } as const;
const xml = { declares: 'xml' } as const;

test.each<[string, string, EncodingHints, string]>([
  ['of a text that says nothing', 'a', {}, 'utf-8'],
  ['of a page with meta charset', '<html><meta charset=iso-8859-1>', html, 'windows-1252'],
  [
    'of a page with a type',
    `<meta http-equiv="Content-Type" content='text/html; charset=GB2312'>`,
    html,
    'gbk',
  ],
  ['of a page that declares it in a comment', '<!-- <meta charset="koi8-r"> --><p>', html, 'utf-8'],
  ['of a page with a declaration of XML', '<?xml version="1.0" encoding="koi8-r"?><html>', html, 'koi8-r'],
  ['of XML', `<?xml version='1.0' encoding='Shift_JIS'?><a/>`, xml, 'shift_jis'],
  ['of XML that speaks of pages', '<a><meta charset="koi8-r"/></a>', xml, 'utf-8'],
  ['of XML that claims two bytes', '<?xml version="1.0" encoding="UTF-16"?><a/>', xml, 'utf-8'],
  ['of XML that names an unknown one', '<?xml version="1.0" encoding="IBM1047"?><a/>', xml, 'utf-8'],
  ['of a sender', '<meta charset="koi8-r">', { ...html, charset: 'windows-1251' }, 'windows-1251'],
  ['of a reader', '\ufeffa', { encoding: 'big5', charset: 'windows-1251' }, 'big5'],
  ['of a mark', '\ufeffa', { encoding: 'auto', charset: 'windows-1251' }, 'utf-8'],
])('the encoding %s', (_whose, text, hints, encoding) => {
  expect(encodingOf(Buffer.from(text), hints)).toBe(encoding);
});

test('UTF-16 is known by its mark or its declaration', () => {
  const declaration = Buffer.from('<?xml version="1.0"?><a/>', 'utf16le');
  expect(encodingOf(Buffer.from('\ufeff', 'utf16le'), {})).toBe('utf-16le');
  expect(encodingOf(Buffer.from('\ufeff', 'utf16le').swap16(), {})).toBe('utf-16be');
  expect(encodingOf(declaration, xml)).toBe('utf-16le');
  expect(encodingOf(Buffer.from(declaration).swap16(), xml)).toBe('utf-16be');
});

test('the charset of a Content-Type', () => {
  expect(charsetOf('text/html; Charset="ISO-8859-1"; a=b')).toBe('ISO-8859-1');
  expect(charsetOf('text/html')).toBeUndefined();
  expect(charsetOf()).toBeUndefined();
});
