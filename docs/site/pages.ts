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
}

const HOME = 'docs/README.md';

/** All pages, in order. Throws if one is in no place or in two, or if the order names one that is not there. */
export function readSite(root = PROJECT): Site {
  const order = Order.parse(JSON.parse(readFileSync(join(root, 'docs/site.json'), 'utf8')));
  const found = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'));
  const places = placePages(order, found.sort());
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
  };
}

/** The pages of each entry of the order. */
export function placePages(order: Order, found: readonly string[]): Map<string, string[]> {
  const entries = order.sections.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
  const twice = entries.filter((entry, at) => entries.indexOf(entry) !== at);
  if (twice.length > 0) throw new Error(`docs/site.json names twice: ${twice.join(', ')}.`);
  const names = entries.filter((entry) => !entry.includes('*'));
  const gone = names.filter((name) => !name.startsWith('../') && !found.includes(name));
  if (gone.length > 0) throw new Error(`docs/site.json names pages that are not there: ${gone.join(', ')}.`);
  const places = new Map(names.map((name) => [name, [name]]));
  for (const name of found.filter((one) => !names.includes(one))) {
    const fitting = [...entries, ...order.leftOut].filter((entry) => matchesGlob(name, entry));
    if (fitting.length !== 1)
      throw new Error(
        `docs/${name} must have one place in docs/site.json; it has ${fitting.length === 0 ? 'none' : fitting.join(' and ')}.`,
      );
    const [entry = ''] = fitting;
    places.set(entry, [...(places.get(entry) ?? []), name]);
  }
  return places;
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
