import type { Catalog, OperatorInfo } from '#shared/catalog.ts';

/** Finds operators by typed words: in the title, the type's name and the description, in this order of weight. */
export function searchOperators(catalog: Catalog, query: string): OperatorInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  // An inline function belongs to its own flow.
  const all = Object.values(catalog.operators).filter(
    // No body can be drawn yet.
    (info) => info.flow === undefined && info.body !== 'required',
  );
  if (words.length === 0) return all;
  return all
    .map((info) => ({ info, score: Math.min(...words.map((word) => scoreOf(info, word))) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ info }) => info);
}

function scoreOf(info: OperatorInfo, word: string): number {
  const title = info.title.toLowerCase();
  if (title.startsWith(word)) return 5;
  if (title.includes(` ${word}`)) return 4;
  if (title.includes(word)) return 3;
  if (info.type.toLowerCase().includes(word)) return 2;
  return info.doc.toLowerCase().includes(word) ? 1 : 0;
}

export interface OperatorGroup {
  readonly name: string;
  readonly operators: readonly OperatorInfo[];
}

/** Groups in the order of building a flow: triggers first, then the rest by name. */
export function groupOperators(operators: readonly OperatorInfo[]): OperatorGroup[] {
  const groups = new Map<string, OperatorInfo[]>();
  for (const info of operators) groups.set(info.group, [...(groups.get(info.group) ?? []), info]);
  return [...groups]
    .map(([name, members]) => ({ name, operators: members.sort((a, b) => a.title.localeCompare(b.title)) }))
    .sort((a, b) => Number(startsFlow(b)) - Number(startsFlow(a)) || a.name.localeCompare(b.name));
}

function startsFlow(group: OperatorGroup): boolean {
  return group.operators.some((info) => info.trigger);
}

/** `http` -> `HTTP`, `trigger` -> `Trigger`. */
export function groupTitle(name: string): string {
  return name.length <= 4 && ['ai', 'http', 'json'].includes(name)
    ? name.toUpperCase()
    : name[0]?.toUpperCase() + name.slice(1);
}
