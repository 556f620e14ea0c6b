import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import { NodeCache, NodeEach, Retry } from '#shared/flow.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import { choiceText, settingTitle } from '#shared/setting-words.ts';
import type { ServiceFile } from '#shared/service-file.ts';
import type { TemplateText } from '#shared/template.ts';

/**
 * Texts that people read although no source contains them as such: labels that are made from the names of settings and choices,
 * and texts of data, such as services and templates.
 */

/** Files that are about to be written, by their path; they are read in place of those on the disk. */
export type Fresh = ReadonlyMap<string, string>;

/** The texts by their owner, such as `http.request` or `template news_to_mail`, without those in `known`. */
export function dataTexts(
  root: string,
  known: ReadonlySet<string>,
  fresh: Fresh = new Map(),
): Readonly<Record<string, readonly string[]>> {
  const read = (path: string): unknown =>
    JSON.parse(fresh.get(join(root, path)) ?? readFileSync(join(root, path), 'utf8'));
  const texts: Record<string, readonly string[]> = {};
  const add = (name: string, found: readonly string[]): void => {
    const own = [...new Set(found)].filter((text) => text !== '' && !known.has(text));
    if (own.length > 0) texts[name] = own;
  };
  for (const [name, schema] of Object.entries({ retry: Retry, cache: NodeCache, each: NodeEach }))
    add(`settings of ${name}`, textsOfSchema(z.toJSONSchema(schema, { io: 'input' })));
  for (const info of operatorsIn(read('engine/operators/catalog.json')))
    add(info.type, textsOfOperator(info));
  for (const path of globSync('server/integrations/services/catalog/*.json', { cwd: root }).sort())
    for (const info of operatorsIn(read(path))) add(info.type, textsOfOperator(info));
  for (const path of globSync('server/integrations/services/shipped/*.json', { cwd: root }).sort()) {
    const service = read(path) as z.input<typeof ServiceFile>;
    add(`service ${service.id}`, textsOfService(service));
  }
  for (const path of globSync('server/flows/templates/shipped/*/template.json', { cwd: root }).sort()) {
    const [, id = ''] = /([^/\\]+)[/\\]template\.json$/.exec(path) ?? [];
    add(`template ${id}`, textsOfTemplate(read(path) as TemplateText));
  }
  return texts;
}

/** The kept catalog has each operator with the hash of its source. */
function operatorsIn(file: unknown): OperatorInfo[] {
  const kept = Object.values(file as Readonly<Record<string, OperatorInfo | { info: OperatorInfo }>>);
  return kept.map((one) => ('info' in one ? one.info : one));
}

function textsOfOperator({ title, doc, params, options = {}, service }: OperatorInfo): string[] {
  return [title, doc, service?.title ?? '', ...Object.keys(options), ...textsOfSchema(params)];
}

/** What its card and the dialog of its connection show. */
function textsOfService({ doc, connect }: z.input<typeof ServiceFile>): string[] {
  return [doc, ...connect.flatMap((way) => ('label' in way ? [way.label, way.help] : []))];
}

function textsOfTemplate({ title, text, next, needs }: TemplateText): string[] {
  return [title, text, next, ...needs.flatMap((need) => [need.title, need.text, need.expects ?? ''])];
}

/** `name`: the setting that the schema describes, by which its choices are worded. */
function textsOfSchema(schema: JsonSchema, name = ''): string[] {
  const said = ['title', 'description', 'says'].map((key) => schema[key]);
  const labels = isRecord(schema['labels']) ? Object.values(schema['labels']) : [];
  const texts = [...said, ...labels].filter((text) => typeof text === 'string');
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  for (const value of Array.isArray(values) ? values : []) {
    const label = choiceText(name, value, schema['labels']);
    // A choice that is shown as it stands in the flow is data: an encoding, a method.
    if (label !== String(value)) texts.push(label);
  }
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  for (const [key, property] of Object.entries(properties)) {
    if (!isRecord(property)) continue;
    if (typeof property['title'] !== 'string' && !('const' in property)) texts.push(settingTitle(key));
    texts.push(...textsOfSchema(property, key));
  }
  const within = [schema['items'], schema['additionalProperties']].filter(isRecord);
  const branches = [schema['anyOf'], schema['oneOf']].filter(Array.isArray).flat().filter(isRecord);
  return [...texts, ...[...within, ...branches].flatMap((one) => textsOfSchema(one, name))];
}
