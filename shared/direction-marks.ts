/** Marks that set the direction of the text after them, until its end. They show nothing themselves. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name without the marks that would make it, and what stands behind it, read backwards. */
export function withoutDirectionMarks(text: string): string {
  return text.replaceAll(DIRECTION_MARKS, '');
}
