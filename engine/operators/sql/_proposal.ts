import { CHART_TYPES } from '#shared/chat-item.ts';
import { objectIn } from '#shared/object-in-text.ts';
import { isRecord } from '#shared/json.ts';
import type { DataTable } from '../../base/data-service.ts';

/** The answer of a model, in the format that the prompt of DB-GPT requests. */
export interface Proposal {
  readonly thoughts: string;
  readonly sql: string;
  readonly type: (typeof CHART_TYPES)[number];
}

/** JSON, also within a fence or other text; a statement alone; or only words. */
export function proposalIn(text: string): Proposal {
  const found = objectIn(text);
  const fields = found === undefined ? undefined : parsed(found);
  if (isRecord(fields) && ['sql', 'thoughts'].some((name) => typeof fields[name] === 'string'))
    return {
      thoughts: textIn(fields['thoughts']),
      sql: textIn(fields['sql']),
      type: CHART_TYPES.find((known) => known === fields['display_type']) ?? 'response_table',
    };
  const fenced = (/```(?:sql)?([^]*?)```/i.exec(text)?.[1] ?? text).trim();
  const isSql = /^(?:SELECT|WITH)\b/i.test(fenced);
  return { thoughts: isSql ? '' : text.trim(), sql: isSql ? fenced : '', type: 'response_table' };
}

function textIn(given: unknown): string {
  return typeof given === 'string' ? given.trim() : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** More columns of one table would leave no room for the others. */
const MAX_COLUMNS = 60;
/** The most characters of the type of a column, which is free text in SQLite. */
const MAX_TYPE = 100;

/** Tables in the form for the prompt: JSON, because a name may contain anything. */
export function tablesText(tables: readonly DataTable[]): string {
  const told = tables.map(({ parts, columns, links }) => ({
    table: parts.join('.'),
    columns: columns
      .slice(0, MAX_COLUMNS)
      .map(({ name, type, key }) => `${name} ${type.slice(0, MAX_TYPE)}${key ? ' key' : ''}`.trim()),
    ...(links.length > 0 && { links: links.map(({ column, to }) => `${column} -> ${to}`) }),
  }));
  return JSON.stringify(told, null, 1);
}
