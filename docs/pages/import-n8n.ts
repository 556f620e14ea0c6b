import { entries } from '../../server/flows/imports/n8n/table.ts';
import { code, page, table } from './markdown.ts';
import { mostUsed } from './n8n-use.ts';

/** What each type of n8n's nodes becomes, and how near that is. */
export function importN8nPage(): string {
  const rows = entries.map(({ kind, versions = 'all', word, becomes, difference = '' }) => [
    code(kind),
    versions,
    word,
    becomes,
    difference,
  ]);
  return page(
    '# What nodes of n8n become',
    'The [import](../import-export.md#workflows-of-n8n) of a workflow replaces the nodes of n8n by these operators; [coming from n8n](../coming-from-n8n.md) explains the rest. *equal*: it does the same. *close*: it differs in what the last column says. *http*: it sends a request to the service through a connection, so its answer has the fields of the service. *code*: a node with code does it. Types that are not listed become placeholders, which keep all of their values; so does a node with a setting that the last column excludes.',
    table(
      ['n8n', 'versions', 'fit', 'here', 'how it differs'],
      rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
    '## The types that most workflows have',
    'The first 95 types of 8,848 public workflows, by the share of workflows that have them.',
    table(['n8n', 'workflows', 'fit', 'here'], usedRows()),
  );
}

function usedRows(): string[][] {
  const byKind = new Map(entries.map((entry) => [entry.kind, entry]));
  return mostUsed.map(([kind, share]) => {
    const entry = byKind.get(kind);
    return [
      code(kind),
      `${share.toFixed(1)} %`,
      entry?.word ?? 'placeholder',
      entry?.becomes ?? 'nothing yet',
    ];
  });
}
