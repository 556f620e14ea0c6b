import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { markLoading } from './loading.ts';

/** The module that users' files import the builder and `defineOperator` from (docs/decisions/0010-weft-specifier.md). */
const DOOR = '#weft';
const door = new URL('../cli/weft-module.ts', import.meta.url).href;

let hooked = false;

/**
 * Imports a user's file and returns its default export. `version` (a hash of its content) makes a changed file load
 * again. `#weft` works in the file wherever it is.
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
