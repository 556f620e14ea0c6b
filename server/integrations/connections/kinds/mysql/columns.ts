import type { FieldPacket } from 'mysql2';
import type { DescribedColumn } from '#shared/described.ts';
import type { JsonSchema } from '#shared/json.ts';
import { DECIMAL, LARGE, mayAddNulls, TEXT, WHOLE } from '../../sql-common.ts';

/** Types of columns in the protocol: the name of the type, and the schema of its values in a row. */
const TYPES: Readonly<Record<number, readonly [word: string, schema: JsonSchema]>> = {
  0: ['decimal', DECIMAL],
  1: ['tinyint', WHOLE],
  2: ['smallint', WHOLE],
  3: ['int', WHOLE],
  4: ['float', DECIMAL],
  5: ['double', DECIMAL],
  6: ['null', {}],
  7: ['timestamp', TEXT],
  8: ['bigint', LARGE],
  9: ['mediumint', WHOLE],
  10: ['date', TEXT],
  11: ['time', TEXT],
  12: ['datetime', TEXT],
  13: ['year', WHOLE],
  15: ['varchar', TEXT],
  16: ['bit', LARGE],
  245: ['json', {}],
  246: ['decimal', DECIMAL],
  247: ['enum', TEXT],
  248: ['set', TEXT],
  249: ['tinytext', TEXT],
  250: ['mediumtext', TEXT],
  251: ['longtext', TEXT],
  252: ['text', TEXT],
  253: ['varchar', TEXT],
  254: ['char', TEXT],
};
const NOT_NULL = 1;
const UNSIGNED = 32;
/** The same types where the column holds bytes, not text. */
const BINARY = 63;

interface SentColumn {
  readonly name: string;
  readonly columnType?: number;
  readonly flags: number;
  readonly characterSet?: number;
  readonly orgTable: string;
  readonly extendedFormat?: string;
  readonly extendedTypeName?: string;
}

/** `hasValues`: the types of computed columns may depend on values that a run provides. */
export function describedColumns(
  sql: string,
  columns: readonly FieldPacket[],
  hasValues: boolean,
): DescribedColumn[] {
  const isLoose = mayAddNulls(sql);
  return (columns as unknown as readonly SentColumn[]).map((column) => {
    const { name, flags, orgTable } = column;
    const isFixed = orgTable !== '' || !hasValues;
    const [type, schema] = typeOf(column);
    return {
      name,
      type: isFixed ? type : 'unknown',
      nullable: isLoose || !isFixed || (flags & NOT_NULL) === 0,
      schema: isFixed ? schema : {},
    };
  });
}

function typeOf(column: SentColumn): readonly [string, JsonSchema] {
  const { columnType = -1, flags, characterSet, extendedFormat, extendedTypeName } = column;
  // MariaDB sends JSON as text with a mark.
  if (extendedFormat === 'json') return ['json', {}];
  const [word, schema] = TYPES[columnType] ?? ['unknown', {}];
  if (extendedTypeName !== undefined) return [extendedTypeName, {}];
  if (schema === TEXT && characterSet === BINARY) return [BYTES[word] ?? word, TEXT];
  return [(flags & UNSIGNED) !== 0 ? `${word} unsigned` : word, schema];
}

const BYTES: Readonly<Record<string, string>> = { varchar: 'varbinary', char: 'binary', text: 'blob' };
