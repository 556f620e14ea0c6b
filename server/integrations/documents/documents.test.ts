import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { strToU8, zipSync } from 'fflate';
import { writeXlsx } from 'hucre/xlsx';
import { afterAll, describe, expect, test } from 'vitest';
import type { Cell, CsvOptions, MarkupOptions, RowOptions, WorkbookOptions } from '#engine';
import { eventually } from '../../../tests/support/eventually.ts';
import { createDocuments } from './documents.ts';
import { letter, paper } from './testing/made.ts';

const documents = createDocuments();
const { signal } = new AbortController();
setMaxListeners(0, signal);
const MB = 1_000_000;

afterAll(() => documents.close());

async function* pieces(content: string | Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? strToU8(content) : content;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Wanted = Partial<CsvOptions> | Omit<WorkbookOptions, 'maxBytes'>;

async function rowsOf(content: string | Uint8Array, options: Wanted = {}, size?: number) {
  const all: (readonly Cell[])[] = [];
  const wanted = { format: 'csv', maxBytes: 50 * MB, ...options } as RowOptions;
  for await (const some of documents.rows(pieces(content, size), wanted, signal)) all.push(...some);
  return all;
}

describe('CSV', () => {
  test('is read the same however it is split into chunks', async () => {
    const text = 'name;note\r\nZoë;"a ""b""\r\nc;"\n\n"";x\n';
    const rows = [
      ['name', 'note'],
      ['Zoë', 'a "b"\r\nc;'],
      ['', 'x'],
    ];
    for (const size of [1, 2, 3, 7, 1000]) expect(await rowsOf(text, {}, size)).toEqual(rows);
  });

  test.each([
    ['a,b;c,d\n1,2;3,4', ',', 3],
    ['a;b;c\n1,5;2,5;3,5', ';', 3],
    ['a\tb\n1\t2', '\t', 2],
    ['"x;y;z"|b\n1|2', '|', 2],
  ])('of %j has the likeliest delimiter', async (text, _delimiter, width) => {
    expect((await rowsOf(text))[0]).toHaveLength(width);
  });

  test('may be in UTF-16 or an older encoding, and is refused in the wrong one', async () => {
    const text = 'ä,ö';
    expect(await rowsOf(Buffer.from(`\ufeff${text}`, 'utf16le'), {}, 1)).toEqual([['ä', 'ö']]);
    expect(await rowsOf(Buffer.from(text, 'latin1'), { encoding: 'windows-1252' })).toEqual([['ä', 'ö']]);
    await expect(rowsOf(Buffer.from(text, 'latin1'))).rejects.toMatchObject({ code: 'document_unreadable' });
  });

  test.each([
    ['a,b\n"x,y', 'not closed'],
    ['a,b\n"x"y,z', 'closing quote'],
    [`a\n"${'x'.repeat(3 * MB)}`, 'longer than'],
  ])('that is invalid (%#) is refused with its line', async (text, why) => {
    await expect(rowsOf(text)).rejects.toMatchObject({
      code: 'document_unreadable',
      message: expect.stringContaining(why) as string,
    });
  });

  test.each<[string, string, Wanted, Cell[][]]>([
    [
      'the line that names the delimiter for Excel',
      'sep=;\r\na;b\r\n1;2,5',
      {},
      [
        ['a', 'b'],
        ['1', '2,5'],
      ],
    ],
    ['that line in quotes', '"sep=|"\na|b', {}, [['a', 'b']]],
    [
      'quotes within an unquoted field',
      'a,b\n5" pipe,12"',
      {},
      [
        ['a', 'b'],
        ['5" pipe', '12"'],
      ],
    ],
    ['a blank before a quote', 'a, "b, c" ,d', { trim: true }, [['a', 'b, c', 'd']]],
    ['backslashes before quotes', '"a \\"b\\", c","d\\\\"', { escape: 'backslash' }, [['a "b", c', 'd\\']]],
    ['backslashes without quotes', 'a\\,b,\\N', { escape: 'backslash' }, [['a,b', '\\N']]],
    ['other quotes', `'a,b','it''s',"c"`, { quote: "'" }, [['a,b', "it's", '"c"']]],
    ['no quotes at all', `"a,b'`, { quote: 'none' }, [['"a', "b'"]]],
    ['quotes that close too early', 'a\n"x" y', { relaxed: true }, [['a'], ['"x" y']]],
    [
      'lines that are comments',
      '#x;y;z;"\na,b\n#c\n1,#2',
      { comment: '#' },
      [
        ['a', 'b'],
        ['1', '#2'],
      ],
    ],
    [
      'titles above the table',
      'Report "2026\n\na;b\n1;2',
      { firstRow: 3 },
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
  ])('may have %s', async (_what, text, options, rows) => {
    for (const size of [1, 3, 1000]) expect(await rowsOf(text, options, size)).toEqual(rows);
  });

  test('is read in the encoding of its byte order mark, its sender or its reader', async () => {
    const older = Buffer.from('ä,ö', 'latin1');
    expect(await rowsOf(older, { charset: 'ISO-8859-1' })).toEqual([['ä', 'ö']]);
    expect(await rowsOf(older, { charset: 'utf-8', encoding: 'windows-1252' })).toEqual([['ä', 'ö']]);
    expect(await rowsOf('\ufeffä', { charset: 'windows-1252' })).toEqual([['ä']]);
    await expect(rowsOf(older, { charset: 'no-such' })).rejects.toMatchObject({
      message:
        'The file is not a text in UTF-8; choose its `encoding` where there is one, or convert it to UTF-8.',
    });
  });

  test('is read no faster than its reader requests it', async () => {
    let given = 0;
    async function* endless() {
      for (;;) {
        given++;
        yield strToU8('1,2,3,4,5,6,7,8\n'.repeat(4096));
      }
    }
    const read = documents.rows(endless(), { format: 'csv' }, signal)[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) await read.next();
    expect(given).toBeLessThan(10);
    await read.return?.();
  });
});

describe('workbooks', () => {
  const rows = [
    ['name', 'born', 'ok', 'count'],
    ['Ada', new Date('1815-12-10T00:00:00Z'), true, 36.5],
    [null, null, false, -1],
  ];

  test('are read with their values, by the name or number of the sheet', async () => {
    const file = await writeXlsx({
      sheets: [
        { name: 'First', rows: [['x']] },
        { name: 'People', rows },
      ],
    });
    const people = [
      ['name', 'born', 'ok', 'count'],
      ['Ada', '1815-12-10T00:00:00.000Z', true, 36.5],
      [null, null, false, -1],
    ];
    expect(await rowsOf(file, { format: 'xlsx', sheet: 'People' })).toEqual(people);
    expect(await rowsOf(file, { format: 'xlsx', sheet: 2 })).toEqual(people);
    expect(await rowsOf(file, { format: 'xlsx' })).toEqual([['x']]);
    await expect(rowsOf(file, { format: 'xlsx', sheet: 'None' })).rejects.toMatchObject({
      code: 'document_unreadable',
    });
  });

  test('are read as they were written, and formulas stay texts', async () => {
    async function* some() {
      yield [
        ['name', 'n'],
        ['=1+1', 2],
        [null, true],
      ] as const;
    }
    const written: Uint8Array[] = [];
    for await (const piece of documents.workbook(some(), { sheet: 'Data' }, signal)) written.push(piece);
    expect(await rowsOf(Buffer.concat(written), { format: 'xlsx' })).toEqual([
      ['name', 'n'],
      ['=1+1', 2],
      [null, true],
    ]);
  });
});

const markup: MarkupOptions = { format: 'markdown', maxBytes: 50 * MB };

test('a page is read with its structure, and without invisible content', async () => {
  const html = `<html><head><title> Tea </title><style>p{}</style></head><body><h2>Kinds</h2>
    <ul><li>green<li>black</ul><table><tr><th>a<th>b</tr><tr><td>1<td>x|y</tr></table>
    <p onclick="x()">See <a href="https://example.com">this</a><script>alert(1)</script></p></body></html>`;
  expect(await documents.html(pieces(html), markup, signal)).toEqual({
    title: 'Tea',
    text: [
      '## Kinds',
      '-   green\n-   black',
      '| a | b |\n| --- | --- |\n| 1 | x\\|y |',
      'See [this](https://example.com)',
    ].join('\n\n'),
  });
});

test('a link that runs code or opens a local file keeps only its text', async () => {
  const addresses = [
    'javascript:alert(1)',
    ' JAVA\tscript:x',
    '&#1;vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
  ];
  const kept = ['https://a.b/c', 'mailto:a@b.c', 'tel:+1', '/d?e=f:g', '#h', '//i.j'];
  const html = [...addresses, ...kept].map((to) => `<p><a href="${to}">l</a></p>`).join('');
  const { text } = await documents.html(pieces(html), markup, signal);
  expect(text.split('\n\n')).toEqual([...addresses.map(() => 'l'), ...kept.map((to) => `[l](${to})`)]);
});

test('a page may have nested tables', async () => {
  const inner = '<table><tr><td>in<td>ner</tr></table>';
  const outer = `<table><tr><th>a<th>b</tr><tr><td>${inner}</td><td>2</td></tr></table>`;
  expect((await documents.html(pieces(outer), markup, signal)).text).toBe(
    '| a | b |\n| --- | --- |\n| in ner | 2 |',
  );
});

test('the article of a page is extracted without its menu', async () => {
  const article = Array.from(
    { length: 8 },
    (_, i) => `<p>Sentence ${i} of a long text, with some commas, and more.</p>`,
  );
  const html = `<html><body><nav><a href="/">Home</a></nav><article><h1>News</h1>${article.join('')}</article></body></html>`;
  const { text } = await documents.html(pieces(html), { ...markup, main: true, format: 'plain' }, signal);
  expect(text).toContain('Sentence 7');
  expect(text).not.toContain('Home');
});

test('a Word document is read with headings, lists and tables', async () => {
  expect((await documents.docx(pieces(letter()), markup, signal)).text).toBe(
    '# Offer\n\nDear **Ada**,\n\n| Item | Price |\n| --- | --- |\n| Pen | 2 |',
  );
});

test('a PDF is read page by page, up to a number of pages', async () => {
  const file = paper(['First page', 'Second page', 'Third page']);
  const all = await documents.pdf(pieces(file), { maxPages: 10, maxBytes: MB }, signal);
  expect(all).toMatchObject({
    text: 'First page\n\nSecond page\n\nThird page',
    pageCount: 3,
    unread: [],
    title: 'A paper',
  });
  const some = await documents.pdf(pieces(file), { maxPages: 2, maxBytes: MB }, signal);
  expect([some.pages?.map(({ page }) => page), some.pageCount]).toEqual([[1, 2], 3]);
});

const xml = { attributes: true, prefixes: 'keep', lists: [], maxBytes: MB } as const;

test('XML is read as objects, without losing digits', async () => {
  const text =
    '<?xml version="1.0"?><a:o xmlns:a="u" id="007"><i>1</i><i>2</i><t>x &amp; <![CDATA[<y>]]></t></a:o>';
  expect(await documents.xml(pieces(text), xml, signal)).toMatchObject({
    'a:o': { '@id': '007', i: ['1', '2'], t: 'x & <y>' },
  });
  const short = await documents.xml(pieces(text), { ...xml, prefixes: 'remove', attributes: false }, signal);
  expect(short).toMatchObject({ o: { i: ['1', '2'] } });
});

describe('hostile documents are refused with a code, and the next one is read', () => {
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>`;
  const outside = `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>`;
  const deep = '<a>'.repeat(50_000) + '</a>'.repeat(50_000);
  const unreadable: [string, () => Promise<unknown>][] = [
    ['XML with entities', () => documents.xml(pieces(laughs), xml, signal)],
    ['XML that reads a file', () => documents.xml(pieces(outside), xml, signal)],
    ['XML that is nested too deeply', () => documents.xml(pieces(deep), xml, signal)],
    ['XML that ends early', () => documents.xml(pieces('<a><b>'), xml, signal)],
    ['no workbook', () => rowsOf('PK nothing', { format: 'xlsx' })],
    ['an archive that is no workbook', () => rowsOf(zipSync({ a: strToU8('x') }), { format: 'xlsx' })],
    ['half a workbook', async () => rowsOf(letter().subarray(0, 300), { format: 'xlsx' })],
    ['no PDF', () => documents.pdf(pieces('%PDF-1.7 nothing'), { maxPages: 1, maxBytes: MB }, signal)],
    [
      'half a PDF',
      () => documents.pdf(pieces(paper(['x']).subarray(0, 200)), { maxPages: 1, maxBytes: MB }, signal),
    ],
    ['no letter', () => documents.docx(pieces(zipSync({ a: strToU8('x') })), markup, signal)],
  ];
  test.each(unreadable)('%s', async (_name, read) => {
    await expect(read()).rejects.toMatchObject({ code: 'document_unreadable' });
    expect(await rowsOf('a,b')).toEqual([['a', 'b']]);
  });

  test('a small file that unpacks to a huge one', async () => {
    const bomb = Buffer.from(zipSync({ 'word/document.xml': new Uint8Array(MB) }));
    bomb.writeUInt32LE(250 * MB, bomb.indexOf('PK\x01\x02') + 24);
    await expect(documents.docx(pieces(bomb), markup, signal)).rejects.toMatchObject({
      code: 'document_too_large',
    });
  });

  test('a part that is larger than the archive declares', async () => {
    const file = Buffer.from(zipSync({ 'word/document.xml': new Uint8Array(5 * MB) }));
    // The sizes in the directory, and before the part.
    for (const at of [file.indexOf('PK\x01\x02') + 24, 22]) file.writeUInt32LE(100, at);
    await expect(documents.docx(pieces(file), markup, signal)).rejects.toMatchObject({
      code: 'document_too_large',
    });
  });

  test('a page that is nested too deeply, at once', async () => {
    const nested = (levels: number) => `${'<div>'.repeat(levels)}x${'</div>'.repeat(levels)}`;
    const read = (html: string) => documents.html(pieces(html), { ...markup, format: 'plain' }, signal);
    await expect(read(nested(100_000))).rejects.toMatchObject({
      code: 'document_too_large',
      message: expect.stringContaining('2,000 levels'),
    });
    expect((await read(nested(1000))).text).toBe('x');
    // Unclosed paragraphs and tags within code do not count as levels.
    const code = `<script>${'"<div>" + '.repeat(3000)}""</script><!-- ${'<div>'.repeat(3000)} -->`;
    expect((await read(`${code}${'<p>x<br>'.repeat(3000)}`)).text.match(/x/g)).toHaveLength(3000);
  });

  test('a document that is larger than the limit', async () => {
    const read = documents.html(pieces('x'.repeat(2000)), { ...markup, maxBytes: 1000 }, signal);
    await expect(read).rejects.toMatchObject({ code: 'document_too_large' });
  });
});

test('a caller who stops gets the reason, and the process ends', async () => {
  const stop = new AbortController();
  async function* silent(): AsyncGenerator<Uint8Array> {
    yield strToU8('a,b\n');
    stop.abort(new Error('stopped'));
    yield strToU8('c,d\n');
    yield strToU8('e,f\n');
  }
  const read = documents.rows(silent(), { format: 'csv' }, stop.signal)[Symbol.asyncIterator]();
  await expect(read.next()).rejects.toThrow('stopped');
});

test('more documents than processes take turns', async () => {
  const many = Array.from({ length: 30 }, (_, i) => rowsOf(`a,${i}`));
  expect(await Promise.all(many)).toEqual(many.map((_, i) => [['a', String(i)]]));
});

test('an error of the source of a document reaches the caller', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield strToU8('a');
    throw new Error('the disk is gone');
  }
  await expect(documents.html(broken(), markup, signal)).rejects.toThrow('the disk is gone');
});

describe('processes', () => {
  test('are few, whatever they read, and each reads one document after another', async () => {
    const own = createDocuments();
    const read = async (i: number) => (await own.xml(pieces(`<a>${i}</a>`), xml, signal)) as { a: string };
    const many = await Promise.all(Array.from({ length: 20 }, (_, i) => read(i)));
    expect(many.map(({ a }) => a)).toEqual(many.map((_, i) => String(i)));
    const pids = await own.pids;
    expect(pids.length).toBeLessThanOrEqual(4);
    // A broken document costs none of them.
    await expect(own.xml(pieces('<a>'), xml, signal)).rejects.toMatchObject({ code: 'document_unreadable' });
    await read(1);
    expect(await own.pids).toEqual(pids);
    await own.close();
  });

  test('that are killed lose only their document', async () => {
    const own = createDocuments();
    const first = own.rows(pieces('1,2,3\n'.repeat(500_000)), { format: 'csv' }, signal);
    const read = first[Symbol.asyncIterator]();
    await read.next();
    for (const pid of await own.pids) process.kill(pid, 'SIGKILL');
    const rest = async (): Promise<void> => {
      while ((await read.next()).done !== true);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'document_too_large' });
    expect(await own.xml(pieces('<a>1</a>'), xml, signal)).toEqual({ a: '1' });
    await own.close();
  });

  test('end with this one', async () => {
    const file = new URL('./documents.ts', import.meta.url).href;
    const script = `
      const { createDocuments } = await import(${JSON.stringify(file)});
      const documents = createDocuments();
      const { promise } = Promise.withResolvers();
      async function* silent() { yield Buffer.from('a,b\\n'.repeat(50_000)); await promise; }
      const rows = documents.rows(silent(), { format: 'csv' }, new AbortController().signal);
      await rows[Symbol.asyncIterator]().next();
      console.log(JSON.stringify(await documents.pids));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [pid] = JSON.parse(line.toString()) as [number];
    child.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});
