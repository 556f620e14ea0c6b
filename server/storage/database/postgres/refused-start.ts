import { codedStartError, StartError } from '../../../base/errors/start-error.ts';
import { isRefusal, isTlsRefusal, NoAnswer } from './answered.ts';

/** SQLSTATEs of a wrong user, password or database, and of missing rights to make tables. */
const DENIALS = /^(28|3D000|42501)/;
/** PgBouncer's message for a wrong password, under the code of a broken connection. */
const SASL = /^SASL authentication failed/;

/** The setting that contains the direct address. */
export function settingOf(url: string, direct: string): string {
  return url === direct ? 'WEFT_DATABASE_URL' : 'WEFT_DATABASE_DIRECT_URL';
}

/** The message for a database that cannot be used at the start; bugs stay as they are. `setting` contains its address. */
export function refusedStart(error: unknown, setting = 'WEFT_DATABASE_URL'): unknown {
  if (error instanceof StartError) return error;
  if (error instanceof NoAnswer)
    return codedStartError(
      'database_unreachable',
      `Something accepts connections at the address of the database, but gives no answer of PostgreSQL: a proxy whose database is down, or another program. Start the database, or correct ${setting}.`,
    );
  const { code = '', message } = error as { readonly code?: string; readonly message: string };
  if (DENIALS.test(code) || SASL.test(message))
    return codedStartError(
      'database_denied',
      `The database refuses this server (${message}). Correct ${setting}, or give its user the right to create tables.`,
    );
  if (code === '25006')
    return codedStartError(
      'database_read_only',
      `The database is read-only (${message}); set ${setting} to the primary.`,
    );
  if (isTlsRefusal(code))
    return codedStartError(
      'database_unreachable',
      `The connection to the database cannot be encrypted as ${setting} asks (${message}). Correct its \`sslmode\`, or set NODE_EXTRA_CA_CERTS to the file of the certificate authority.`,
    );
  if (!isRefusal(code)) return error;
  return codedStartError(
    'database_unreachable',
    `The database cannot be reached (${message || code}). Start it, or correct ${setting}; characters like @, / and # in a user or password are percent-encoded there.`,
  );
}
