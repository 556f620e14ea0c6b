import { fc } from '../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { type DocumentPart, splitDocument, SplitSettings } from './split-document.ts';

const split = (text: string | DocumentPart[], settings: Partial<SplitSettings> = {}) => [
  ...splitDocument(typeof text === 'string' ? [{ text }] : text, SplitSettings.parse(settings)),
];

describe('splitting a document', () => {
  test('at headings, with the headings above each chunk', () => {
    const text =
      '# Tea\n\nAll about tea.\n\n## Green\n\nTwo minutes.\n\n## Black\n\nFour minutes.\n\n# Coffee\n\nNone.';
    expect(split(text).map((chunk) => [chunk.heading, chunk.text])).toEqual([
      ['Tea', '# Tea\n\nAll about tea.'],
      ['Tea › Green', '## Green\n\nTwo minutes.'],
      ['Tea › Black', '## Black\n\nFour minutes.'],
      ['Coffee', '# Coffee\n\nNone.'],
    ]);
  });

  test('a heading without a text of its own stays with what is below it', () => {
    expect(split('# Tea\n\n## Green\n\nTwo minutes.').map((chunk) => [chunk.heading, chunk.text])).toEqual([
      ['Tea › Green', '# Tea\n\n## Green\n\nTwo minutes.'],
    ]);
  });

  test('a comment in code is no heading', () => {
    expect(split('# A\n\n```sh\n# not one\nls\n```').map(({ heading }) => heading)).toEqual(['A']);
  });

  test('between sentences where a text is too long, with an overlap of whole sentences', () => {
    const text = 'One is here. Two is here. Three is here. Four is here.';
    expect(split(text, { by: 'sentences', size: 40, overlap: 18 }).map((chunk) => chunk.text)).toEqual([
      'One is here. Two is here.',
      'Two is here. Three is here.',
      'Three is here. Four is here.',
    ]);
  });

  test('pages are never joined, and headings go on over them', () => {
    const pages = [
      { text: '# Start\n\nFirst.', page: 1 },
      { text: 'Second.', page: 2 },
    ];
    expect(split(pages, { by: 'pages' })).toMatchObject([
      { text: '# Start\n\nFirst.', heading: 'Start', page: 1 },
      { text: 'Second.', heading: 'Start', page: 2, start: 0, end: 7 },
    ]);
  });

  test('at a separator', () => {
    const texts = split('a---b------c', { by: 'separator', separator: '---' }).map((chunk) => chunk.text);
    expect(texts).toEqual(['a', 'b', 'c']);
  });

  test.each(['headings', 'sentences', 'characters', 'separator', 'pages'] as const)(
    'by %s loses no word, keeps the size, and says truly where each chunk is',
    (by) => {
      const word = fc.constantFrom(
        'tea',
        'Grüße.',
        '\n',
        '\n\n',
        '# Head\n',
        'end!',
        '😀',
        '中文。',
        ' ',
        '```\n',
      );
      const settings = fc.record({
        size: fc.integer({ min: 20, max: 60 }),
        overlap: fc.integer({ min: 0, max: 80 }),
      });
      fc.assert(
        fc.property(fc.array(word, { maxLength: 80 }), settings, (words, { size, overlap }) => {
          const text = words.join('');
          const chunks = split(text, { by, size, overlap, separator: '\n' });
          const covered = new Set<number>();
          for (const chunk of chunks) {
            expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
            expect(chunk.text.length).toBeLessThanOrEqual(size);
            expect(chunk.text.isWellFormed()).toBe(true);
            for (let at = chunk.start; at < chunk.end; at++) covered.add(at);
          }
          for (let at = 0; at < text.length; at++)
            if ((text[at] as string).trim() !== '') expect(covered.has(at)).toBe(true);
          const starts = chunks.map(({ start }) => start);
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        }),
      );
    },
  );
});
