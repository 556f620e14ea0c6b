/** A piece of text on a page, in the form of the library. */
export interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly dir: string;
  /** The last two numbers are its position from the lower left corner. */
  readonly transform: readonly number[];
}

/** A field or a note on a page, in the form of the library. */
export interface Annotation {
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly password?: boolean;
  readonly fieldValue?: unknown;
  readonly rect?: readonly number[];
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly buttonValue?: string | null;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
  readonly contentsObj?: { readonly str: string };
}

/** The text of a page line by line, with the entries of its form fields. */
export function pageText(items: readonly TextItem[], annotations: readonly Annotation[]): string {
  const lines = linesOf(items);
  for (const annotation of annotations) addEntry(lines, annotation);
  return lines
    .map((line) =>
      inReadingOrder(line)
        .map(({ str }) => str)
        .join('')
        .trimEnd(),
    )
    .join('\n')
    .trim();
}

function linesOf(items: readonly TextItem[]): TextItem[][] {
  const lines: TextItem[][] = [[]];
  for (const item of items) {
    lines.at(-1)?.push(item);
    if (item.hasEOL) lines.push([]);
  }
  return lines;
}

// ------------------------------------------------------------------------------------------------------ fields

/** Puts an entry after its label: the text to its left in the same line, or else the text above. */
function addEntry(lines: TextItem[][], annotation: Annotation): void {
  const text = entryOf(annotation);
  const [left, bottom, , top] = annotation.rect ?? [];
  if (text === '' || left === undefined || bottom === undefined || top === undefined) return;
  const entry: TextItem = { str: text, hasEOL: false, dir: 'ltr', transform: [1, 0, 0, 1, left, bottom] };
  const line = lines.find((one) => isBeside(one, bottom, top));
  if (line !== undefined) return addTo(line, entry);
  const below = lines.findIndex((one) => heightOf(one) < bottom);
  lines.splice(below === -1 ? lines.length : below, 0, [entry]);
}

/** Inserts the entry before the first text of the line that is further to the right. */
function addTo(line: TextItem[], entry: TextItem): void {
  const next = line.findIndex((item) => item.str.trim() !== '' && placeOf(item) > placeOf(entry));
  const at = next === -1 ? line.length : next;
  const isApart = (line[at - 1]?.str ?? ' ').endsWith(' ');
  line.splice(at, 0, { ...entry, str: `${isApart ? '' : ' '}${entry.str}${next === -1 ? '' : ' '}` });
}

function isBeside(line: readonly TextItem[], bottom: number, top: number): boolean {
  const height = heightOf(line);
  return height >= bottom && height <= top;
}

/** Undefined for a line without text. */
function heightOf(line: readonly TextItem[]): number {
  return line.find(({ str }) => str.trim() !== '')?.transform[5] ?? Number.NaN;
}

function placeOf({ transform }: TextItem): number {
  return transform[4] ?? 0;
}

function entryOf(annotation: Annotation): string {
  const { subtype, hidden, password } = annotation;
  if (hidden || password) return '';
  // A note whose text is on the page itself.
  if (subtype === 'FreeText') return annotation.contentsObj?.str.trim() ?? '';
  return subtype === 'Widget' ? filledIn(annotation) : '';
}

function filledIn(field: Annotation): string {
  const { fieldValue, checkBox, radioButton, buttonValue } = field;
  if (checkBox) return typeof fieldValue === 'string' && fieldValue !== 'Off' ? '[x]' : '';
  if (radioButton) return typeof fieldValue === 'string' && fieldValue === buttonValue ? '[x]' : '';
  return (Array.isArray(fieldValue) ? (fieldValue as unknown[]) : [fieldValue])
    .flatMap((value) => (typeof value === 'string' ? [shownAs(value, field).trim()] : []))
    .filter((text) => text !== '')
    .join(', ');
}

function shownAs(value: string, { options = [] }: Annotation): string {
  return options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value;
}

// ------------------------------------------------------------------------------------------- from right to left

/** Orders the pieces of a line that is mostly written from right to left from the right; pieces of other scripts keep their order. */
function inReadingOrder(line: readonly TextItem[]): readonly TextItem[] {
  const characters = (dir: string): number =>
    line.reduce((count, item) => count + (item.dir === dir ? item.str.trim().length : 0), 0);
  if (characters('rtl') === 0 || characters('rtl') < characters('ltr')) return line;
  const ordered: TextItem[] = [];
  let run: TextItem[] = [];
  for (const item of line.toSorted((a, b) => placeOf(b) - placeOf(a))) {
    if (item.dir !== 'rtl') run.push(item);
    else {
      ordered.push(...fromLeft(run), item);
      run = [];
    }
  }
  return [...ordered, ...fromLeft(run)];
}

/** Blanks at the ends of a run separate it from its neighbours, and stay there. */
function fromLeft(run: readonly TextItem[]): readonly TextItem[] {
  const isWord = ({ str }: TextItem): boolean => str.trim() !== '';
  const first = run.findIndex(isWord);
  if (first === -1) return run;
  const end = run.findLastIndex(isWord) + 1;
  return [...run.slice(0, first), ...run.slice(first, end).toReversed(), ...run.slice(end)];
}
