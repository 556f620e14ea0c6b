import {
  DocumentError,
  type Fault,
  type FromReader,
  type Job,
  type Piece,
  type ToReader,
} from './protocol.ts';

/**
 * The process that reads and writes documents, one job at a time: whatever a document does to its reader (memory, time, a
 * crash) stays here.
 */

/** A job yields pieces and returns a result; a reader of texts yields no pieces. */
type Work = AsyncGenerator<Piece, unknown>;
type Readers = {
  readonly [K in Job['kind']]: (
    options: Extract<Job, { kind: K }>['options'],
    pieces: never,
  ) => Promise<Work>;
};

const readers: Readers = {
  csv: async (options, bytes) => (await import('./formats/csv.ts')).readCsv(bytes, options),
  xlsx: async (options, bytes) => (await import('./formats/xlsx.ts')).readSheet(bytes, options),
  sheets: async (options, bytes) =>
    resultOf((await import('./formats/xlsx.ts')).readSheetNames(bytes, options)),
  workbook: async (options, rows) => (await import('./formats/xlsx.ts')).writeSheet(rows, options),
  html: async (options, bytes) => resultOf((await import('./formats/html.ts')).readHtml(bytes, options)),
  select: async (options, bytes) => resultOf((await import('./formats/select.ts')).readParts(bytes, options)),
  markdown: async (options, bytes) =>
    resultOf((await import('./formats/markdown-html.ts')).markdownToHtml(bytes, options)),
  mail: async (options, bytes) => resultOf((await import('./formats/mail.ts')).readMail(bytes, options)),
  docx: async (options, bytes) => resultOf((await import('./formats/docx.ts')).readDocx(bytes, options)),
  pdf: async (options, bytes) => resultOf((await import('./formats/pdf.ts')).readPdf(bytes, options)),
  xml: async (options, bytes) => resultOf((await import('./formats/xml.ts')).readXml(bytes, options)),
};

// oxlint-disable-next-line require-yield -- a job without pieces
async function* resultOf(promise: Promise<unknown>): Work {
  return await promise;
}

/** Messages of one kind, in order. Requests of the job and requests to the job may overlap. */
class Inbox<T> {
  private readonly received: T[] = [];
  private wake: () => void = () => {};

  add(message: T): void {
    this.received.push(message);
    this.wake();
  }

  async next(): Promise<T> {
    while (this.received.length === 0)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.received.shift() as T;
  }
}

/** The input of a job. Messages that arrive after its end are ignored. */
class Current {
  readonly given = new Inbox<Piece | undefined>();
  readonly asked = new Inbox<undefined>();
  isOver = false;

  async *pieces(): AsyncGenerator<Piece> {
    for (;;) {
      if (this.isOver) return;
      send({ op: 'need' });
      const piece = await this.given.next();
      if (piece === undefined) return;
      yield piece;
    }
  }
}

const jobs = new Inbox<Job>();
let current = new Current();

process.on('message', (message: ToReader) => {
  if (message.op === 'begin') jobs.add(message.job);
  else if (message.op === 'piece') current.given.add(message.piece);
  else current.asked.add(undefined);
});
process.on('disconnect', () => process.exit());

function send(message: FromReader): void {
  process.send?.(message);
}

for (;;) {
  const job = await jobs.next();
  current = new Current();
  const end = await execute(job, current);
  current.isOver = true;
  send({ ...end, residentMb: process.memoryUsage.rss() / 1024 ** 2 });
}

type End =
  | { readonly op: 'done'; readonly result: unknown }
  | { readonly op: 'failed'; readonly fault: Fault };

async function execute({ kind, options }: Job, own: Current): Promise<End> {
  try {
    const work = await readers[kind](options as never, own.pieces() as never);
    for (;;) {
      const next = await work.next();
      if (next.done) return { op: 'done', result: next.value };
      send({ op: 'piece', piece: next.value });
      await own.asked.next();
    }
  } catch (error) {
    return { op: 'failed', fault: faultOf(error) };
  }
}

function faultOf(error: unknown): Fault {
  if (error instanceof DocumentError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'document_unreadable', message };
}
