/** Marks that set the direction of the text after them, until its end. They show nothing themselves. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name without the marks that would make it, and what stands behind it, read backwards. */
export function withoutDirectionMarks(text: string): string {
  return text.replaceAll(DIRECTION_MARKS, '');
}

/** Data with these marks as JSON may write them, such as `\u202e`: it shows what it holds, in the order in which it holds it. */
export function writtenDirectionMarks(text: string): string {
  return text.replaceAll(DIRECTION_MARKS, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
}
