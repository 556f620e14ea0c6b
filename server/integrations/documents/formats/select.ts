import type { PagePart, PageValue, SelectOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { readPage } from './page.ts';

interface Element {
  readonly textContent: string | null;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
}

interface Root {
  querySelectorAll(selector: string): Iterable<Element & Root>;
}

/** Characters of all parts together. */
const MAX_LENGTH = 10_000_000;

type Parts = Readonly<Record<string, PageValue>>;

/** Parts of a page by CSS selectors: one object, or one for each row. */
export async function readParts(
  bytes: AsyncIterable<Uint8Array>,
  { rows, fields, ...options }: SelectOptions,
): Promise<Parts | readonly Parts[]> {
  const page = await readPage(bytes, options);
  const whole = page.documentElement as unknown as Element & Root;
  const selection = new Selection();
  const partsOf = (root: Element & Root): Parts =>
    Object.fromEntries(fields.map((part, index) => [part.name, valueOf(root, part, index, selection)]));
  if (rows === undefined) return partsOf(whole);
  return found(page as unknown as Root, rows, 'rows').map(partsOf);
}

function valueOf(root: Element & Root, part: PagePart, index: number, selection: Selection): PageValue {
  const elements = part.selector === '' ? [root] : found(root, part.selector, `fields[${index}].selector`);
  if (part.count === 'first') return elements[0] === undefined ? null : selection.take(elements[0], part);
  return elements.map((element) => selection.take(element, part)).filter((value) => value !== null);
}

/** Rows and parts may lie within each other, so that a small page has a large result. */
class Selection {
  private length = 0;

  take(element: Element, part: PagePart): string | null {
    const value = taken(element, part);
    this.length += value?.length ?? 0;
    if (this.length > MAX_LENGTH)
      throw new DocumentError({
        code: 'document_too_large',
        message: `The selected parts have more than ${MAX_LENGTH.toLocaleString('en-US')} characters; select smaller ones.`,
      });
    return value;
  }
}

/** Texts are read as they are seen: a run of white space is one blank. */
function taken(element: Element, { take, attribute = '' }: PagePart): string | null {
  if (take === 'attribute') return element.getAttribute(attribute);
  return take === 'html'
    ? element.innerHTML.trim()
    : (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
}

function found(root: Root, selector: string, param: string): (Element & Root)[] {
  try {
    return [...root.querySelectorAll(selector)];
  } catch {
    throw new DocumentError({
      code: 'bad_params',
      message: `\`${selector}\` is not a CSS selector.`,
      data: { field: `params.${param}` },
    });
  }
}
