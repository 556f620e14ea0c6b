import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { connectionKinds } from '#shared/connection-kinds.ts';
import type { Kind } from '../server/integrations/connections/kind.ts';

/**
 * Writes the lists of the kinds of connections from their folders; `npm run docs` does it first, since pages are made from them.
 * Kinds that are known keep their order, which forms show, and new ones follow.
 */
const KINDS = new URL('../server/integrations/connections/kinds/', import.meta.url);
/** What browsers need to know too, without any code of the server. */
const SHARED = new URL('../shared/connection-kinds.ts', import.meta.url);
/** How the server loads each when it is first used. */
const LOADED = new URL('all.ts', KINDS);

/** All kinds, in the order of the lists. Throws if one has another name than its folder. */
export async function kindsInFolders(): Promise<Kind[]> {
  const entries = await readdir(KINDS, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const known = Object.keys(connectionKinds).filter((name) => folders.includes(name));
  const added = folders.filter((name) => !known.includes(name)).sort();
  return Promise.all([...known, ...added].map(kindIn));
}

async function kindIn(folder: string): Promise<Kind> {
  const { default: kind } = (await import(new URL(`${folder}/index.ts`, KINDS).href)) as { default: Kind };
  if (kind.name !== folder || !/^[a-z][a-z0-9]*$/.test(folder))
    throw new Error(
      `The kind in ${folder}/ has the name ${kind.name}: both are the same word of a-z and 0-9.`,
    );
  return kind;
}

/** The lists as they should be, by their files. */
export async function kindLists(): Promise<ReadonlyMap<URL, string>> {
  const kinds = await kindsInFolders();
  const facts = kinds.map((kind) => `  ${kind.name}: { title: ${quoted(kind.title)}, ${usesOf(kind)} },`);
  const loads = kinds.map(({ name }) => `  ${name}: () => import('./${name}/index.ts'),`);
  const note =
    '// Written by `npm run docs` from the folders of server/integrations/connections/kinds/; do not edit.';
  return new Map([
    [
      SHARED,
      `${note}\n\n/** All kinds of connections, with what they are used for. */\nexport const connectionKinds = {\n${facts.join('\n')}\n} as const;\n`,
    ],
    [
      LOADED,
      `${note}\n\nimport type { ConnectionKindName } from '#shared/connection.ts';\nimport type { Kind } from '../kind.ts';\n\n/** Each is loaded with its first use. */\nexport const kinds: Readonly<Record<ConnectionKindName, () => Promise<{ readonly default: Kind }>>> = {\n${loads.join('\n')}\n};\n`,
    ],
  ]);
}

function usesOf(kind: Kind): string {
  const isAlsoFiles = kind.use === 'actions' && kind.files !== undefined;
  return `use: '${kind.use}'${isAlsoFiles ? ", also: 'files'" : ''}`;
}

/** A text as the formatter writes it. */
function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
}

/** The lists that are not as they should be. */
export async function staleLists(): Promise<ReadonlyMap<URL, string>> {
  const lists = await kindLists();
  const written = await Promise.all(
    [...lists.keys()].map((file) => readFile(file, 'utf8').catch(() => undefined)),
  );
  return new Map([...lists].filter(([, text], i) => text !== written[i]));
}

if (import.meta.main) {
  const stale = await staleLists();
  for (const [file, text] of stale) await writeFile(file, text);
  if (stale.size > 0)
    console.log(`Wrote ${[...stale.keys()].map((file) => fileURLToPath(file)).join(', ')}.`);
}
