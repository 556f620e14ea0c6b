import { isRecord } from '#shared/json.ts';
import { feedDate } from './_date.ts';

/** An entry of a feed, RSS or Atom. Texts are unchanged. */
export interface FeedEntry {
  /** Undefined if the feed names none. */
  readonly id: string | undefined;
  readonly title: string;
  /** Whether the title is HTML. */
  readonly hasMarkup?: boolean;
  readonly link: string | undefined;
  /** ISO 8601; undefined if there is no date that can be read. */
  readonly published: string | undefined;
  readonly author: string | undefined;
  readonly summary: string;
  /** HTML, mostly; the summary if there is no more. */
  readonly content: string;
  readonly categories: readonly string[];
  /** The address of a recording or another file that belongs to it. */
  readonly enclosure: string | undefined;
}

type Element = Readonly<Record<string, unknown>>;

/** Elements that are read as lists. */
export const FEED_LISTS = ['item', 'entry', 'link', 'category', 'enclosure', 'author'];

/** Elements of Atom that may be XHTML (RFC 4287, 3.1). */
export const FEED_XHTML = ['title', 'summary', 'content'];

/** The entries of a parsed feed (RSS 0.9 to 2.0, RSS 1.0, Atom), in its order; undefined if it is none. */
export function feedEntries(document: unknown): FeedEntry[] | undefined {
  const { rss, feed, 'rdf:RDF': rdf } = elementOf(document);
  if (feed !== undefined) return listOf(elementOf(feed)['entry']).map(atomEntry);
  if (rss !== undefined) return listOf(elementOf(elementOf(rss)['channel'])['item']).map(rssEntry);
  return rdf === undefined ? undefined : listOf(elementOf(rdf)['item']).map(rssEntry);
}

function rssEntry(item: Element): FeedEntry {
  const link = textOf(listOf(item['link'])[0] ?? first(item['link']));
  const summary = textOf(item['description']);
  return {
    id: textOf(item['guid']) || textOf(item['@rdf:about']) || link || undefined,
    title: textOf(item['title']),
    link: link || undefined,
    published: dateOf(item['pubDate']) ?? dateOf(item['dc:date']),
    author: textOf(first(item['author'])) || textOf(item['dc:creator']) || undefined,
    summary,
    content: textOf(item['content:encoded']) || summary,
    categories: textsOf(item['category']),
    enclosure: attributeOf(first(item['enclosure']), 'url'),
  };
}

function atomEntry(entry: Element): FeedEntry {
  const links = listOf(entry['link']);
  const linkTo = (rel: string) => links.find((link) => (link['@rel'] ?? 'alternate') === rel);
  const link = attributeOf(linkTo('alternate') ?? links[0], 'href');
  const summary = markupOf(entry['summary']);
  const { '@type': titleType } = elementOf(first(entry['title']));
  return {
    id: textOf(entry['id']) || link,
    title: markupOf(entry['title']),
    hasMarkup: titleType === 'html' || titleType === 'xhtml',
    link,
    published: dateOf(entry['published']) ?? dateOf(entry['updated']),
    author: textOf(elementOf(first(entry['author']))['name']) || undefined,
    summary,
    content: markupOf(entry['content']) || summary,
    categories: listOf(entry['category']).flatMap((one) => attributeOf(one, 'term') ?? []),
    enclosure: attributeOf(linkTo('enclosure'), 'href'),
  };
}

function elementOf(value: unknown): Element {
  return isRecord(value) ? value : {};
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : value;
}

function listOf(value: unknown): Element[] {
  const all = Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value];
  return all.map((one) => (typeof one === 'string' ? { '#text': one } : elementOf(one)));
}

function textsOf(value: unknown): string[] {
  return listOf(value)
    .map(textOf)
    .filter((text) => text !== '');
}

/** A text, or that of an element with attributes. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = elementOf(first(value))['#text'];
  return typeof text === 'string' ? text.trim() : '';
}

/** A text of Atom; for XHTML without the surrounding `div`, which is not part of it. */
function markupOf(value: unknown): string {
  const text = textOf(value);
  if (elementOf(first(value))['@type'] !== 'xhtml') return text;
  const [, prefix, inner] = /^<(\w+:)?div\b[^>]*>([^]*)<\/(?:\w+:)?div\s*>$/.exec(text) ?? [];
  if (inner === undefined) return text;
  return (
    prefix === undefined ? inner : inner.replaceAll(`<${prefix}`, '<').replaceAll(`</${prefix}`, '</')
  ).trim();
}

function attributeOf(value: unknown, name: string): string | undefined {
  const attribute = elementOf(value)[`@${name}`];
  return typeof attribute === 'string' && attribute !== '' ? attribute : undefined;
}

function dateOf(value: unknown): string | undefined {
  return feedDate(textOf(value));
}
