import { expect, test } from 'vitest';
import { marksOf } from './marks.ts';

const shown = (...given: Parameters<typeof marksOf>): string =>
  marksOf(...given)
    .map(({ text, isQuote, isWord }) => {
      const said = isWord ? `*${text}*` : text;
      return isQuote ? `[${said}]` : said;
    })
    .join('');

test('the quote and the words of the question are marked, the rest is the text', () => {
  expect(shown('One. Crème is here. Two.', 'Crème is here.', ['creme', 'two'])).toBe(
    'One. [*Crème*][ is here.] *Two*.',
  );
  expect(shown('particular art', '', ['art'])).toBe('particular *art*');
  expect(shown('see err-42 now', 'not in it', ['err-42'])).toBe('see *err*-*42* now');
  expect(shown('知识库是什么', '知识库是什么', ['知识'])).toBe('[*知识*][库是什么]');
  expect(shown('', '', [])).toBe('');
});
