import type { CitedDocument, CitedPassage } from '#shared/chat-item.ts';
import { documentAddress } from '#shared/document-address.ts';
import type { KnowledgeHit } from '#shared/knowledge.ts';

/** Words that nearly every text has: a passage that shares no others with a question does not answer it. */
const EVERYDAY: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from had has have he her his how i if in into is it its
  just may me more most much must my no not of on one only or our out over she should so some such than that the their them then
  there these they this those to too up us was we were what when where which while who whom whose why will with would you your
  aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dir du durch ein eine einem einen einer
  er es für gibt hat habe haben hatte ich ihr ihre im in ist ja kann kein keine man mein meine mich mir mit nach nicht noch nur ob oder
  sein sich sie sind so über um und uns vom von vor war warum was welche welcher wenn wer werden wie wieviel wird wir wo zu zum zur
  au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur lui ma mais me mes moi ne nous où par pas pour
  quand que quel quelle qui quoi sa se ses son sont sur ta tu un une vous y
  al como con cual cuál cuando cuándo cómo de del donde dónde el ella en es esta este la las lo los más mi no o para pero por qué que se si
  sin sobre su sus un una y`.split(/\s+/),
);

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
  return (question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !EVERYDAY.has(word));
}

/** Without its ending, as the index compares words too. */
function stemOf(word: string): string {
  return word.length > 5 ? word.slice(0, -2) : word;
}

/** How much a term counts that a text has often, and how much longer texts lose: the usual ones of BM25. */
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
  const [first = ''] = quote.split(/[\r\n]/, 1);
  // A dash has a meaning there.
  const place = encodeURIComponent(first.slice(0, 120).toWellFormed().trim()).replaceAll('-', '%2D');
  return document.url.includes('#') || place === '' ? document.url : `${document.url}#:~:text=${place}`;
}
