import type { KnowledgeHit } from '#shared/knowledge.ts';
import type { Fused } from './fuse.ts';
import { quoteOf } from './quote.ts';
import type { SearchAsked } from './store.ts';
import { chunkOf, idOf, type StoredRow } from './stored-rows.ts';
import { matchedTerms } from './words.ts';

/** How many chunks of each ranking are fused for each requested hit. */
const DEPTH = 4;

export function depthOf({ limit }: Pick<SearchAsked, 'limit'>): number {
  return Math.max(20, limit * DEPTH);
}

/**
 * A citation. `row` is a chunk with `document_name`, `url` and `metadata` of its document and `space_name`; `around` is the chunk
 * with its requested neighbours, in document order; `terms` are the words of the question.
 */
export function hitOf(
  row: StoredRow,
  { score, why }: Pick<Fused, 'score' | 'why'>,
  around: readonly StoredRow[],
  terms: readonly string[],
): KnowledgeHit {
  const chunk = chunkOf(row);
  return {
    ...chunk,
    document: {
      id: idOf(row['document']),
      name: row['document_name'] as string,
      url: row['url'] as string | null,
      metadata: JSON.parse(row['metadata'] as string) as KnowledgeHit['document']['metadata'],
    },
    space: row['space_name'] as string,
    context: contextOf(around),
    quote: quoteOf(chunk.text, terms),
    score,
    why: {
      words: why.words && {
        ...why.words,
        matched: matchedTerms(terms, [chunk.text, chunk.heading, row['document_name'] as string]),
      },
      meaning: why.meaning,
    },
  };
}

/** Joins chunks; text that two of them share occurs once. */
function contextOf(around: readonly StoredRow[]): string {
  const chunks = around.map(chunkOf);
  let text = '';
  let before: (typeof chunks)[number] | undefined;
  for (const chunk of chunks) {
    const common = before?.page === chunk.page ? Math.max(0, before.end - chunk.start) : 0;
    text += before === undefined ? chunk.text : `${common > 0 ? '' : '\n\n'}${chunk.text.slice(common)}`;
    before = chunk;
  }
  return text;
}
