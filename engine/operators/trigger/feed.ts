import { z } from 'zod';
import { charsetOf } from '#shared/text-encoding.ts';
import {
  defineOperator,
  type HttpResponse,
  output,
  type SourceCall,
  WeftError,
} from '../../base/operator.ts';
import { encodingParam, once } from '../_document.ts';
import { isFailure, statusError } from '../http/_answer.ts';
import { FEED_LISTS, FEED_XHTML, type FeedEntry, feedEntries } from './_feed.ts';
import { EXISTING, type Gathered, poll } from './_poll.ts';

const text = z.string();

const params = z.object({
  url: z.string().min(1).max(8192).describe('The address of the feed: RSS or Atom.'),
  every: z
    .number()
    .min(1)
    .max(604_800)
    .default(900)
    .describe('Seconds from one look to the next.')
    .meta({ unit: 's' }),
  existing: z
    .enum(EXISTING)
    .default('skip')
    .describe('Whether entries that are there at the first look start runs.'),
  encoding: encodingParam,
});

type FeedCall = SourceCall<z.infer<typeof params>>;

/** What tells whether the feed has changed, as its server said. */
interface Marks {
  readonly etag?: string;
  readonly modified?: string;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 10_000_000;
const ID_LENGTH = 500;

export default defineOperator({
  title: 'Feed',
  doc: 'Starts a run for each new entry of an RSS or Atom feed, the oldest first. Each entry starts one run, even if the server is killed.',
  icon: 'rss',
  summary: '{url|url} · every {every|seconds}',
  synonyms: 'rss, atom, news, podcast, blog, rss feed trigger',
  params,
  options: { Format: ['encoding'] },
  inputs: {},
  outputs: {
    out: output({
      doc: 'The entry. `published` is ISO 8601; `content` is mostly HTML. What the feed does not say is null.',
      schema: z.object({
        id: text,
        title: text,
        link: text.nullable(),
        published: text.nullable(),
        author: text.nullable(),
        summary: text,
        content: text,
        categories: z.array(text),
        enclosure: text.nullable(),
      }),
    }),
  },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'News',
      params: { url: 'https://news.example.com/feed.xml' },
      outputs: {
        out: {
          id: 'https://news.example.com/1',
          title: 'First',
          link: 'https://news.example.com/1',
          published: '2026-03-02T08:00:00.000Z',
          author: 'Ada',
          summary: 'In short.',
          content: '<p>In full.</p>',
          categories: ['news'],
          enclosure: null,
        },
      },
    },
  ],
  async listen(call) {
    const { url, every, existing } = call.params;
    await poll(call, { of: url, everyMs: every * 1000, existing }, (cursor) =>
      look(call, url, (cursor ?? {}) as Marks),
    );
  },
});

async function look(call: FeedCall, url: string, marks: Marks): Promise<Gathered> {
  const answer = await call.service('http').send(
    {
      method: 'GET',
      url,
      headers: {
        accept: 'application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
        ...(marks.etag !== undefined && { 'if-none-match': marks.etag }),
        ...(marks.modified !== undefined && { 'if-modified-since': marks.modified }),
      },
      body: undefined,
      redirects: 5,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    },
    call.asker,
    call.signal,
  );
  if (answer.status === 304) return { items: [], cursor: marks };
  if (isFailure(answer.status, ['4xx', '5xx']))
    throw await statusError(answer, `GET ${url.replace(/[?#].*$/s, '')}`);
  const entries = await Promise.all(
    (await entriesIn(call, answer)).map((entry) => withPlainTitle(call, entry)),
  );
  const { etag, 'last-modified': modified } = answer.headers;
  const items = entries.map((entry) => itemOf(call, entry));
  return {
    items,
    cursor: { ...(etag !== undefined && { etag }), ...(modified !== undefined && { modified }) },
  };
}

/** Oldest first: by their dates if all have one, otherwise from the end of the feed. */
async function entriesIn(
  call: Pick<FeedCall, 'params' | 'service' | 'signal'>,
  { body, headers }: HttpResponse,
): Promise<FeedEntry[]> {
  const options = {
    attributes: true,
    prefixes: 'keep',
    lists: FEED_LISTS,
    xhtml: FEED_XHTML,
    encoding: call.params.encoding,
    charset: charsetOf(headers['content-type']),
    maxBytes: MAX_BYTES,
  } as const;
  const document = await call.service('documents').xml(body, options, call.signal);
  const entries = feedEntries(document)?.reverse();
  if (entries === undefined)
    throw new WeftError('bad_answer', 'The address holds XML, but no RSS or Atom feed.');
  const isDated = entries.every(({ published }) => published !== undefined);
  // Texts of one form: their order is that of the times.
  const later = (a: FeedEntry, b: FeedEntry): boolean => (a.published ?? '') > (b.published ?? '');
  return isDated ? entries.sort((a, b) => Number(later(a, b)) - Number(later(b, a))) : entries;
}

/** The title as a text: HTML is read like a page. */
async function withPlainTitle(
  call: FeedCall,
  { hasMarkup = false, ...entry }: FeedEntry,
): Promise<FeedEntry> {
  const { title } = entry;
  if (!hasMarkup || !/[&<]/.test(title)) return entry;
  const options = { format: 'plain', encoding: 'utf-8', maxBytes: MAX_BYTES } as const;
  const { text } = await call.service('documents').html(once(title), options, call.signal);
  return { ...entry, title: text };
}

function itemOf(call: SourceCall, entry: FeedEntry): Gathered['items'][number] {
  const { id: given, link = null, published = null, author = null, enclosure = null, ...texts } = entry;
  const id =
    given === undefined || given.length > ID_LENGTH
      ? call.hash(given ?? { link, published, ...texts })
      : given;
  return { id, value: { id, ...texts, link, published, author, enclosure } };
}
