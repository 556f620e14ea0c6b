/** A number in a JSON text that `JSON.parse` would make another one: a long whole one, or one beyond the range of a double. */
export interface LostNumber {
  readonly number: string;
  readonly index: number;
}

/** A number that may be too long or too large, or what looks like one within a text. */
const longNumber = /(?<=^|[[:,\s])-?(?:\d[\d.]*[eE][+-]?\d{3,}|\d{16,})/g;

/** The numbers of valid JSON, in order. A text that holds the same digits loses nothing. */
export function* lostNumbers(json: string): Generator<LostNumber> {
  /** Up to here all texts were passed over. */
  let passed = 0;
  for (const { 0: number, index } of json.matchAll(longNumber)) {
    if (/[.eE]/.test(json[index + number.length] ?? '') || !isLost(number)) continue;
    passed = afterTexts(json, passed, index);
    if (passed <= index) yield { number, index };
  }
}

/** The same JSON with such numbers as texts. */
export function lostNumbersAsTexts(json: string, lost: readonly LostNumber[]): string {
  let at = 0;
  let text = '';
  for (const { number, index } of lost) {
    text += `${json.slice(at, index)}"${number}"`;
    at = index + number.length;
  }
  return text + json.slice(at);
}

/**
 * `JSON.parse`, except that a number that would become another one becomes a text with its digits.
 * @throws SyntaxError for what is no JSON.
 */
export function parseKeepingDigits(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const lost = [...lostNumbers(json)];
  return lost.length === 0 ? value : (JSON.parse(lostNumbersAsTexts(json, lost)) as unknown);
}

/**
 * `JSON.parse` for what people write.
 * @throws SyntaxError for what is no JSON, and for a number that would become another one.
 */
export function parseExactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const { value: lost } = lostNumbers(json).next();
  if (lost) throw new SyntaxError(`it has ${lostNumberText(lost)}; write it as a text`);
  return value;
}

/** What is wrong with such a number, as the beginning of a sentence. */
export function lostNumberText({ number }: LostNumber): string {
  return `the number ${number.slice(0, 100)}, which can only be held as ${Number(number)}`;
}

/**
 * Whether a whole number in decimal digits would be written back with others. A double holds 1212092628029698048, but is
 * written as 1212092628029698000, so it is the written form that counts.
 */
export function losesDigits(number: string): boolean {
  const value = Number(number);
  return !Number.isSafeInteger(value) && String(value) !== number;
}

/** For a number with an exponent, whether it becomes infinite, or 0 without being 0. */
function isLost(number: string): boolean {
  const [mantissa = '', exponent] = number.split(/[eE]/);
  if (exponent === undefined) return losesDigits(number);
  const value = Number(number);
  return !Number.isFinite(value) || (value === 0 && /[1-9]/.test(mantissa));
}

/** Where the texts end that begin between `from`, which is in none, and `to`. */
function afterTexts(text: string, from: number, to: number): number {
  let at = from;
  for (;;) {
    const open = text.indexOf('"', at);
    if (open === -1 || open > to) return at;
    let end = text.indexOf('"', open + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    at = end + 1;
  }
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}
