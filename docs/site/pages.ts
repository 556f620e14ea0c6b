import { readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The folder of the project. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `docs/site.json`: the pages in the order of readers. A page is a path from `docs/`, or a pattern with `*`, which stands for the pages that
 * are named nowhere else, in the order of their names.
 */
const Order = z.strictObject({
  /** Markdown that is no page of the site. */
  leftOut: z.array(z.string()),
  sections: z.array(
    z.strictObject({
      title: z.string(),
      groups: z.array(z.strictObject({ title: z.string().optional(), pages: z.array(z.string()) })),
    }),
  ),
});
export type Order = z.infer<typeof Order>;

export interface SitePage {
  /** From the folder of the project: `docs/keys.md`. */
  readonly file: string;
  /** Below `/help`, without a slash in front: `keys`; empty for the first page. */
  readonly address: string;
  readonly section: string;
  readonly title: string;
  /** As Markdown. */
  readonly text: string;
}

export interface Section {
  readonly title: string;
  readonly groups: readonly { readonly title?: string | undefined; readonly pages: readonly SitePage[] }[];
}

export interface Site {
  /** Those that have pages. */
  readonly sections: readonly Section[];
  /** All of them in order, by their files. */
  readonly pages: ReadonlyMap<string, SitePage>;
  /** Of `docs/site.json`; a test fails on them. */
  readonly problems: readonly string[];
}

const HOME = 'docs/README.md';

/** All pages, in order. */
export function readSite(root = PROJECT): Site {
  const order = Order.parse(JSON.parse(readFileSync(join(root, 'docs/site.json'), 'utf8')));
  const found = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'));
  const { places, problems } = placePages(order, found.sort());
  const sections = order.sections.map(({ title, groups }) => ({
    title,
    groups: groups
      .map((group) => ({
        title: group.title,
        pages: group.pages
          .flatMap((entry) => places.get(entry) ?? [])
          .map((name) => readPage(root, name, title)),
      }))
      .filter(({ pages }) => pages.length > 0),
  }));
  const all = sections.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
  return {
    sections: sections.filter(({ groups }) => groups.length > 0),
    pages: new Map(all.map((page) => [page.file, page])),
    problems,
  };
}

/**
 * The pages of each entry of the order, and what is wrong with it. A page without a place gets the last entry: a site that shows it
 * somewhere is better than none.
 */
export function placePages(order: Order, found: readonly string[]): Placed {
  const entries = order.sections.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
  const names = entries.filter((entry) => !entry.includes('*'));
  const isKnown = (name: string): boolean => name.startsWith('../') || found.includes(name);
  const problems = [
    ...entries
      .filter((entry, at) => entries.indexOf(entry) !== at)
      .map((entry) => `${entry} is named twice.`),
    ...names.filter((name) => !isKnown(name)).map((name) => `${name} is not there.`),
  ];
  const places = new Map(names.filter(isKnown).map((name) => [name, [name]]));
  for (const name of found.filter((one) => !names.includes(one))) {
    const fitting = [...entries, ...order.leftOut].filter((entry) => matchesGlob(name, entry));
    if (fitting.length !== 1)
      problems.push(`${name} must have one place; it has ${fitting.join(' and ') || 'none'}.`);
    const entry = fitting[0] ?? entries.at(-1) ?? '';
    places.set(entry, [...(places.get(entry) ?? []), name]);
  }
  return { places, problems };
}

interface Placed {
  readonly places: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
}

function readPage(root: string, name: string, section: string): SitePage {
  const file = posix.join('docs', name);
  const text = readFileSync(join(root, file), 'utf8').replace(/^<!--.*?-->\s*/s, '');
  const title = /^# +(.+)$/m.exec(text)?.[1]?.replaceAll('`', '');
  if (title === undefined) throw new Error(`${file} has no heading.`);
  return { file, address: addressOf(file), section, title, text };
}

/** `docs/reference/README.md` is at `reference`, and `SECURITY.md` at `security`; the README of the project tells about Weft. */
function addressOf(file: string): string {
  if (file === HOME) return '';
  if (file === 'README.md') return 'about';
  return file
    .replace(/^docs\//, '')
    .replace(/(?:^|\/)README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase();
}
