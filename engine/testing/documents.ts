import { splitDocument, SplitSettings } from '#shared/split-document.ts';
import { WeftError } from '../base/errors.ts';
import type { KnowledgeLoad, KnowledgeService } from '../base/knowledge-service.ts';
import type { Cell, DocumentService } from '../base/document-service.ts';

/**
 * Reads documents for the examples of operators, in the simplest way. The tests of the server's own reader check that it returns
 * the same.
 */
export const exampleDocuments: DocumentService = {
  async *rows(content, options) {
    const text = await textOf(content);
    if (options.format === 'xlsx') throw notThat();
    const { delimiter = ',' } = options;
    yield text.split('\n').map((line): readonly Cell[] => line.split(delimiter));
  },
  sheets: () => Promise.reject(notThat()),
  async *workbook(rows) {
    for await (const some of rows) yield new TextEncoder().encode(JSON.stringify(some));
  },
  async html(content, { format }) {
    const html = (await textOf(content)).replaceAll(/<script>.*?<\/script>/g, '');
    const title = /<title>(.*)<\/title>/.exec(html)?.[1];
    const body = html.replace(/<title>.*<\/title>/, '');
    const marked = format === 'plain' ? body : body.replaceAll('<h1>', '# ').replaceAll(/<\/?b>/g, '**');
    return {
      title,
      text: marked
        .replaceAll(/<[^>]*>/g, '\n')
        .trim()
        .replaceAll(/\n+/g, '\n\n'),
    };
  },
  async select(content, { rows, fields }) {
    const links = [...(await textOf(content)).matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)];
    if (fields.some(({ selector }) => selector === 'a[')) throw new WeftError('bad_params', 'No selector.');
    const parts = (found: typeof links) =>
      Object.fromEntries(
        fields.map(({ name, selector, take, count }) => {
          const values =
            selector === 'a'
              ? found.map(([, href = '', text = '']) => (take === 'attribute' ? href : text))
              : [];
          return [name, count === 'all' ? values : (values[0] ?? null)];
        }),
      );
    return rows === undefined ? parts(links) : links.map((link) => parts([link]));
  },
  async markdown(content) {
    const text = (await textOf(content)).replace(/^# (.*)\n\n(.*)$/s, '<h1>$1</h1>\n<p>$2</p>');
    return text.replaceAll(/\*\*(.*?)\*\*/g, '<strong>$1</strong>');
  },
  async mail(content) {
    const [head = '', text = ''] = (await textOf(content)).split('\n\n');
    const subject = /^Subject: (.*)$/m.exec(head)?.[1];
    if (subject === undefined) throw notThat();
    const address = { name: 'Ada', address: 'ada@example.com' };
    return {
      messageId: '<1@example.com>',
      inReplyTo: null,
      references: [],
      subject,
      from: address,
      to: [{ name: '', address: 'shop@example.com' }],
      cc: [],
      replyTo: [],
      date: '2026-03-02T08:00:00.000Z',
      text,
      html: null,
      attachments: [{ name: 'order.csv', type: 'text/csv', content: new TextEncoder().encode('a,b') }],
    };
  },
  docx: () => Promise.reject(notThat()),
  pdf: () => Promise.reject(notThat()),
  async xml(content) {
    const [, id, item] =
      /^<order id="(\d+)"><item>(\w+)<\/item><note\/><\/order>$/.exec(await textOf(content)) ?? [];
    if (id === undefined) throw notThat();
    return { order: { item: [item], note: '', '@id': id } };
  },
};

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of content) text += new TextDecoder().decode(piece);
  return text;
}

function notThat(): WeftError {
  return new WeftError('document_unreadable', 'It is none.');
}

/** A space `tea` without documents, for the examples of operators; what is loaded is only split. */
export const exampleKnowledge: KnowledgeService = {
  async load({ name, space, content, metadata, split, type = 'text/markdown' }, _by, signal) {
    signal.throwIfAborted();
    const settings = SplitSettings.parse(split ?? {});
    const text = await textIn(content);
    const at = '1970-01-01T00:00:00.000Z';
    const chunks = [...splitDocument([{ text }], settings)].length;
    const about = { id: '1', space, name, type, metadata, split: settings, bytes: text.length, url: null };
    const state = { status: 'ready', problem: null, pages: null, chunks, embedded: 0 } as const;
    return { ...about, kind: 'text', ...state, unread: [], createdAt: at, updatedAt: at };
  },
  async chunksOf(_document, _most, signal) {
    signal.throwIfAborted();
    return [{ id: '1', n: 0, text: 'Steep two minutes.', heading: '', page: null, start: 0, end: 18 }];
  },
  async search({ spaces }) {
    for (const space of spaces) check(space);
    return { hits: [], ranking: 'words', note: null };
  },
  async remove(space) {
    check(space);
    return false;
  },
};

function check(space: string): void {
  if (space !== 'tea') throw new WeftError('space_not_found', `There is no knowledge space ${space}.`);
}

async function textIn(content: KnowledgeLoad['content']): Promise<string> {
  if (typeof content === 'string') return content;
  return 'url' in content ? content.url : textOf(content);
}
