import { toText, WeftError } from '../base/operator.ts';

/** Writes a mail (RFC 5322, RFC 2045) for services that take one as a whole. */

const HEADERS: readonly (readonly [string, string])[] = [
  ['from', 'From'],
  ['to', 'To'],
  ['cc', 'Cc'],
  ['bcc', 'Bcc'],
  ['replyTo', 'Reply-To'],
  ['subject', 'Subject'],
  ['inReplyTo', 'In-Reply-To'],
  ['references', 'References'],
];

/** An attachment. */
export interface MailFile {
  readonly name: string;
  readonly type: string;
  /** In base64. */
  readonly content: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** `fields`: texts, and lists of texts for addresses. Throws `bad_params` for a line break in a header. */
export function mailText(fields: Fields, files: readonly MailFile[]): string {
  const headers = HEADERS.flatMap(([name, header]) => {
    const value = fields[name];
    return value === undefined || value === '' ? [] : [`${header}: ${headerText(name, value)}`];
  });
  const texts = textsOf(fields);
  const parts = files.length === 0 ? texts : multipart('mixed', [texts, ...files.map(filePart)]);
  return [...headers, 'MIME-Version: 1.0', ...parts].join('\r\n');
}

/** The text, its HTML, or both for the program of the reader to choose. */
function textsOf({ text, html }: Fields): string[] {
  const hasHtml = html !== undefined && html !== '';
  if (!hasHtml) return partOf('plain', text ?? '');
  if (text === undefined || text === '') return partOf('html', html);
  return multipart('alternative', [partOf('plain', text), partOf('html', html)]);
}

/** The contents are in base64, in which no line begins like a boundary. */
function multipart(kind: 'alternative' | 'mixed', parts: readonly string[][]): string[] {
  const boundary = `=_weft_${kind}`;
  return [
    `Content-Type: multipart/${kind}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    '',
  ];
}

function filePart({ name, type, content }: MailFile): string[] {
  const media = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
  return [
    `Content-Type: ${media}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name.toWellFormed())}`,
    '',
    ...(content.match(/.{1,76}/g) ?? ['']),
  ];
}

function partOf(kind: 'plain' | 'html', value: unknown): string[] {
  const lines = base64(toText(value)).match(/.{1,76}/g) ?? [''];
  return [`Content-Type: text/${kind}; charset=utf-8`, 'Content-Transfer-Encoding: base64', '', ...lines];
}

function headerText(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map(toText).join(', ') : toText(value);
  if (/[\r\n\0]/.test(text))
    throw new WeftError('bad_params', `params.${name} has a line break.`, { field: `params.${name}` });
  if (name === 'subject') return encodedWords(text);
  // Only the name before an address may have other letters.
  return text.replaceAll(/[^,<>]*[^ -~][^,<>]*/g, (part) =>
    part.replace(/^(\s*)(.*?)(\s*)$/s, (_, before: string, words: string, after: string) => {
      return before + encodedWords(words.replaceAll('"', '')) + after;
    }),
  );
}

/** Characters of one encoded word: 75 at most, in base64 and with its frame. */
const WORD = 10;

function encodedWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const characters = Array.from(text.toWellFormed());
  const words: string[] = [];
  for (let at = 0; at < characters.length; at += WORD)
    words.push(`=?utf-8?B?${base64(characters.slice(at, at + WORD).join(''))}?=`);
  return words.join('\r\n ');
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
