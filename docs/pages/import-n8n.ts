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
    'The [import](../import-export.md#workflows-of-n8n) of a workflow replaces the nodes of n8n by these operators; [coming from n8n](../coming-from-n8n.md) explains the rest, and the [types that most workflows have](#the-types-that-most-workflows-have) are at the end.',
    table(
      ['fit', 'meaning'],
      [
        ['*equal*', 'The operator does the same, except for what the last column says.'],
        ['*close*', 'The operator differs in what the last column says.'],
        [
          '*http*',
          'The operator sends a request to the service through a connection, so its answer has the fields of the service.',
        ],
        ['*code*', 'A node with code does it.'],
      ],
    ),
    'A type that is not listed becomes a placeholder, which keeps all of its values. So does a node with a setting or an operation that the last column calls a placeholder. “All else is a placeholder” therefore means: the import does not know it.',
    table(
      ['n8n', 'versions', 'fit', 'here', 'how it differs'],
      rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
    '## The types that most workflows have',
    'These are the 95 most used types in 8,848 public workflows, with the share of workflows that have them. `openAi` is there twice: the newer type belongs to the LangChain package, and the older one to the base package.',
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
