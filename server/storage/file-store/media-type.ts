import { isUtf8 } from 'node:buffer';

/** How many bytes of a file determine its type. */
export const SNIFFED = 4100;
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;
const BINARY = 'application/octet-stream';
/** Types of documents that are containers of another type, which their first bytes show. */
const INSIDE: Readonly<Record<string, RegExp>> = {
  'application/zip':
    /^application\/(?:vnd\.openxmlformats-officedocument\.[\w.-]+|vnd\.oasis\.opendocument\.[\w.-]+|epub\+zip|java-archive)$/,
  'application/x-cfb': /^application\/(?:msword|vnd\.ms-[\w.-]+)$/,
  'application/xml': /^(?:text\/xml|[\w.-]+\/[\w.-]+\+xml)$/,
};

/** The type that the first bytes of a file show. */
interface Sniffed {
  /** Undefined if they have no known mark. */
  readonly type: string | undefined;
  /** Whether they may be text. */
  readonly isText: boolean;
}

/** Looks at the beginning of a file on its way. */
export function createSniffer(): {
  /** The same content. */
  watch(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Call it after the end of the content. */
  found(): Promise<Sniffed>;
} {
  const head = Buffer.alloc(SNIFFED);
  let length = 0;
  return {
    async *watch(content) {
      for await (const piece of content) {
        const part = piece.subarray(0, SNIFFED - length);
        head.set(part, length);
        length += part.length;
        yield piece;
      }
    },
    async found() {
      const { fileTypeFromBuffer } = await import('file-type');
      const start = head.subarray(0, length);
      const found = length === 0 ? undefined : await fileTypeFromBuffer(start).catch(() => undefined);
      return { type: found?.mime, isText: isText(start, length === SNIFFED) };
    },
  };
}

/**
 * The media type of a file. Its bytes count more than the sender's claim: a claim is accepted for a text,
 * and for a kind of document that the bytes cannot contradict.
 */
export function mediaTypeOf(sniffed: Sniffed, claimed = ''): string {
  const claim = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const usable = MEDIA_TYPE.test(claim) && claim !== BINARY ? claim : undefined;
  const shown = sniffed.type ?? (sniffed.isText ? 'text/plain' : BINARY);
  return usable !== undefined && mayBe(usable, sniffed) ? usable : shown;
}

/** Whether a file may have the type that its sender claims. */
function mayBe(claim: string, { type, isText: mayBeText }: Sniffed): boolean {
  if (type !== undefined) return INSIDE[type]?.test(claim) === true;
  // Pictures, sounds and fonts have marks; a claim of such a type without the mark is false.
  if (/^(?:image|audio|video|font)\/(?!.*\+xml$)/.test(claim)) return false;
  return mayBeText || !claim.startsWith('text/');
}

/** Whether bytes are UTF-8 without control characters that no text has, or UTF-16 with its mark. `cut`: more bytes follow. */
function isText(bytes: Buffer, cut: boolean): boolean {
  if (['fffe', 'feff'].includes(bytes.toString('hex', 0, 2))) return true;
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) return false;
  if (isUtf8(bytes)) return true;
  // The last character may be cut.
  return cut && [1, 2, 3].some((less) => isUtf8(bytes.subarray(0, bytes.length - less)));
}
