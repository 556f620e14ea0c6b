import { expect, test } from 'vitest';
import { piecesOf } from './blobs.contract.ts';
import { createSniffer, mediaTypeOf } from './media-type.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const zip = Buffer.from('504b030414000000000000000000', 'hex');
const older = Buffer.from('<p>Zoë', 'latin1');
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

test.each([
  ['a picture, whatever is claimed', png, 'text/html', 'image/png'],
  ['a picture without a claim', png, undefined, 'image/png'],
  ['a page that claims to be a picture', '<html><script>', 'image/png', 'text/plain'],
  ['a page', '<html><script>', 'text/html; charset=utf-8', 'text/html'],
  ['a table', 'a,b\n1,2', 'text/csv', 'text/csv'],
  ['a text without a claim', 'Hello', undefined, 'text/plain'],
  ['a text from a browser that knows no better', 'Hello', 'application/octet-stream', 'text/plain'],
  ['bytes that claim to be text', Buffer.from([0, 1, 2, 3]), 'text/plain', 'application/octet-stream'],
  ['bytes that claim nothing known', Buffer.from([0, 1, 2, 3]), 'nonsense', 'application/octet-stream'],
  ['a document in a container', zip, word, word],
  ['a container that claims to be a page', zip, 'text/html', 'application/zip'],
  ['UTF-16 with its mark', Buffer.from('\ufeffHello', 'utf16le'), 'text/plain', 'text/plain'],
  ['a claim that would be two headers', 'x', 'text/html\r\nx: y', 'text/plain'],
  ['nothing', '', 'text/csv', 'text/csv'],
  ['a text in an older encoding', older, 'text/html; charset=ISO-8859-1', 'text/html; charset=windows-1252'],
  [
    'a text in an older encoding without a type',
    older,
    'x; charset=latin1',
    'text/plain; charset=windows-1252',
  ],
  ['a text in an older encoding without a charset', older, 'text/html', 'application/octet-stream'],
  ['a text in an older encoding with an invalid type', png, 'text/html; charset=latin1', 'image/png'],
  [
    'bytes that declare a charset',
    Buffer.from([0, 1, 2]),
    'text/html; charset=latin1',
    'application/octet-stream',
  ],
  ['a text with an unknown charset', 'x', 'text/html; charset=x-none', 'text/html'],
])('%s', async (_, content, claimed, type) => {
  const sniffer = createSniffer();
  for await (const _piece of sniffer.watch(piecesOf(content)));
  expect(mediaTypeOf(await sniffer.found(), claimed)).toBe(type);
});

test('a text whose last character is cut where the look ends is a text', async () => {
  const sniffer = createSniffer();
  for await (const _piece of sniffer.watch(piecesOf('€'.repeat(2000))));
  expect(mediaTypeOf(await sniffer.found(), undefined)).toBe('text/plain');
});
