import type { CitedDocument, CitedPassage } from '#shared/chat-item.ts';
import { documentAddress } from '#shared/document-address.ts';
import { tellingWords } from '#shared/everyday-words.ts';
import type { KnowledgeHit } from '#shared/knowledge.ts';

/** Writing without blanks has no words to compare. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** A passage that is this close in meaning fits without a common word. */
const CLOSE = 0.3;

/** The hits that have something to do with the question: a word of it that is not an everyday one, or its meaning. */
export function fitting(hits: readonly KnowledgeHit[], question: string): KnowledgeHit[] {
  const words = wordsOf(question);
  const isVague = UNSPACED.test(question);
  return hits.filter(({ context, heading, document, why }) => {
    if (isVague || (why.meaning?.score ?? 0) >= CLOSE) return true;
    const text = `${document.name} ${heading} ${context}`.toLowerCase();
    return words.some((word) => text.includes(stemOf(word)));
  });
}

function wordsOf(question: string): string[] {
  return tellingWords(question.match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) => word.toLowerCase());
}

/** The word without its ending, as in the comparison of the index. */
function stemOf(word: string): string {
  return word.length > 5 ? word.slice(0, -2) : word;
}

/** The usual parameters of BM25: how much a term counts that a text has often, and how much longer texts lose. */
const [OFTEN, LENGTH] = [1.2, 0.75];

/**
 * How well texts fit a question by its words, from 0 to 1: BM25 among these texts, times the share of the words that a text has.
 * Writing without blanks is compared by pairs of characters.
 */
export function lexicalScores(question: string, texts: readonly string[]): number[] {
  const terms = [...new Set(wordsOf(question).flatMap(termsOf))];
  const lower = texts.map((text) => text.toLowerCase());
  const mean = lower.reduce((sum, { length }) => sum + length, 0) / Math.max(1, lower.length) || 1;
  const rarity = terms.map((term) => {
    const found = lower.filter((text) => text.includes(term)).length;
    return Math.log(1 + (lower.length - found + 0.5) / (found + 0.5));
  });
  const raw = lower.map((text) => {
    const counts = terms.map((term) => text.split(term).length - 1);
    const norm = OFTEN * (1 - LENGTH + (LENGTH * text.length) / mean);
    const sum = counts.reduce((all, n, at) => all + ((rarity[at] ?? 0) * n * (OFTEN + 1)) / (n + norm), 0);
    return (sum * counts.filter((n) => n > 0).length) / Math.max(1, terms.length);
  });
  const most = Math.max(...raw, 0);
  return raw.map((score) => (most === 0 ? 0 : score / most));
}

function termsOf(word: string): string[] {
  if (!UNSPACED.test(word) || word.length < 3) return [stemOf(word)];
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

/** Hits as what an answer rests on: by document, in the order of their ranks. */
export function citedDocuments(hits: readonly KnowledgeHit[]): CitedDocument[] {
  const byName = new Map<string, CitedPassage[]>();
  for (const [at, hit] of hits.entries()) {
    const { id, page, heading, text, quote, score, document } = hit;
    const passages = byName.get(document.name) ?? [];
    byName.set(document.name, passages);
    const { metadata } = document;
    passages.push({ n: at + 1, id, page, heading, text, quote, score, metadata, href: hrefOf(hit) });
  }
  return [...byName].map(([name, passages]) => ({ name, passages }));
}

/** The quoted sentence on its page in the web, or in its document on the screen of this server. */
function hrefOf({ document, quote, n }: KnowledgeHit): string {
  if (document.url === null) return documentAddress(document.id, n, quote);
  // Within `<…>` Markdown allows neither blanks nor brackets.
  const url = document.url.replaceAll(/[\s<>]/g, encodeURIComponent);
  const [first = ''] = quote.split(/[\r\n]/, 1);
  // A dash has a meaning there.
  const place = encodeURIComponent(first.slice(0, 120).toWellFormed().trim()).replaceAll('-', '%2D');
  return url.includes('#') || place === '' ? url : `${url}#:~:text=${place}`;
}
