import { parentPort } from 'node:worker_threads';
import { DocumentError, type FromThread, type Job, type Piece, type ToThread } from './protocol.ts';

/**
 * The thread that reads and writes documents, one job at a time: whatever a document does to its reader (memory, time, a
 * crash) stays here.
 */

if (parentPort === null) throw new Error('started by documents.ts only');
const port = parentPort;

/** A job gives pieces and at its end a result; a reader of texts gives no pieces. */
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
  workbook: async (options, rows) => (await import('./formats/xlsx.ts')).writeSheet(rows, options),
  html: async (options, bytes) => resultOf((await import('./formats/html.ts')).readHtml(bytes, options)),
  docx: async (options, bytes) => resultOf((await import('./formats/docx.ts')).readDocx(bytes, options)),
  pdf: async (options, bytes) => resultOf((await import('./formats/pdf.ts')).readPdf(bytes, options)),
  xml: async (options, bytes) => resultOf((await import('./formats/xml.ts')).readXml(bytes, options)),
};

// oxlint-disable-next-line require-yield -- a job without pieces
async function* resultOf(promise: Promise<unknown>): Work {
  return await promise;
}

/** Messages of one kind, in order. What the job asks for and what is asked of it overlap. */
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

const jobs = new Inbox<Job>();
const given = new Inbox<Piece | undefined>();
const asked = new Inbox<undefined>();

port.on('message', (message: ToThread) => {
  if (message.op === 'begin') jobs.add(message.job);
  else if (message.op === 'piece') given.add(message.piece);
  else asked.add(undefined);
});

async function* pieces(): AsyncGenerator<Piece> {
  for (;;) {
    send({ op: 'need' });
    const piece = await given.next();
    if (piece === undefined) return;
    yield piece;
  }
}

function send(message: FromThread): void {
  port.postMessage(message);
}

for (;;) await execute(await jobs.next());

async function execute({ kind, options }: Job): Promise<void> {
  try {
    const work = await readers[kind](options as never, pieces() as never);
    for (;;) {
      const next = await work.next();
      if (next.done) return send({ op: 'done', result: next.value });
      send({ op: 'piece', piece: next.value });
      await asked.next();
    }
  } catch (error) {
    send({ op: 'failed', fault: faultOf(error) });
  }
}

function faultOf(error: unknown): { code: 'document_unreadable' | 'document_too_large'; message: string } {
  if (error instanceof DocumentError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'document_unreadable', message };
}
