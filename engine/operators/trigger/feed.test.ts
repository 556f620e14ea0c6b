import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { feedDate } from './_date.ts';
import { feedEntries } from './_feed.ts';

describe('a date of a feed', () => {
  test.each([
    ['Tue, 03 Mar 2026 08:00:00 GMT', '2026-03-03T08:00:00.000Z'],
    ['3 March 2026 08:00 +0130', '2026-03-03T06:30:00.000Z'],
    ['Sat, 28 Feb 26 23:59:59 EST', '2026-03-01T04:59:59.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-01T00:30:00.25+01:00', '2025-12-31T23:30:00.000Z'],
    ['2026-02-30', undefined],
    ['03/03/2026', undefined],
    ['', undefined],
  ])('%j is %j', (text, read) => expect(feedDate(text)).toBe(read));

  test('is read as JavaScript reads it', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
        (date) => {
          const second = new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString();
          expect(feedDate(date.toISOString())).toBe(second);
          expect(feedDate(date.toUTCString())).toBe(second);
        },
      ),
    );
  });
});

describe('the entries of a feed', () => {
  test('of RSS 1.0 are beside the channel', () => {
    const item = {
      '@rdf:about': 'https://a.example/1',
      title: 'One',
      link: ['https://a.example/1'],
      'dc:date': '2026-03-03',
    };
    expect(feedEntries({ 'rdf:RDF': { channel: {}, item: [item] } })).toMatchObject([
      {
        id: 'https://a.example/1',
        title: 'One',
        link: 'https://a.example/1',
        published: '2026-03-03T00:00:00.000Z',
      },
    ]);
  });

  test('have what belongs to them', () => {
    const entry = {
      id: 'x',
      title: { '@type': 'html', '#text': '<b>One</b>' },
      link: [{ '@rel': 'enclosure', '@href': 'https://a.example/1.mp3' }, { '@href': 'https://a.example/1' }],
      category: [{ '@term': 'a' }],
      summary: 'Short',
    };
    expect(feedEntries({ feed: { entry: [entry] } })).toEqual([
      {
        id: 'x',
        title: '<b>One</b>',
        hasMarkup: true,
        link: 'https://a.example/1',
        published: undefined,
        author: undefined,
        summary: 'Short',
        content: 'Short',
        categories: ['a'],
        enclosure: 'https://a.example/1.mp3',
      },
    ]);
  });

  test('may have XHTML, whose surrounding element is not part of it', () => {
    const xhtml = (text: string) => ({ '@type': 'xhtml', '#text': text });
    const entry = {
      title: xhtml('<div xmlns="x">One <b>two</b></div>'),
      content: xhtml('<h:div class="c">\n<h:p>hi <h:b>there</h:b></h:p></h:div>'),
      summary: xhtml('no frame'),
    };
    expect(feedEntries({ feed: { entry: [entry] } })).toMatchObject([
      {
        title: 'One <b>two</b>',
        hasMarkup: true,
        content: '<p>hi <b>there</b></p>',
        summary: 'no frame',
      },
    ]);
  });

  test('of any JSON are read or refused, without a crash', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('rss', 'feed', 'rdf:RDF', 'html'),
        fc.jsonValue(),
        fc.jsonValue(),
        (root, one, item) => {
          expect(() => feedEntries({ [root]: one })).not.toThrow();
          expect(() => feedEntries({ [root]: { channel: { item }, item, entry: item } })).not.toThrow();
        },
      ),
    );
  });
});
