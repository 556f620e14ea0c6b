import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makeLazyRegistry, type Operator, type Registry } from '#engine';
import type * as Services from '#engine/services';
import type { OperatorInfo } from '#shared/catalog.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';

/**
 * The services of the product: one file each in `shipped/`. `npm run docs` describes their operators, a file for each service in
 * `catalog/`, and lists the types in `catalog.json`, which is all that a start reads.
 */

const FOLDER = new URL('./shipped/', import.meta.url);
const TYPES = new URL('./catalog.json', import.meta.url);
const CATALOG = new URL('./catalog/', import.meta.url);

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

type Operators = Record<string, OperatorInfo>;

/** Each is described when it is first asked for. The list is missing only where it is about to be made. */
function readCatalog(): Operators {
  const types = readJson<Record<string, readonly string[]>>(TYPES) ?? {};
  const operators: Operators = {};
  for (const [id, all] of Object.entries(types)) {
    let known: Operators | undefined;
    const described = (): Operators => (known ??= readJson<Operators>(new URL(`${id}.json`, CATALOG)) ?? {});
    for (const type of all)
      Object.defineProperty(operators, type, {
        ...{ enumerable: true, configurable: true },
        get: () => described()[type],
      });
  }
  return operators;
}

function readJson<T>(file: URL): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
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

/** The texts of the catalog, by file: a line for each operator. */
export async function writtenShippedCatalog(): Promise<ReadonlyMap<string, string>> {
  const { describeService } = await import('#engine/services');
  const files = await readShippedFiles();
  const texts = new Map<string, string>();
  const types: Record<string, string[]> = {};
  for (const file of files) {
    // The editor loads all of it, so one example of each has to do.
    const described = Object.entries(describeService(file)).map(
      ([type, info]) => [type, { ...info, examples: info.examples.slice(0, 1) }] as const,
    );
    types[file.id] = described.map(([type]) => type);
    texts.set(fileURLToPath(new URL(`${file.id}.json`, CATALOG)), linesOf(described));
  }
  texts.set(fileURLToPath(TYPES), linesOf(Object.entries(types)));
  return texts;
}

function linesOf(entries: readonly (readonly [string, unknown])[]): string {
  const lines = entries.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
