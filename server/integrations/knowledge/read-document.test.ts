import { afterAll, expect, test } from 'vitest';
import { createDocuments } from '../documents/documents.ts';
import { workbook } from '../documents/testing/made.ts';
import { readDocument, typeOfDocument } from './read-document.ts';

const documents = createDocuments();
afterAll(() => documents.close());

async function textsOf(name: string, content: Uint8Array, declared?: string): Promise<string[]> {
  const type = typeOfDocument(name, content, declared);
  const { parts } = await readDocument({ type, content }, documents, new AbortController().signal);
  return parts.map(({ text }) => text);
}

const row = (n: number, ...cells: string[]) =>
  `<row r="${n}">${cells.map((text, i) => `<c r="${'ABC'[i]}${n}" t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;

test('the rows of all sheets are read, with the name of their sheet', async () => {
  const file = workbook({
    Prices: row(1, 'item', 'price') + row(2, 'tea', '3'),
    Empty: '',
    Rules: row(1, 'rule') + row(2, 'no sugar') + row(3, 'no milk'),
  });
  expect(await textsOf('a.xlsx', file)).toEqual([
    'Sheet: Prices\nitem: tea\nprice: 3',
    'Sheet: Rules\nrule: no sugar\n\nSheet: Rules\nrule: no milk',
  ]);
});

test('a single sheet needs no name', async () => {
  expect(await textsOf('a.xlsx', workbook({ Prices: row(1, 'item') + row(2, 'tea') }))).toEqual([
    'item: tea',
  ]);
});

test('documents are read in the encoding of their sender, or in the one that they declare', async () => {
  const older = (text: string) => Buffer.from(text, 'latin1');
  expect(await textsOf('a.txt', older('Zoë'), 'text/plain; charset=iso-8859-1')).toEqual(['Zoë']);
  expect(await textsOf('a.csv', older('name\nZoë'), 'text/csv; charset=iso-8859-1')).toEqual(['name: Zoë']);
  expect(await textsOf('a.html', older('<meta charset="iso-8859-1"><p>Zoë</p>'))).toEqual(['Zoë']);
  expect(await textsOf('a', older('<html><p>Zoë'), 'text/html; charset=iso-8859-1')).toEqual(['Zoë']);
  expect(await textsOf('a.xml', older('<?xml version="1.0" encoding="iso-8859-1"?><a>Zoë</a>'))).toEqual([
    '<?xml version="1.0" encoding="iso-8859-1"?><a>Zoë</a>',
  ]);
  for (const name of ['a.txt', 'a.csv', 'a.html'])
    await expect(textsOf(name, older('Zoë'))).rejects.toMatchObject({
      code: 'document_unreadable',
      message: expect.stringContaining('convert it to UTF-8') as string,
    });
});
