import { isText, PLACE } from './text-rules.ts';

/** A text that people read in a page that is written in a source: text between its tags, and attributes that are shown. */
export interface HtmlWord {
  readonly start: number;
  readonly end: number;
  /** As it is read, with `{…}` for what is put in and `<…>` for an element within; empty for what stands in another text already. */
  readonly text: string;
  readonly holes: readonly Hole[];
}

/** A place for a value, from behind `${` to in front of `}`, and how the catalogue writes it. */
export interface Hole {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

const PAGE =
  /<\/?(?:html|head|body|main|header|title|h[1-6]|p|form|label|button|div|span|ul|ol|li|a|nav|table|tr|td|th|input|textarea|select|option|strong|em|b|dl|dt|dd|br)(?:\s[^<>]*)?>/;
const SHOWN = new Set(['aria-label', 'title', 'placeholder', 'alt']);
/** Elements that contain code, a picture or a value. */
const NOT_READ = new Set(['script', 'style', 'svg', 'code', 'pre', 'kbd', 'samp']);
const WITHOUT_END = new Set(['input', 'br', 'hr', 'img', 'meta', 'link', '!doctype']);

export function isHtml(text: string): boolean {
  return PAGE.test(text);
}

/** The words of `source` from `start` to `end`, in their order; `holes` are all that is put in there. */
export function htmlWords(
  source: string,
  start: number,
  end: number,
  holes: readonly Hole[] = [],
): HtmlWord[] {
  return new Reader(source, start, end, holes).read();
}

/** The words of a file of HTML, in which `{{name}}` stands for what is put in. */
export function wordsOfPage(source: string): HtmlWord[] {
  const holes = [...source.matchAll(/\{\{(\w+)\}\}/g)].map(({ index, 0: { length }, 1: name }) => ({
    start: index + 2,
    end: index + length - 1,
    shown: `{${name}}`,
  }));
  return htmlWords(source, 0, source.length, holes);
}

interface Run {
  readonly start: number;
  readonly holes: Hole[];
  text: string;
}

/** An element, with what is said in it: its texts in their places, and the elements within as `<…>`. */
interface Open {
  readonly name: string;
  readonly runs: (Omit<HtmlWord, 'text'> & { text: string })[];
  whole: string;
}

class Reader {
  readonly #source: string;
  readonly #end: number;
  readonly #holes: readonly Hole[];
  readonly #found: HtmlWord[] = [];
  readonly #open: Open[] = [{ name: '', runs: [], whole: '' }];
  #at: number;
  #run: Run | undefined;

  constructor(source: string, start: number, end: number, holes: readonly Hole[]) {
    this.#source = source;
    this.#end = end;
    this.#holes = holes;
    this.#at = start;
  }

  read(): HtmlWord[] {
    while (this.#at < this.#end) {
      const hole = this.#hole();
      if (hole) this.#put(hole);
      else if (/^<[a-z/!]/i.test(this.#source.slice(this.#at, this.#at + 2))) this.#tag();
      else this.#character();
    }
    this.#finishRun();
    while (this.#open.length > 0) this.#close();
    return this.#found.toSorted((a, b) => a.start - b.start);
  }

  /** What is put in at this place of the source. */
  #hole(): Hole | undefined {
    return this.#holes.find(({ start }) => start - 2 === this.#at);
  }

  #running(): Run {
    this.#run ??= { start: this.#at, holes: [], text: '' };
    return this.#run;
  }

  #put(hole: Hole): void {
    const run = this.#running();
    run.holes.push(hole);
    run.text += hole.shown;
    this.#at = hole.end + 1;
  }

  /** An escape of the language around it is a blank. */
  #character(): void {
    const run = this.#running();
    const isEscape = this.#source[this.#at] === '\\';
    run.text += isEscape ? ' ' : (this.#source[this.#at] ?? '');
    this.#at += isEscape ? 2 : 1;
  }

  #finishRun(): void {
    const run = this.#run;
    this.#run = undefined;
    const open = this.#open.at(-1);
    if (!run || !open) return;
    open.whole += run.text;
    if (isText(bare(run))) open.runs.push({ start: run.start, end: this.#at, text: '', holes: run.holes });
  }

  #tag(): void {
    this.#finishRun();
    const [whole = '', slash, name = ''] =
      /^<(\/?)([\w!:-]*)/.exec(this.#source.slice(this.#at, this.#end)) ?? [];
    this.#at += whole.length;
    this.#attributes();
    const tag = name.toLowerCase();
    if (slash) return this.#ended(tag);
    const around = this.#open.at(-1);
    if (around) around.whole += '<…>';
    if (NOT_READ.has(tag)) return this.#skip(tag);
    if (!WITHOUT_END.has(tag)) this.#open.push({ name: tag, runs: [], whole: '' });
  }

  #ended(tag: string): void {
    const at = this.#open.findLastIndex(({ name }) => name === tag);
    // Its beginning is elsewhere.
    if (at <= 0) return;
    while (this.#open.length > at) this.#close();
  }

  /** The text of the whole element is recorded at its first text; its other texts are only places of the source. */
  #close(): void {
    const open = this.#open.pop();
    const [first] = open?.runs ?? [];
    if (open && first) first.text = open.whole.replace(/\s+/g, ' ').trim();
    this.#found.push(...(open?.runs ?? []));
  }

  #skip(tag: string): void {
    const at = this.#source.indexOf(`</${tag}`, this.#at);
    this.#at = at < 0 || at > this.#end ? this.#end : this.#source.indexOf('>', at) + 1;
  }

  /** To the end of the tag. */
  #attributes(): void {
    while (this.#at < this.#end) {
      const hole = this.#hole();
      const [whole = '', name = ''] =
        /^([\w-]+)="/.exec(this.#source.slice(this.#at, Math.min(this.#end, this.#at + 60))) ?? [];
      if (hole) this.#at = hole.end + 1;
      else if (whole !== '') {
        this.#at += whole.length;
        this.#value(SHOWN.has(name));
      } else if (this.#source[this.#at++] === '>') return;
    }
  }

  #value(isShown: boolean): void {
    const run: Run = { start: this.#at, holes: [], text: '' };
    while (this.#at < this.#end && this.#source[this.#at] !== '"') {
      const hole = this.#hole();
      if (hole) {
        run.holes.push(hole);
        run.text += hole.shown;
      } else run.text += this.#source[this.#at] ?? '';
      this.#at = hole ? hole.end + 1 : this.#at + 1;
    }
    if (isShown && isText(bare(run)))
      this.#found.push({ start: run.start, end: this.#at, text: run.text, holes: run.holes });
    this.#at++;
  }
}

/** Its own text, without what is put in. */
function bare({ text, holes }: Run): string {
  return holes.reduce((left, { shown }) => left.replace(shown, PLACE), text);
}
