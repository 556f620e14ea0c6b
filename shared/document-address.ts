/** Longest part of a quote in an address, in characters. */
const PART = 80;

/** A place in a document: the number of its chunk, and how the quoted text begins and ends. */
export interface DocumentPlace {
  readonly chunk?: number;
  readonly quote?: string;
  /** Only for long quotes, of which `quote` is the beginning. */
  readonly until?: string;
}

/** The place of a quote in a chunk; a long quote is named by its two ends. */
export function documentPlace(chunk: number, quote: string): DocumentPlace {
  const text = quote.trim().toWellFormed();
  if (text === '') return { chunk };
  if (text.length <= 2 * PART) return { chunk, quote: text };
  // Without the half of a pair of surrogates.
  const begins = text.slice(0, PART).replace(/[\uD800-\uDBFF]$/, '');
  return { chunk, quote: begins, until: text.slice(-PART).replace(/^[\uDC00-\uDFFF]/, '') };
}

/** Where the editor shows a chunk in its document, with the quote marked. */
export function documentAddress(document: string, chunk: number, quote: string): string {
  const fields = Object.entries(documentPlace(chunk, quote));
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return `/knowledge/documents/${document}?${query}`;
}

/** The quoted part of a text as it stands there; undefined if it is not there. */
export function quoteIn(text: string, { quote = '', until }: DocumentPlace): string | undefined {
  const from = quote === '' ? -1 : text.indexOf(quote);
  if (from === -1) return undefined;
  if (until === undefined) return quote;
  const end = text.indexOf(until, from);
  return end === -1 ? quote : text.slice(from, end + until.length);
}
