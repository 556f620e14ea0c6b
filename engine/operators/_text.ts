import { WeftError } from '../base/operator.ts';
import { MAX_TEXT } from './_limits.ts';

/**
 * The input as a text.
 * @throws WeftError `bad_input` for any other value, `value_too_large` for a text beyond `most` characters.
 */
export function inputText(value: unknown, most = MAX_TEXT): string {
  if (typeof value !== 'string') throw new WeftError('bad_input', 'The input is not a text.');
  if (value.length > most)
    throw new WeftError('value_too_large', `The text is longer than ${most} characters.`);
  return value;
}

/** A text that is built from parts. */
export class TextBuilder {
  private readonly parts: string[] = [];
  private length = 0;

  /** @throws WeftError `value_too_large` if the whole text would be too long. */
  add(part: string): void {
    this.length += part.length;
    if (this.length > MAX_TEXT)
      throw new WeftError('value_too_large', `The text would be longer than ${MAX_TEXT} characters.`);
    this.parts.push(part);
  }

  toString(): string {
    return this.parts.join('');
  }
}
