import { expect, test } from 'vitest';
import type { XmlOptions } from '#engine';
import { readXml } from './xml.ts';

async function read(xml: string | Uint8Array, options: Partial<XmlOptions> = {}): Promise<unknown> {
  async function* once() {
    yield typeof xml === 'string' ? Buffer.from(xml) : xml;
  }
  return readXml(once(), { attributes: true, prefixes: 'keep', lists: [], maxBytes: 1_000_000, ...options });
}

test('character references are replaced with their characters', async () => {
  expect(
    await read('<a t="x&#10;y&#228;&quot;">M&#252;ller &#x1F642; &amp;#252; &lt;<![CDATA[&#65;]]></a>'),
  ).toEqual({
    a: { '@t': 'x\nyä"', '#text': 'Müller 🙂 &#252; <&#65;' },
  });
  // Unknown references, and those of characters that XML forbids, stay.
  expect(await read('<a>&#0;&#xD800;&#1114112;&nbsp;&#9;x</a>')).toEqual({
    a: '&#0;&#xD800;&#1114112;&nbsp;\tx',
  });
});

test('the declaration and instructions are no elements', async () => {
  expect(await read('<?xml version="1.0"?><?xml-stylesheet href="x.css"?><a>1</a>')).toEqual({ a: '1' });
});

test('blanks are kept where the document requests it', async () => {
  const text =
    '<a>\n <p xml:space="preserve"> x <b> y </b></p>\n <q> z </q>\n <r xml:space="preserve">  </r></a>';
  expect(await read(text)).toEqual({
    a: {
      p: { '@xml:space': 'preserve', '#text': ' x ', b: ' y ' },
      q: 'z',
      r: { '@xml:space': 'preserve', '#text': '  ' },
    },
  });
  expect(await read(text, { attributes: false, prefixes: 'remove' })).toEqual({
    a: { p: { '#text': ' x ', b: ' y ' }, q: 'z', r: '  ' },
  });
});

test('without attributes an element that has only text becomes this text', async () => {
  expect(await read('<a><b c="1">x</b><d e="2"/></a>', { attributes: false })).toEqual({
    a: { b: 'x', d: '' },
  });
});

test('the encoding that the document declares is used', async () => {
  const text = '<?xml version="1.0" encoding="ISO-8859-1"?><a>Zoë</a>';
  expect(await read(Buffer.from(text, 'latin1'))).toEqual({ a: 'Zoë' });
  expect(await read(Buffer.from(text, 'utf8'), { encoding: 'utf-8' })).toEqual({ a: 'Zoë' });
});

test('XHTML stays markup where that is requested', async () => {
  const text = '<f><c type="xhtml"><div>a <b>c</b> &amp;</div></c><c type="html">&lt;i&gt;</c></f>';
  expect(await read(text, { xhtml: ['c'], lists: ['c'] })).toEqual({
    f: {
      c: [
        { '@type': 'xhtml', '#text': '<div>a <b>c</b> &amp;</div>' },
        { '@type': 'html', '#text': '<i>' },
      ],
    },
  });
});
