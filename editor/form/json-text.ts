import { lostNumbers } from '#shared/lost-digits.ts';

/** A value as text in a JSON field; empty for an absent one. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** The value of a JSON text, or its error; an empty text is an absent value. */
export function parsedJson(text: string): { readonly value: unknown } | { readonly fault: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    const value: unknown = JSON.parse(text);
    const { value: lost } = lostNumbers(text).next();
    return lost
      ? { fault: `${lost.number} has more digits than a number keeps; write it as a text.` }
      : { value };
  } catch (error) {
    const place = /position (\d+)/.exec(String(error))?.[1];
    const line = place === undefined ? undefined : text.slice(0, Number(place)).split('\n').length;
    return {
      fault: line === undefined ? 'This is not valid JSON.' : `This is not valid JSON; see line ${line}.`,
    };
  }
}
