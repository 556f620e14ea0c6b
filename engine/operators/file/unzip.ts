import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { type Call, defineOperator, input, output, WeftError } from '../../base/operator.ts';

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
    const { file: archive, content } = await call.service('files').open(call.input, call.asker);
    const reader = new ArchiveReader(content, { ...call.params, archiveBytes: archive.bytes });
    const files: { path: string; file: FileValue }[] = [];
    for (let entry = await reader.next(); entry !== undefined; entry = await reader.next()) {
      const { path } = entry;
      if (path.endsWith('/')) continue;
      if (files.length >= call.params.maxFiles)
        throw refused(`has more than the ${call.params.maxFiles} files that \`maxFiles\` allows`);
      const file = await store(call, path, reader.contentOf(entry));
      files.push({ path: pathBelow(path) || file.name, file });
    }
    if (!reader.isArchive) throw refused('is no zip archive');
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

interface Limits {
  readonly maxBytes: number;
  readonly maxRatio: number;
  readonly archiveBytes: number;
}

interface Entry {
  readonly path: string;
  readonly pieces: Uint8Array[];
  isDone: boolean;
}

/** Reads an archive from its beginning to its end, one entry after the other. */
class ArchiveReader {
  isArchive = false;
  private readonly archive: AsyncIterator<Uint8Array>;
  private readonly limits: Limits;
  private readonly entries: Entry[] = [];
  private readonly unzip: Unzip;
  private piece = new Uint8Array();
  private at = 0;
  private bytes = 0;
  private isOver = false;
  private failure: WeftError | undefined;

  constructor(archive: AsyncIterable<Uint8Array>, limits: Limits) {
    this.archive = archive[Symbol.asyncIterator]();
    this.limits = limits;
    this.unzip = new Unzip((file) => this.found(file));
    this.unzip.register(UnzipInflate);
  }

  /** The next entry; undefined at the end. What was not read of the one before is skipped. */
  async next(): Promise<Entry | undefined> {
    while (this.entries.length === 0 && !this.isOver) await this.advance();
    return this.entries.shift();
  }

  async *contentOf(entry: Entry): AsyncGenerator<Uint8Array> {
    for (;;) {
      yield* entry.pieces.splice(0);
      if (entry.isDone) return;
      if (this.isOver) throw refused('ends too early');
      await this.advance();
    }
  }

  private found(file: UnzipFile): void {
    this.isArchive = true;
    const entry: Entry = { path: file.name, pieces: [], isDone: false };
    this.entries.push(entry);
    file.ondata = (error, data, final) => {
      if (error) this.failure ??= refused('is damaged');
      else if (data.length > 0) this.take(entry, data);
      if (final) entry.isDone = true;
    };
    try {
      file.start();
    } catch {
      this.failure ??= refused('is encrypted, or packed in a way that is not supported');
    }
  }

  private take(entry: Entry, data: Uint8Array): void {
    this.bytes += data.length;
    const { maxBytes, maxRatio, archiveBytes } = this.limits;
    if (this.bytes > maxBytes)
      this.failure ??= refused(`holds more than the ${maxBytes} bytes that \`maxBytes\` allows`);
    else if (this.bytes > SMALL && this.bytes > maxRatio * archiveBytes)
      this.failure ??= refused(`holds more than ${maxRatio} times its own size, which \`maxRatio\` allows`);
    // The library may reuse its memory.
    else entry.pieces.push(data.slice());
  }

  private async advance(): Promise<void> {
    if (this.at >= this.piece.length) {
      const { done, value } = await this.archive.next();
      this.isOver = done === true;
      this.piece = value ?? new Uint8Array();
      this.at = 0;
    }
    const slice = this.piece.subarray(this.at, this.at + SLICE);
    this.at += SLICE;
    try {
      this.unzip.push(slice, this.isOver);
    } catch {
      this.failure ??= refused('is damaged');
    }
    if (this.failure) throw this.failure;
  }
}

function refused(why: string): WeftError {
  return new WeftError('archive_refused', `The archive ${why}.`);
}
