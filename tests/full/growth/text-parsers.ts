import { markdownHtml } from '../../../server/base/pages/markdown.ts';
import { challengesIn } from '../../../server/base/outbound/digest.ts';
import { readHtml } from '../../../server/integrations/documents/formats/html.ts';
import { markdownToHtml } from '../../../server/integrations/documents/formats/markdown-html.ts';
import { readMail } from '../../../server/integrations/documents/formats/mail.ts';
import { readParts } from '../../../server/integrations/documents/formats/select.ts';
import { readXml } from '../../../server/integrations/documents/formats/xml.ts';
import { readCsv } from '../../../server/integrations/documents/formats/csv.ts';
import { readDocx } from '../../../server/integrations/documents/formats/docx.ts';
import { readSheet } from '../../../server/integrations/documents/formats/xlsx.ts';
import { ReplyReader } from '../../../server/integrations/connections/kinds/redis/reply.ts';
import { readXml as readS3Xml } from '../../../server/integrations/connections/kinds/s3/xml.ts';
import { indexed, matchOf, wordsOf } from '../../../server/integrations/knowledge/words.ts';
import { quoteOf } from '../../../server/integrations/knowledge/quote.ts';
import { typeOfDocument } from '../../../server/integrations/knowledge/read-document.ts';
import { scriptedSteps } from '../../../server/integrations/models/demo/script.ts';
import { createBlocks, createPlainText } from '../../../server/chat/service/vis.ts';
import { judgementIn } from '../../../server/execution/evaluations/scorers.ts';
import { parseObject } from '../../../server/chat/agents/parse-object.ts';
import { rankTables } from '../../../server/integrations/questions/rank-tables.ts';
import { idFrom } from '../../../server/flows/awel/names.ts';
import { promptNames } from '../../../server/flows/awel/mappings/prompt-text.ts';
import { withoutEvidence, withoutOwnAddresses } from '../../../shared/chat-markup.ts';
import { splitDocument, SplitSettings } from '../../../shared/split-document.ts';
import { readRows } from '../../../engine/operators/_csv.ts';
import { unescapeHtml } from '../../../engine/operators/_html.ts';
import { fromBase64, fromHex, fromUrl } from '../../../engine/operators/_encodings.ts';
import { eventSteps, lineSteps } from '../../../engine/operators/_text-streams.ts';
import { readJson } from '../../../engine/operators/_read-json.ts';
import { proposalIn } from '../../../engine/operators/sql/_proposal.ts';
import { lexicalScores } from '../../../engine/operators/_citations.ts';
import { estimatedTokens } from '../../../engine/operators/_tokens.ts';
import { feedDate } from '../../../engine/operators/trigger/_date.ts';
import { feedEntries, FEED_LISTS } from '../../../engine/operators/trigger/_feed.ts';
import { docx, xlsx } from './archives.ts';
import type { Parser } from './measure.ts';

const SELECTED = [{ name: 'a', selector: 'a', take: 'text', count: 'all' }] as const;
const MARKDOWN = ['[', ']', '(', ')', '\\[', '*', '`', '# a\n', '\n', ' ', '![', 'http://a', '- a\n'];
const MARKUP = ['<', '<a>', '&', '<!--', ' ', '<b a="'];
const CSV = ['"', ',', '\n', 'a', ' '];
const MODEL = ['{', '}', '"', '```', '```sql', ' ', '\n', 'a', '[', 'SELECT'];

const whole = { encoding: 'auto', maxBytes: 10_000_000 } as const;
const xmlOptions = { ...whole, attributes: true, prefixes: 'keep', lists: FEED_LISTS } as const;

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

async function all(parts: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of parts) count += 1;
  return count;
}

/** As a value, which may be as long as it likes. */
function redisReply(text: string): void {
  const bytes = Buffer.from(text);
  const reader = new ReplyReader(bytes.length + 1);
  reader.read(Buffer.from(`$${bytes.length + 1}\r\n`));
  for (let at = 0; at < bytes.length; at++) reader.read(bytes.subarray(at, at + 1));
}

function done(work: Iterable<unknown>): number {
  let count = 0;
  for (const _ of work) count += 1;
  return count;
}

/** What people, models and other servers write: documents, tables, answers. */
export const textParsers: readonly Parser[] = [
  { name: 'Markdown of pages', tokens: MARKDOWN, read: (text) => markdownHtml(text, '/f/', text.length) },
  {
    name: 'HTML to Markdown',
    tokens: ['<', '<b> </b>', '<table>', '*'],
    read: (text) => readHtml(bytesOf(text), { ...whole, format: 'markdown', main: false }),
  },
  {
    name: 'HTML to text',
    tokens: ['<b> </b>', '<br>', '<script>', '<!--'],
    read: (text) => readHtml(bytesOf(text), { ...whole, format: 'plain', main: false }),
  },
  {
    name: 'articles',
    tokens: ['<p>', 'a, ', '<br>'],
    read: (text) => readHtml(bytesOf(text), { ...whole, format: 'plain', main: true }),
  },
  {
    name: 'parts of HTML',
    // Parts of rows within rows are as many as both together; their length has a limit of its own.
    tokens: ['<p>', '</p>', '<a>b</a></p>', 'a'],
    read: (text) => readParts(bytesOf(text), { ...whole, rows: 'p', fields: SELECTED }),
  },
  {
    name: 'Markdown to HTML',
    tokens: ['[', '](', '*', '|', '\n> ', '\n- ', '`', 'www.', '<'],
    read: (text) => markdownToHtml(bytesOf(text), { ...whole, breaks: false }),
  },
  {
    name: 'mails',
    tokens: ['\r\n', 'a: ', '--b', '=?utf-8?q?', '?=', '<a@b>,', ' '],
    read: (text) =>
      readMail(bytesOf(`To: ${text}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${text}`), whole),
  },
  { name: 'XML', tokens: MARKUP, read: (text) => readXml(bytesOf(`<r>${text}</r>`), xmlOptions) },
  { name: 'XML of S3', tokens: MARKUP, read: (text) => readS3Xml(`<r>${text}</r>`) },
  { name: 'challenges to sign in', tokens: ['a', ' ', '=', '"', '\\', ',', 'Digest '], read: challengesIn },
  { name: 'a reply of Redis, byte by byte', tokens: ['$', '1', '\r\n', '+', 'a'], read: redisReply },
  {
    name: 'feeds',
    tokens: ['<item>', '</item>', '<link/>', '<link>', 'a'],
    read: async (text) =>
      feedEntries(await readXml(bytesOf(`<rss><channel>${text}</channel></rss>`), xmlOptions)),
  },
  {
    name: 'dates of feeds',
    tokens: ['Mon', ',', ' ', '1', 'Jan', ':', '2026', '-', 'T', '+', 'Z'],
    read: feedDate,
  },
  { name: 'CSV files', tokens: CSV, read: (text) => all(readCsv(bytesOf(text), { ...whole } as never)) },
  { name: 'CSV texts', tokens: CSV, read: (text) => done(readRows(text, ',')) },
  {
    name: 'DOCX',
    tokens: ['<w:p>', '<w:r><w:t>', '<', '&lt;'],
    read: (text) => readDocx(bytesOf(docx(text)), { ...whole, format: 'markdown', main: false }),
  },
  {
    name: 'DOCX, paragraphs',
    tokens: ['a', ' ', '*', '_', '['],
    read: (text) =>
      readDocx(bytesOf(docx(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`)), {
        ...whole,
        format: 'markdown',
        main: false,
      }),
  },
  {
    name: 'XLSX, sheets',
    tokens: ['<sheet ', '<sheet name="a"/>', '<', ' ', 'name="', 'x:'],
    read: (text) => all(readSheet(bytesOf(xlsx({ sheets: text })), { ...whole } as never)),
  },
  {
    name: 'XLSX, cells',
    tokens: ['<row>', '<c t="str"><v>', '</v></c>', '&lt;'],
    read: (text) => all(readSheet(bytesOf(xlsx({ rows: text })), { ...whole } as never)),
  },
  {
    name: 'base64, hex, per cent',
    tokens: ['=', 'A', '%', '%41', ' ', '\n', '-', '0'],
    read: (text) =>
      [fromBase64, fromHex, fromUrl].map((of) => {
        try {
          return done(of(text) as Iterable<unknown>);
        } catch {
          return 0;
        }
      }),
  },
  {
    name: 'entities',
    tokens: ['&', '#', '1', ';', 'amp', '&#x', 'a'],
    read: (text) => done(unescapeHtml(text)),
  },
  {
    name: 'lines',
    tokens: ['\r', '\n', 'a', ' '],
    read: (text) => {
      const steps = lineSteps();
      steps.take(text, () => {});
      steps.finish?.(() => {});
    },
  },
  {
    name: 'events',
    tokens: ['data:', '\n', 'a', ':', 'event:', '\r', ' ', 'id:'],
    read: (text) => {
      const steps = eventSteps();
      steps.take(text, () => {});
      steps.finish?.(() => {});
    },
  },
  {
    name: 'JSON texts',
    tokens: ['[', '{', '"', ':', ',', '\\', '1', ' ', '"a":', '1e9'],
    read: (text) => readJson(text),
  },
  { name: 'proposals of models', tokens: MODEL, read: proposalIn },
  { name: 'judgements of models', tokens: MODEL, read: judgementIn },
  { name: 'arguments of tools', tokens: MODEL, read: parseObject },
  {
    name: 'scripts of the demo model',
    tokens: ['```demo', '```', '\n', ' ', 'say ', '---', 'a', '\t'],
    read: (text) => scriptedSteps([{ role: 'user', content: text }]),
  },
  {
    name: 'answers with evidence',
    tokens: [
      '\n\n[1] ',
      '“',
      '” <',
      '>',
      '<references title="',
      '" references="',
      '<chart-view content="',
      '\n```sql\n',
      '\n```\n\n|',
      '|',
      '\n',
    ],
    read: (text) => [withoutEvidence(text), withoutOwnAddresses(text)],
  },
  {
    name: 'answers in pieces',
    tokens: ['a', '"', '\n', '\\', '```'],
    read: (text) =>
      [createBlocks(), createPlainText()].map((rendering) => {
        for (let at = 0; at < text.length; at += 16)
          rendering.take({ type: 'text', text: text.slice(at, at + 16) });
        rendering.end();
        return rendering.whole();
      }),
  },
  {
    name: 'chunks by headings',
    tokens: ['# a', ' ', '\n', '#', '\t', '```', 'a', '.', '"'],
    read: (text) => done(splitDocument([{ text }], SplitSettings.parse({}))),
  },
  {
    name: 'chunks by characters',
    tokens: [' ', '\n', 'a', '。', '\ud83d\ude00'],
    read: (text) =>
      done(splitDocument([{ text }], SplitSettings.parse({ by: 'characters', size: 20, overlap: 9 }))),
  },
  {
    name: 'words of questions',
    tokens: ['a', ' ', '-', '漢', "'", '"', '*', '.', 'é'],
    read: (text) => [matchOf(text), indexed(text), wordsOf(text)],
  },
  { name: 'quotes', tokens: ['.', '"', ' ', ')', '\n', 'a', '。'], read: (text) => quoteOf(text, ['a']) },
  {
    name: 'scores of passages',
    tokens: ['a', ' ', '漢', 'abcdef'],
    read: (text) => lexicalScores('a abcdef 漢字', [text, text]),
  },
  {
    name: 'tokens of messages',
    tokens: ['a', ' ', '漢', '.'],
    read: (text) => estimatedTokens([{ role: 'user', content: text }]),
  },
  {
    name: 'kinds of documents',
    tokens: ['.', 'a', '<', ' ', '\n', '<!doctype'],
    read: (text) => typeOfDocument('a', new TextEncoder().encode(text)),
  },
  {
    name: 'tables for a question',
    tokens: ['a', 'A', ' ', 'ies', 's', '1'],
    read: (text) => rankTables([], text, 10),
  },
  { name: 'names from titles', tokens: ['_', 'a', 'A', '1', ' '], read: (text) => idFrom(text, 'x') },
  { name: 'prompts', tokens: ['{', '}', 'a', '{{', ' '], read: promptNames },
];
