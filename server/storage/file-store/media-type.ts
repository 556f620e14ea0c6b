import { isUtf8 } from 'node:buffer';
import { charsetOf, knownEncoding } from '#shared/text-encoding.ts';

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
  /** Whether they may be text in an encoding that is older than Unicode. */
  readonly mayBeOlder: boolean;
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
      const mayBeOlder = !hasControls(start);
      const isUnicode = hasMark(start) || (mayBeOlder && isWholeUtf8(start, length === SNIFFED));
      return { type: found?.mime, isText: isUnicode, mayBeOlder };
    },
  };
}

/**
 * The media type of a file. Its bytes count more than the sender's claim: a claim is accepted for a text,
 * and for a kind of document that the bytes cannot contradict.
 */
export function mediaTypeOf(sniffed: Sniffed, claimed = ''): string {
  const usable = usableClaim(claimed);
  const charset = olderCharset(claimed, sniffed);
  const isText = sniffed.isText || charset !== undefined;
  const shown = sniffed.type ?? (isText ? 'text/plain' : BINARY);
  const type = usable !== undefined && mayBe(usable, { ...sniffed, isText }) ? usable : shown;
  return charset !== undefined && isTextual(type) ? `${type}; charset=${charset}` : type;
}

function usableClaim(claimed: string): string | undefined {
  const claim = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(claim) && claim !== BINARY ? claim : undefined;
}

/** The encoding that the sender names, if it is not a Unicode encoding and the bytes may be in it. */
function olderCharset(claimed: string, { mayBeOlder }: Sniffed): string | undefined {
  const encoding = mayBeOlder ? knownEncoding(charsetOf(claimed)) : undefined;
  return encoding === undefined || encoding.startsWith('utf-') ? undefined : encoding;
}

function isTextual(type: string): boolean {
  return /^text\/|^application\/(?:xml|json|xhtml\+xml|rss\+xml|atom\+xml)$/.test(type);
}

/** Whether a file may have the type that its sender claims. */
function mayBe(claim: string, { type, isText: mayBeText }: Sniffed): boolean {
  if (type !== undefined) return INSIDE[type]?.test(claim) === true;
  // Pictures, sounds and fonts have marks; a claim of such a type without the mark is false.
  if (/^(?:image|audio|video|font)\/(?!.*\+xml$)/.test(claim)) return false;
  return mayBeText || !claim.startsWith('text/');
}

/** Byte order marks of UTF-16. */
function hasMark(bytes: Buffer): boolean {
  return ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2));
}

/** Control characters that no text has. */
function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
}

/** `cut`: more bytes follow, so the last character may be cut. */
function isWholeUtf8(bytes: Buffer, cut: boolean): boolean {
  return isUtf8(bytes) || (cut && [1, 2, 3].some((less) => isUtf8(bytes.subarray(0, bytes.length - less))));
}
