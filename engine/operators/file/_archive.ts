import { WeftError } from '../../base/operator.ts';

/** The directory of a zip archive (APPNOTE.TXT, 4.3), which is at its end. */

/** An entry of the directory. */
export interface ArchiveEntry {
  readonly path: string;
  readonly isEncrypted: boolean;
  /** The compression method: 0 for none, 8 for Deflate. */
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  /** The position of its own header. */
  readonly start: number;
}

/** Reads some bytes of the archive. */
export type ReadBytes = (first: number, last: number) => Promise<Uint8Array>;

const END = 0x06054b50;
const END_SIZE = 22;
const LONGEST_COMMENT = 65_535;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_SIZE = 20;
const ENTRY = 0x02014b50;
const ENTRY_SIZE = 46;
/** The largest directory that is read, enough for more than ten thousand entries with names of ordinary length. */
const MAX_DIRECTORY = 20_000_000;
/** The mark in a field of 32 bits that its value is elsewhere, in 64 bits. */
const ELSEWHERE = 0xffffffff;

export function refused(why: string): WeftError {
  return new WeftError('archive_refused', `The archive ${why}.`);
}

/** The entries of an archive of so many bytes; undefined if it is no archive. */
export async function archiveEntries(
  bytes: number,
  read: ReadBytes,
): Promise<readonly ArchiveEntry[] | undefined> {
  const tailAt = Math.max(0, bytes - END_SIZE - LONGEST_COMMENT - LOCATOR_64_SIZE);
  const tail = viewOf(await read(tailAt, bytes - 1));
  const end = endIn(tail);
  if (end === undefined) return undefined;
  const { size, start, before } = await placeOf(tail, end, tailAt, read);
  if (size > MAX_DIRECTORY) throw refused(`has a directory of more than ${MAX_DIRECTORY / 1e6} MB`);
  // Other content may precede the archive, such as a program that unpacks it.
  const shift = before - size - start;
  if (shift < 0 || start + size > before) throw refused('is damaged');
  if (size === 0) return [];
  return entriesIn(viewOf(await read(start + shift, start + shift + size - 1)), shift);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function endIn(view: DataView): number | undefined {
  for (let at = view.byteLength - END_SIZE; at >= 0; at--) if (view.getUint32(at, true) === END) return at;
  return undefined;
}

interface DirectoryPlace {
  readonly size: number;
  /** The declared position of the directory. */
  readonly start: number;
  /** The position of the record after the directory. */
  readonly before: number;
}

async function placeOf(
  tail: DataView,
  end: number,
  tailAt: number,
  read: ReadBytes,
): Promise<DirectoryPlace> {
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  const locator = end - LOCATOR_64_SIZE;
  if (locator < 0 || tail.getUint32(locator, true) !== LOCATOR_64)
    return { size, start, before: tailAt + end };
  const before = long(tail, locator + 8);
  const record = viewOf(await read(before, before + 55));
  if (record.byteLength < 56 || record.getUint32(0, true) !== END_64) throw refused('is damaged');
  return { size: long(record, 40), start: long(record, 48), before };
}

function long(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

function entriesIn(view: DataView, shift: number): readonly ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  for (let at = 0; at + ENTRY_SIZE <= view.byteLength && view.getUint32(at, true) === ENTRY; ) {
    const names = view.getUint16(at + 28, true);
    const extras = view.getUint16(at + 30, true);
    const next = at + ENTRY_SIZE + names + extras + view.getUint16(at + 32, true);
    if (next > view.byteLength) throw refused('is damaged');
    const part = (from: number, length: number) =>
      new Uint8Array(view.buffer, view.byteOffset + from, length);
    const extra = extraFields(part(at + ENTRY_SIZE + names, extras));
    const flags = view.getUint16(at + 8, true);
    const sizes = longFields(view, at, extra.get(1));
    entries.push({
      path: nameOf(part(at + ENTRY_SIZE, names), (flags & 0x800) !== 0, extra.get(0x7075)),
      isEncrypted: (flags & 1) !== 0,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      ...sizes,
      start: sizes.start + shift,
    });
    at = next;
  }
  return entries;
}

/** Values that are too large for their field are in the extra field 1, in this order (4.5.3). */
function longFields(view: DataView, at: number, extra: DataView | undefined) {
  let used = 0;
  const field = (place: number): number => {
    const value = view.getUint32(at + place, true);
    if (value !== ELSEWHERE || extra === undefined || used + 8 > extra.byteLength) return value;
    used += 8;
    return long(extra, used - 8);
  };
  const size = field(24);
  const packed = field(20);
  return { size, packed, start: field(42) };
}

function extraFields(bytes: Uint8Array): ReadonlyMap<number, DataView> {
  const view = viewOf(bytes);
  const fields = new Map<number, DataView>();
  for (let at = 0; at + 4 <= view.byteLength; ) {
    const length = Math.min(view.getUint16(at + 2, true), view.byteLength - at - 4);
    fields.set(view.getUint16(at, true), new DataView(view.buffer, view.byteOffset + at + 4, length));
    at += 4 + length;
  }
  return fields;
}

/** The upper half of code page 437, the encoding of names that are not UTF-8 (appendix D). */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** `isUtf8`: the flag of the archive. Many programs write UTF-8 without the flag. `unicode`: the Unicode Path (4.6.9). */
function nameOf(bytes: Uint8Array, isUtf8: boolean, unicode?: DataView): string {
  if (unicode !== undefined && unicode.byteLength > 5 && unicode.getUint32(1, true) === crc32(bytes))
    return new TextDecoder().decode(
      new Uint8Array(unicode.buffer, unicode.byteOffset + 5, unicode.byteLength - 5),
    );
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) =>
      byte < 128 ? String.fromCharCode(byte) : CODE_PAGE_437.charAt(byte - 128),
    ).join('');
  }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, number) => {
  let crc = number;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/** The checksum of the bytes, continued from the checksum `from` of earlier ones. */
export function crc32(bytes: Uint8Array, from = 0): number {
  let crc = ~from;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
