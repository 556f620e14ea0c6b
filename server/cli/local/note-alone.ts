import { COMMAND_LINE } from '../../security/access.ts';
import { createAuditLog } from '../../security/audit-log.ts';
import { openWeftSql } from '../../storage/weft-tables.ts';

/** Notes in the audit of a data folder that no server holds what the command line has done. */
export async function noteAlone(
  data: string,
  what: string,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  const sql = openWeftSql(data);
  try {
    const actor = { kind: COMMAND_LINE, id: COMMAND_LINE, name: COMMAND_LINE };
    await createAuditLog(sql, { now: Date.now }).add({ actor, what, facts });
  } finally {
    await sql.close();
  }
}
