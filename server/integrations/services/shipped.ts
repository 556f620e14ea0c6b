import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makeLazyRegistry, type Operator, type Registry } from '#engine';
import type * as Services from '#engine/services';
import type { OperatorInfo } from '#shared/catalog.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';

/** The services of the product: one file each in `shipped/`, and a catalog that `npm run docs` makes of them. */

const FOLDER = new URL('./shipped/', import.meta.url);
export const SHIPPED_CATALOG = fileURLToPath(new URL('./catalog.json', import.meta.url));

/** The text of a shipped file; undefined if there is none. */
export function shippedText(id: string): string | undefined {
  return /^[a-z0-9_-]+$/.test(id) && shippedIds().includes(id)
    ? readFileSync(new URL(`${id}.json`, FOLDER), 'utf8')
    : undefined;
}

let ids: readonly string[] | undefined;

export function shippedIds(): readonly string[] {
  ids ??= readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
  return ids;
}

/** Their operators. A file is read when one of its operators is first needed. */
export function shippedRegistry(): Registry {
  const operators = readCatalog();
  const made = new Map<string, ReadonlyMap<string, Operator>>();
  return makeLazyRegistry({ operators }, (type) => {
    const id = type.slice(0, type.indexOf('.'));
    const known = made.get(id) ?? operatorsOf(id);
    made.set(id, known);
    return known.get(type) as Operator;
  });
}

/** It is missing only where it is about to be made. */
function readCatalog(): Record<string, OperatorInfo> {
  try {
    return JSON.parse(readFileSync(SHIPPED_CATALOG, 'utf8')) as Record<string, OperatorInfo>;
  } catch {
    return {};
  }
}

const require = createRequire(import.meta.url);

/** Loaded at once, in the middle of a compilation, like operators. */
function operatorsOf(id: string): ReadonlyMap<string, Operator> {
  const { ServiceFile, serviceOperators } = require('#engine/services') as typeof Services;
  const file = ServiceFile.parse(JSON.parse(shippedText(id) ?? '{}'));
  return serviceOperators(file, expressionTools('UTC'));
}

/** All of them, in the order of their ids. */
export async function readShippedFiles(): Promise<Services.ServiceFile[]> {
  const { ServiceFile } = await import('#engine/services');
  return shippedIds().map((id) => ServiceFile.parse(JSON.parse(shippedText(id) ?? '{}')));
}

/** The text of the catalog: a line for each operator. */
export async function writtenShippedCatalog(): Promise<string> {
  const { describeService } = await import('#engine/services');
  const files = await readShippedFiles();
  const lines = files.flatMap((file) =>
    Object.entries(describeService(file)).map(([type, info]) => {
      // A start reads all of it, so one example of each has to do.
      const kept = { ...info, examples: info.examples.slice(0, 1) };
      return `${JSON.stringify(type)}: ${JSON.stringify(kept)}`;
    }),
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
