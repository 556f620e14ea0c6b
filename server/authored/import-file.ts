import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { markLoading } from './loading.ts';

/** What files of the author's import the builder and `defineOperator` from (docs/decisions/0010-weft-specifier.md). */
const DOOR = '#weft';
const door = new URL('../cli/weft-module.ts', import.meta.url).href;

let hooked = false;

/**
 * Imports a file of the author's and gives its default export. `version` (a hash of its content) tells a changed file from the
 * one that was imported before. `#weft` works in it wherever it lies.
 */
export async function importFile(path: string, version?: string): Promise<unknown> {
  markLoading();
  if (!hooked) registerHooks({ resolve: resolveDoor });
  hooked = true;
  const url = pathToFileURL(path);
  if (version !== undefined) url.searchParams.set('v', version);
  const { default: exported } = (await import(url.href)) as { default?: unknown };
  return exported;
}

const resolveDoor: Parameters<typeof registerHooks>[0]['resolve'] = (specifier, context, next) =>
  specifier === DOOR ? { url: door, shortCircuit: true } : next(specifier, context);
