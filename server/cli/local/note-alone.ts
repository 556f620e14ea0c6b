import { COMMAND_LINE } from '../../security/access.ts';
import { createAuditLog } from '../../security/audit-log.ts';
import { openWeftSql } from '../../storage/weft-tables.ts';

/**
 * Notes in the audit of a data folder that no server holds what the command line has done. What was done is done: if it
 * cannot be noted, that is said, and the command goes on.
 */
export async function noteAlone(
  data: string,
  what: string,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    const sql = openWeftSql(data);
    try {
      const actor = { kind: COMMAND_LINE, id: COMMAND_LINE, name: COMMAND_LINE };
      await createAuditLog(sql, { now: Date.now }).add({ actor, what, facts });
    } finally {
      await sql.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`The audit does not say that this was done (${what}): ${reason}`);
  }
}
