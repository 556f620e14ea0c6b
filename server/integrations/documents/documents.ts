import type { DocumentService, DocumentText, MailContent } from '#engine';
import { lazy } from '../../base/parts/lazy.ts';
import type { Job, Piece, Rows } from './protocol.ts';

export interface Documents extends DocumentService {
  /** The ids of the current processes. */
  readonly pids: Promise<readonly number[]>;
  close(): Promise<void>;
}

/**
 * Reads and writes documents in separate processes, so that a harmful document ends only its own. The first document starts the
 * first process.
 */
export function createDocuments(limits?: { readonly workMs: number }): Documents {
  const processes = lazy(async () => (await import('./processes.ts')).createProcesses(limits));

  async function* run(
    job: Job,
    source: AsyncIterable<Piece>,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, unknown> {
    return yield* (await processes()).run(job, source, signal);
  }

  async function result(job: Job, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<unknown> {
    const work = run(job, source, signal);
    for (;;) {
      const { done, value } = await work.next();
      if (done) return value;
    }
  }

  async function text(
    job: Job,
    source: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<DocumentText> {
    return (await result(job, source, signal)) as DocumentText;
  }

  return {
    get pids() {
      return Promise.resolve(processes.loading).then((all) => all?.pids ?? []);
    },
    async *rows(content, options, signal) {
      const job: Job = options.format === 'csv' ? { kind: 'csv', options } : { kind: 'xlsx', options };
      for await (const rows of run(job, content, signal)) yield rows as Rows;
    },
    sheets: async (content, options, signal) =>
      (await result({ kind: 'sheets', options }, content, signal)) as readonly string[],
    async *workbook(rows, options, signal) {
      for await (const bytes of run({ kind: 'workbook', options }, rows, signal)) yield bytes as Uint8Array;
    },
    html: (content, options, signal) => text({ kind: 'html', options }, content, signal),
    select: async (content, options, signal) =>
      (await result({ kind: 'select', options }, content, signal)) as Awaited<
        ReturnType<DocumentService['select']>
      >,
    markdown: async (content, options, signal) =>
      (await result({ kind: 'markdown', options }, content, signal)) as string,
    mail: async (content, options, signal) =>
      (await result({ kind: 'mail', options }, content, signal)) as MailContent,
    docx: (content, options, signal) => text({ kind: 'docx', options }, content, signal),
    pdf: (content, options, signal) => text({ kind: 'pdf', options }, content, signal),
    xml: (content, options, signal) => result({ kind: 'xml', options }, content, signal),
    close: async () => (await processes.loading)?.close(),
  };
}
