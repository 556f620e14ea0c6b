import type { DataTable } from '#engine';

/**
 * The tables that a question is probably about, the best first: tables with words of the question in their names and columns,
 * where rare words count more, and the tables that they reference. Thus the prompt contains only a few of a thousand tables.
 */
export function rankTables(tables: readonly DataTable[], question: string, most: number): DataTable[] {
  if (tables.length <= most) return [...tables];
  const asked = new Set(stemsOf(question));
  const named = tables.map((table) => ({ table, ...stems(table) }));
  const spread = new Map<string, number>();
  for (const { name, columns } of named)
    for (const stem of new Set([...name, ...columns])) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  const weight = (stem: string): number =>
    asked.has(stem) ? Math.log(1 + tables.length / (spread.get(stem) ?? 1)) : 0;
  const sum = (all: ReadonlySet<string>): number => [...all].reduce((total, stem) => total + weight(stem), 0);
  const scored = named
    .map(({ table, name, columns }) => ({
      table,
      // Prefer the table named exactly like the word.
      score: (4 * sum(name)) / Math.sqrt(Math.max(1, name.size)) + sum(columns),
    }))
    .sort((a, b) => b.score - a.score);
  const found = scored.filter(({ score }) => score > 0).map(({ table }) => table);
  return withLinked(found.length > 0 ? found : byLinks(tables), tables, most);
}

/** The most referenced tables: a question in another language than the names is probably about one of them. */
function byLinks(tables: readonly DataTable[]): DataTable[] {
  const counts = new Map<string, number>();
  for (const { links } of tables)
    for (const { to } of links) {
      const name = to.slice(0, to.lastIndexOf('.'));
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  const count = ({ parts }: DataTable): number => counts.get(parts.at(-1) ?? '') ?? 0;
  return [...tables].sort((a, b) => count(b) - count(a) || b.links.length - a.links.length);
}

/** The best tables, then those that they reference or that reference two of them, then the other matches. */
function withLinked(found: readonly DataTable[], all: readonly DataTable[], most: number): DataTable[] {
  const best = found.slice(0, Math.ceil(most / 2));
  const chosen = new Set(best);
  const byName = new Map(all.map((table) => [table.parts.at(-1) ?? '', table]));
  for (const { links } of best)
    for (const { to } of links) {
      const table = byName.get(to.slice(0, to.lastIndexOf('.')));
      if (table !== undefined && chosen.size < most) chosen.add(table);
    }
  const names = new Set(best.map(({ parts }) => parts.at(-1)));
  const bridges = all.filter(
    ({ links }) =>
      new Set(links.map(({ to }) => to.slice(0, to.lastIndexOf('.'))).filter((to) => names.has(to))).size > 1,
  );
  for (const table of [...bridges, ...found]) if (chosen.size < most) chosen.add(table);
  return [...chosen];
}

function stems({ parts, columns }: DataTable): { name: ReadonlySet<string>; columns: ReadonlySet<string> } {
  return {
    name: new Set(stemsOf(parts.at(-1) ?? '')),
    columns: new Set(columns.flatMap(({ name }) => stemsOf(name))),
  };
}

/** The words of a name without their endings; `orderItems` and `order_items` have two words each. */
function stemsOf(text: string): string[] {
  const parted = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return (parted.match(/\p{L}+|\p{N}+/gu) ?? []).map((word) =>
    word.length < 4 ? word : word.replace(/ies$/, 'y').replace(/(?:(?<=[sxz]|ch|sh)es|(?<!s)s)$/, ''),
  );
}
