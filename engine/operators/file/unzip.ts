import { Inflate } from 'fflate';
import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import type { OpenFile } from '../../base/file-services.ts';
import { type Call, defineOperator, input, output } from '../../base/operator.ts';
import { type ArchiveEntry, archiveEntries, crc32, refused } from './_archive.ts';

/** Bytes that are unpacked at once: compressed a thousandfold they are a megabyte. */
const SLICE = 1024;
/** Below this an archive may grow as much as it likes. */
const SMALL = 10_000_000;

export default defineOperator({
  title: 'Unzip',
  doc: 'Unpacks a zip archive into files. Archives that grow beyond the limits are refused.',
  icon: 'package-open',
  summary: 'at most {maxFiles} files',
  synonyms: 'extract, decompress, unpack, archive',
  params: z.object({
    maxBytes: z
      .int()
      .min(1)
      .max(10 * 1024 ** 3)
      .default(100 * 1024 ** 2)
      .describe('Bytes of all files together.'),
    maxFiles: z.int().min(1).max(10_000).default(1000).describe('Number of files.'),
    maxRatio: z
      .int()
      .min(1)
      .max(1100)
      .default(200)
      .describe('How many times larger than the archive the files may be; counted above 10 MB.'),
  }),
  options: { Limits: ['maxBytes', 'maxFiles', 'maxRatio'] },
  inputs: { in: input({ doc: 'A zip archive.', schema: FileValue }) },
  outputs: {
    out: output({
      doc: 'The files, each with its path in the archive. A path never leaves the folder that it is put below: `..`, drives and leading slashes are left out.',
      schema: z.array(z.object({ path: z.string(), file: FileValue })),
    }),
  },
  effects: 'read',
  examples: [
    {
      title: 'No archive',
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      error: 'archive_refused',
    },
  ],
  async run(call) {
    const { maxFiles } = call.params;
    const archive = new Archive(call);
    const entries = (await archive.entries()).filter(({ path }) => !path.endsWith('/'));
    if (entries.length > maxFiles)
      throw refused(`has more than the ${maxFiles} files that \`maxFiles\` allows`);
    const files: { path: string; file: FileValue }[] = [];
    for (const entry of entries) {
      const file = await store(call, entry.path, archive.contentOf(entry));
      files.push({ path: pathBelow(entry.path) || file.name, file });
    }
    return files;
  },
});

function store(call: Call, path: string, content: AsyncIterable<Uint8Array>): Promise<FileValue> {
  return call.service('files').create({ name: path, content }, call.asker, call.signal);
}

/** Steps of a path that name no folder below. */
const NO_STEP = /^(?:\.*|[a-z]:)$/i;

/** A path that stays below the folder where somebody puts it, on every system. */
function pathBelow(path: string): string {
  const steps = path.replaceAll(/\p{Cc}/gu, '').split(/[/\\]/);
  return steps
    .map((step) => step.replace(/^\.{2,}/, ''))
    .filter((step) => !NO_STEP.test(step.trim()))
    .join('/');
}

type UnzipCall = Call<{ readonly maxBytes: number; readonly maxRatio: number }>;

/** Reads the entries of an archive by its directory. */
class Archive {
  private readonly call: UnzipCall;
  private archiveBytes = 0;
  private bytes = 0;

  constructor(call: UnzipCall) {
    this.call = call;
  }

  async entries(): Promise<readonly ArchiveEntry[]> {
    const { file } = await this.open(0, 0);
    this.archiveBytes = file.bytes;
    const read = async (first: number, last: number): Promise<Uint8Array> =>
      last < first ? new Uint8Array() : joined((await this.open(first, last)).content);
    const entries = file.bytes === 0 ? undefined : await archiveEntries(file.bytes, read);
    if (entries !== undefined) return entries;
    const isCut = String(await read(0, Math.min(3, file.bytes - 1))) === HEADER_MARK;
    throw refused(isCut ? 'ends too early' : 'is no zip archive');
  }

  private open(first: number, last: number): Promise<OpenFile> {
    const { call } = this;
    return call.service('files').open(call.input, call.asker, { first, last });
  }

  /** Throws `archive_refused` if it differs from the declaration of the archive. */
  async *contentOf(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
    const { path, isEncrypted, method, crc, size } = entry;
    if (isEncrypted) throw refused(`is encrypted; ${JSON.stringify(path)} needs a password`);
    if (method !== STORED && method !== DEFLATED)
      throw refused(
        `packs ${JSON.stringify(path)} with ${METHODS[method] ?? `method ${method}`}; only Deflate is supported`,
      );
    let sum = 0;
    let length = 0;
    const packed = this.packedOf(entry);
    for await (const piece of method === STORED ? packed : inflated(packed)) {
      this.count(piece.length);
      sum = crc32(piece, sum);
      length += piece.length;
      yield piece;
    }
    if (length !== size || sum !== crc)
      throw refused(`is damaged: ${JSON.stringify(path)} is not what was packed`);
  }

  /** The bytes after the entry's own header, whose length only that header contains. */
  private async *packedOf({ start, packed }: ArchiveEntry): AsyncGenerator<Uint8Array> {
    const last = Math.min(start + HEADER_SIZE + 2 * 65_535 + packed, this.archiveBytes) - 1;
    if (last < start) throw refused('is damaged');
    let head: Uint8Array = new Uint8Array();
    let left = -1;
    for await (const piece of (await this.open(start, last)).content) {
      let data = piece;
      if (left === -1) {
        head = concat(head, piece);
        const length = headerLength(head);
        if (length === undefined) continue;
        data = head.subarray(length);
        left = packed;
      }
      if (data.length >= left) return yield data.subarray(0, left);
      left -= data.length;
      yield data;
    }
    throw refused('ends too early');
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    const { maxBytes, maxRatio } = this.call.params;
    if (this.bytes > maxBytes)
      throw refused(`holds more than the ${maxBytes} bytes that \`maxBytes\` allows`);
    if (this.bytes > SMALL && this.bytes > maxRatio * this.archiveBytes)
      throw refused(`holds more than ${maxRatio} times its own size, which \`maxRatio\` allows`);
  }
}

const HEADER_SIZE = 30;
const HEADER_MARK = '80,75,3,4';
const STORED = 0;
const DEFLATED = 8;
/** Names of methods that occur in practice (APPNOTE.TXT, 4.4.5). */
const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
  98: 'PPMd',
};

/** The length of the header before a file; undefined if there is not enough of it. */
function headerLength(head: Uint8Array): number | undefined {
  if (head.length < HEADER_SIZE) return undefined;
  if (String(head.subarray(0, 4)) !== HEADER_MARK) throw refused('is damaged');
  const view = new DataView(head.buffer, head.byteOffset);
  const length = HEADER_SIZE + view.getUint16(26, true) + view.getUint16(28, true);
  return head.length < length ? undefined : length;
}

async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let isOver = false;
  const inflate = new Inflate((piece, isLast) => {
    // The library may reuse its memory.
    if (piece.length > 0) ready.push(piece.slice());
    isOver ||= isLast;
  });
  for await (const piece of packed)
    for (let at = 0; at < piece.length; at += SLICE) {
      unpack(() => inflate.push(piece.subarray(at, at + SLICE)));
      yield* ready.splice(0);
    }
  if (!isOver) unpack(() => inflate.push(new Uint8Array(), true));
  yield* ready;
}

function unpack(work: () => void): void {
  try {
    work();
  } catch {
    throw refused('is damaged');
  }
}

async function joined(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return concat(...pieces);
}

function concat(...pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
