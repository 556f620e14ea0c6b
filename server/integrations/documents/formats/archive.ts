import { constants, crc32, createInflateRaw } from 'node:zlib';
import { DocumentError } from '../protocol.ts';
import { MAX_UNPACKED, tooLarge, unpacksTooMuch } from './whole.ts';

const MAX_PARTS = 10_000;

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;

/**
 * Checks the directory of a zip archive, such as XLSX and DOCX, before a library unpacks it. Declared sizes may be wrong, so
 * every part is unpacked once, up to its declared size, and discarded. `isStreamed` selects the parts that are never in memory as
 * a whole.
 */
export async function checkArchive(
  bytes: Uint8Array,
  what: string,
  isStreamed: (part: string) => boolean = () => false,
): Promise<void> {
  const view = viewOf(bytes);
  let total = 0;
  for (const { at, name } of entriesOf(view, what)) {
    if (isStreamed(name)) continue;
    const size = view.getUint32(at + 24, true);
    total += size;
    if (total > MAX_UNPACKED) throw unpacksTooMuch();
    await checkPart(view, at, size);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The entries of the directory: the position of each one, and the name of its part. */
function* entriesOf(view: DataView, what: string): Generator<{ readonly at: number; readonly name: string }> {
  const notOne = new DocumentError({ code: 'document_unreadable', message: `The file is not ${what}.` });
  const end = endOf(view);
  if (end === undefined) throw notOne;
  const count = view.getUint16(end + 10, true);
  if (count > MAX_PARTS) throw tooLarge(`The file has ${count} parts; ${MAX_PARTS} are allowed.`);
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== ENTRY) throw notOne;
    const nameLength = view.getUint16(at + 28, true);
    const name = Buffer.from(view.buffer, view.byteOffset + at + 46, nameLength).toString();
    yield { at, name };
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
}

/** The archive with new content for one of its parts. */
export function withPart(archive: Uint8Array, part: string, content: Uint8Array): Uint8Array {
  const view = viewOf(archive);
  const end = endOf(view) as number;
  const directory = view.getUint32(end + 16, true);
  const found = [...entriesOf(view, 'an archive')].find(({ name }) => name === part);
  if (found === undefined) return archive;
  const name = Buffer.from(part);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(LOCAL, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt32LE(crc32(content), 14);
  local.writeUInt32LE(content.length, 18);
  local.writeUInt32LE(content.length, 22);
  local.writeUInt16LE(name.length, 26);
  const rest = Buffer.from(archive.subarray(directory));
  const entry = found.at - directory;
  // Stored without flags and compression.
  rest.writeUInt32LE(0, entry + 8);
  local.copy(rest, entry + 16, 14, 26);
  rest.writeUInt32LE(directory, entry + 42);
  rest.writeUInt32LE(directory + local.length + name.length + content.length, end - directory + 16);
  return Buffer.concat([archive.subarray(0, directory), local, name, content, rest]);
}

function endOf(view: DataView): number | undefined {
  const last = view.byteLength - 22;
  for (let at = last; at >= Math.max(0, last - 65_535); at--) if (view.getUint32(at, true) === END) return at;
  return undefined;
}

/** Throws if a part unpacks to more than its declared size. */
async function checkPart(view: DataView, at: number, size: number): Promise<void> {
  const isPacked = view.getUint16(at + 10, true) === 8;
  const packed = view.getUint32(at + 20, true);
  const start = view.getUint32(at + 42, true);
  if (!isPacked || start + 30 > view.byteLength) return;
  const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  const content = new Uint8Array(
    view.buffer,
    view.byteOffset + data,
    Math.min(packed, view.byteLength - data),
  );
  const unpacking = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
  unpacking.end(content);
  let bytes = 0;
  for await (const piece of unpacking) {
    bytes += (piece as Uint8Array).length;
    if (bytes > size) throw tooLarge('A part of the file is larger than the file declares.');
  }
}
