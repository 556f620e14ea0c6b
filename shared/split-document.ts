import { z } from 'zod';

/** How a document is split into chunks. */
export const SplitSettings = z.object({
  by: z
    .enum(['headings', 'sentences', 'characters', 'separator', 'pages'])
    .default('headings')
    .describe(
      'headings: at Markdown headings, then like sentences. sentences: between paragraphs and sentences. characters: between words. separator: at each separator. pages: each page, and what is longer like sentences.',
    ),
  size: z.int().min(20).max(20_000).default(1000).describe('Longest chunk, in characters.'),
  overlap: z
    .int()
    .min(0)
    .max(10_000)
    .default(150)
    .describe('How many characters of a chunk the next one repeats, at most; fewer than half of `size`.'),
  separator: z
    .string()
    .min(1)
    .max(100)
    .default('\n')
    .describe('The separator, for `by: separator`.')
    .meta({ when: { param: 'by', is: ['separator'] } }),
});
export type SplitSettings = z.infer<typeof SplitSettings>;

const { by, size, overlap, separator } = SplitSettings.shape;
/** Some of the settings; what is left out stays as it is. */
export const SplitChange = z.object({
  by: by.unwrap().optional().describe(`${by.description} By default as the space says.`),
  size: size.unwrap().optional().describe(`${size.description} By default as the space says.`),
  overlap: overlap.unwrap().optional().describe(`${overlap.description} By default as the space says.`),
  separator: separator.unwrap().optional().describe(`${separator.description} By default as the space says.`),
});
export type SplitChange = Readonly<z.infer<typeof SplitChange>>;

/** A piece of a document that is split on its own: a page of it, or all of it. */
export interface DocumentPart {
  readonly text: string;
  /** Counted from 1; absent where a document has no pages. */
  readonly page?: number | undefined;
}

/** A part of a document that is found and quoted as one. */
export interface Chunk {
  /** The text of its page, or of the document, from `start` to `end`. */
  readonly text: string;
  /** The headings above it, the highest first, with ` › ` between them; empty if there are none. */
  readonly heading: string;
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly heading: string;
}

/** Splits a document. Chunks are in its order and never cross pages; blank ones are left out. */
export function* splitDocument(
  parts: Iterable<DocumentPart>,
  settings: SplitSettings,
): Generator<Chunk, void, undefined> {
  const headings = new Headings();
  for (const { text, page } of parts)
    for (const span of spansOf(text, settings, headings)) {
      const chunk = chunkOf(text, span, page);
      if (chunk) yield chunk;
    }
}

function chunkOf(text: string, { start, end, heading }: Span, page: number | undefined): Chunk | undefined {
  const raw = text.slice(start, end);
  const trimmed = raw.trim();
  if (trimmed === '') return undefined;
  const from = start + raw.indexOf(trimmed);
  return { text: trimmed, heading, page: page ?? null, start: from, end: from + trimmed.length };
}

/** The headings above a place, by their level. */
class Headings {
  private readonly path: string[] = [];

  enter(level: number, title: string): void {
    this.path.length = Math.min(this.path.length, level - 1);
    this.path[level - 1] = title;
  }

  toString(): string {
    return this.path.filter((title) => title !== undefined).join(' › ');
  }
}

const HEADING = /^(#{1,6})[ \t]/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** Sections are taken as they are needed: a large text is split step by step. */
function* spansOf(text: string, settings: SplitSettings, headings: Headings): Generator<Span> {
  const sections = sectionsOf(text, headings);
  if (settings.by === 'headings') {
    for (const section of sections) yield* packed(text, section, settings);
    return;
  }
  const take = (): Span | undefined => sections.next().value ?? undefined;
  let section = take();
  let next = take();
  const whole = { start: 0, end: text.length, heading: '' };
  const cut = settings.by === 'separator' ? separated : packed;
  for (const span of cut(text, whole, settings)) {
    for (; next !== undefined && section !== undefined && section.end <= span.start; next = take())
      section = next;
    yield { ...span, heading: section?.heading ?? '' };
  }
  // The next page is below the last heading of this one.
  while (next !== undefined) next = take();
}

/** From one heading to the next. One that has nothing below it but deeper headings is left to them. */
function* sectionsOf(text: string, headings: Headings): Generator<Span> {
  let start = 0;
  let isFenced = false;
  let hasBody = false;
  let heading = String(headings);
  for (const { line, at } of linesOf(text)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const found = isFenced ? undefined : headingIn(line);
    if (found === undefined) {
      hasBody ||= line.trim() !== '';
      continue;
    }
    if (hasBody) yield { start, end: at, heading };
    headings.enter(found.level, found.title);
    heading = String(headings);
    if (hasBody || at === 0) start = at;
    hasBody = false;
  }
  yield { start, end: text.length, heading };
}

function headingIn(line: string): { readonly level: number; readonly title: string } | undefined {
  const level = HEADING.exec(line)?.[1]?.length;
  const title = level === undefined ? '' : titleOf(line.slice(level));
  return level === undefined || title === '' ? undefined : { level, title };
}

/** A heading without the marks behind it. They are cut off from the end: an expression would try each blank as the beginning of them. */
function titleOf(text: string): string {
  const title = withoutEnd(text, ' \t');
  const bare = withoutEnd(title, '#');
  return (bare.trim() === '' ? title : withoutEnd(bare, ' \t')).replace(/^[ \t]+/, '');
}

function withoutEnd(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

function* linesOf(text: string): Generator<{ line: string; at: number }> {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    yield { line: text.slice(at, text[end - 1] === '\r' ? end - 1 : end), at };
    at = end + 1;
  }
}

function* separated(text: string, section: Span, settings: SplitSettings): Generator<Span> {
  const { separator } = settings;
  let { start } = section;
  while (start < section.end) {
    const next = text.indexOf(separator, start);
    const end = next === -1 || next > section.end ? section.end : next;
    yield* packed(text, { ...section, start, end }, { ...settings, overlap: 0 });
    start = end + separator.length;
  }
}

/** The chunks of a section: as much as fits in each, up to the best place to cut. */
function* packed(text: string, section: Span, { by, size, overlap }: SplitSettings): Generator<Span> {
  const { heading } = section;
  let { start } = section;
  while (section.end - start > size) {
    const end = cutBetween(text, start + Math.ceil(size / 2), start + size, by === 'characters');
    yield { start, end, heading };
    start = Math.max(start + 1, overlapFrom(text, end, Math.min(overlap, Math.floor(size / 2) - 1)));
  }
  if (start < section.end) yield { start, end: section.end, heading };
}

const PARAGRAPH = /\n[ \t]*\r?\n/g;
const SENTENCE = /[.!?…]["'”’)\]]*\s|[。！？]|\n/g;
const WORD = /\s/g;

/** The last place where a paragraph ends, otherwise a sentence, otherwise a word; otherwise `to` itself. */
function cutBetween(text: string, from: number, to: number, atWords: boolean): number {
  const window = text.slice(from, to);
  for (const end of atWords ? [WORD] : [PARAGRAPH, SENTENCE, WORD]) {
    const at = lastEnd(window, end);
    if (at !== undefined) return from + at;
  }
  return isHalf(text, to) ? to - 1 : to;
}

function lastEnd(window: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const found of window.matchAll(pattern)) end = found.index + found[0].length;
  return end;
}

/** Where the next chunk starts: at a sentence of the end of this one, otherwise at a word. */
function overlapFrom(text: string, end: number, overlap: number): number {
  if (overlap <= 0) return end;
  const window = text.slice(end - overlap, end);
  for (const pattern of [SENTENCE, WORD]) {
    const [found] = window.matchAll(pattern);
    if (found !== undefined && found.index + found[0].length < window.length)
      return end - overlap + found.index + found[0].length;
  }
  return isHalf(text, end - overlap) ? end - overlap + 1 : end - overlap;
}

/** Whether this place is within a character of two code units. */
function isHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
