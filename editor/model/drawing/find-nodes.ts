import type { Catalog } from '#shared/catalog.ts';
import type { Doc } from '../document/document.ts';
import { summaryOf } from '#shared/summary.ts';
import { infoOf } from '../document/edit.ts';
import { flatFlow, isStart } from '../document/flat.ts';
import { titleOf } from '../document/geometry.ts';

/** A node or note that contains the search text. */
export interface Found {
  readonly kind: 'node' | 'note';
  readonly id: string;
  readonly title: string;
  /** Where it was found: `id`, `operator`, `params.url`, … with the surrounding text. */
  readonly where: string;
  readonly excerpt: string;
}

const AROUND = 28;

/** Finds nodes by name, id, type and all texts in them, and by what they do; notes by their text. Titles come first. */
export function findNodes(doc: Doc, catalog: Catalog, query: string, limit = 100): Found[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  const nodes = Object.entries(flatFlow(doc.flow).nodes).flatMap(([id, node]): Found[] => {
    if (isStart(node)) return [];
    const title = titleOf(node, catalog);
    const info = infoOf(catalog, node);
    const hit = firstHit(
      [
        ['name', title],
        ['id', id],
        ['operator', node.operator],
        ...texts({ ...node, body: undefined }, ''),
        ...(info ? [['does', summaryOf(node, info)] as const] : []),
      ],
      wanted,
    );
    return hit ? [{ kind: 'node', id, title, ...hit }] : [];
  });
  const notes = (doc.layout.notes ?? []).flatMap(({ id, text }): Found[] => {
    const hit = firstHit([['note', text]], wanted);
    return hit ? [{ kind: 'note', id, title: text.split('\n', 1)[0] ?? '', ...hit }] : [];
  });
  const rank = (found: Found): number => (found.where === 'name' ? 0 : found.where === 'id' ? 1 : 2);
  return [...nodes, ...notes].sort((a, b) => rank(a) - rank(b)).slice(0, limit);
}

function firstHit(
  fields: Iterable<readonly [string, string]>,
  wanted: string,
): { where: string; excerpt: string } | undefined {
  for (const [where, text] of fields) {
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const start = Math.max(0, at - AROUND);
    const end = Math.min(text.length, at + wanted.length + AROUND);
    const excerpt = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
    return { where, excerpt: excerpt.replaceAll(/\s+/g, ' ') };
  }
  return undefined;
}

/** Every text and number in a value with its path. */
function* texts(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    yield [path, String(value)];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (!Array.isArray(value) && path !== '' && !/^\d+$/.test(key)) yield [step, key];
    yield* texts(inner, step);
  }
}
