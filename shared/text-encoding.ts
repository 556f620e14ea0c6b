/** What is known about the encoding of a text before its bytes are read. */
export interface EncodingHints {
  /** The choice of whoever reads it; `auto` or undefined leaves it to the rest. */
  readonly encoding?: string | undefined;
  /** The charset of the Content-Type with which the text was sent. */
  readonly charset?: string | undefined;
  /** The format, if its texts may declare their encoding themselves. */
  readonly declares?: 'html' | 'xml' | undefined;
}

/** Bytes at the beginning of a text that may declare its encoding; the HTML standard says as many. */
export const DECLARED_WITHIN = 1024;

const XML_DECLARATION = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/i;
const HTML_DECLARATION = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i;

/**
 * The encoding of a text: the chosen one, else that of its byte order mark, of its Content-Type, of its own declaration, else
 * UTF-8. `start` has its first bytes, `DECLARED_WITHIN` if they may declare one, otherwise three.
 */
export function encodingOf(start: Uint8Array, { encoding, charset, declares }: EncodingHints): string {
  if (encoding !== undefined && encoding !== 'auto') return encoding;
  return markOf(start) ?? knownEncoding(charset) ?? declaredIn(start, declares) ?? 'utf-8';
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function declaredIn(start: Uint8Array, declares: EncodingHints['declares']): string | undefined {
  if (declares === undefined) return undefined;
  const wide = WIDE_DECLARATIONS.find(([bytes]) => bytes.every((byte, at) => start[at] === byte));
  if (wide !== undefined) return wide[1];
  const text = new TextDecoder('latin1').decode(start.subarray(0, DECLARED_WITHIN));
  const ofXml = XML_DECLARATION.exec(text)?.[1];
  const ofHtml =
    declares === 'html' ? HTML_DECLARATION.exec(text.replaceAll(/<!--[^]*?-->/g, ''))?.[1] : undefined;
  const declared = knownEncoding(ofXml ?? ofHtml);
  // The declaration was read byte by byte, so the text has no two bytes a character.
  return declared?.startsWith('utf-16') ? 'utf-8' : declared;
}

/** `<?` in two bytes each. */
const WIDE_DECLARATIONS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0x3c, 0, 0x3f, 0], 'utf-16le'],
  [[0, 0x3c, 0, 0x3f], 'utf-16be'],
];

/** The charset that a Content-Type names. */
export function charsetOf(contentType = ''): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
}

/** Undefined for a name that nobody knows. */
export function knownEncoding(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
